/**
 * Resources at runtime: their containers by scope, and the check of their options.
 *
 * @module
 */
import { optionalModules } from "../engine/optional-modules.js";
import type { Log } from "../engine/ports.js";
import { invalidOption, WorkflowError } from "../errors/workflow-error.js";
import { retryHint } from "../retry/retry-policy.js";
import { recordError } from "../value/error-record.js";
import { isThenable } from "../value/kind.js";
import { checkOptionNames } from "../value/options.js";

// ---- the resources of one scope: containers form a chain, shortest life first
//
//     call ──► run (overrides) ──► workflow ──► app (overrides)
//
// A resource lives in the container of its scope and is made there once, however many ask at the same time. A resource that needs,
// directly or not, what this run overrides lives in the run instead, so that neither does the run see the shared one nor do others
// see the override. Overrides of a runtime apply to all of its runs.

type Entry = { readonly value: unknown } | Promise<unknown>;

export const noOverrides: readonly ResourceOverride[] = [];

export interface ContainerOptions {
  readonly overrides?: readonly ResourceOverride[];
  readonly holder?: ResourceContainer | null;
}

/** Set as `features.resources` by `resource()`. */
export interface ResourceFeature {
  /** @param parent `null`: the resources of the scope `app` of workflows without a runtime. */
  open(scope: ResourceScope, parent: ResourceContainer | null, options?: ContainerOptions): ResourceContainer;
  check(resources: ResourceMap): void;
}

export class ResourceContainer {
  /** Overrides, its own before those that it inherits. */
  readonly overrides: readonly ResourceOverride[];
  readonly #rank: number;
  readonly #parent: ResourceContainer | null;
  /** Container that holds this scope's resources instead of this one. */
  readonly #holder: ResourceContainer | null;
  #entries: Map<ResourceDefinition, Entry> | null = null;
  /** Disposers in the order in which resources became ready, so that a resource comes after what it needs. */
  #made: (() => unknown)[] = [];

  /** @param overrides Set for a run, or for a runtime. @param holder Container of the run whose state this run shares. */
  constructor(
    scope: ResourceScope,
    parent: ResourceContainer | null = null,
    { overrides = noOverrides, holder = null }: ContainerOptions = {},
  ) {
    this.#holder = holder;
    this.#rank = rankOf[scope];
    this.#parent = parent;
    const inherited = parent?.overrides ?? noOverrides;
    this.overrides = overrides.length === 0 ? inherited : [...overrides, ...inherited];
  }

  /**
   * Resolves the resources; synchronously when all of them are ready.
   *
   * @throws {WorkflowError} `RESOURCE_FAILED` for a circle, or when a factory throws. The next call tries again.
   */
  resolve<Needs extends ResourceMap>(needs: Needs): Resolved<Needs> | Promise<Resolved<Needs>> {
    return this.#resolveAll(checkedEntries(needs)) as Resolved<Needs> | Promise<Resolved<Needs>>;
  }

  /**
   * Waits for resources that are being made, then disposes all, the latest first. Continues after errors: a single
   * error is thrown as it is, several as an `AggregateError`. The container can be used again afterwards.
   */
  async dispose(): Promise<void> {
    if (this.#entries !== null) await Promise.allSettled(this.#entries.values());
    const made = this.#made;
    this.#entries = null;
    this.#made = [];
    const errors: unknown[] = [];
    for (const dispose of made.reverse()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} resources could not be disposed.`);
    if (errors.length > 0) throw errors[0];
  }

  /** Disposes what was made. It is not awaited: an error is logged. */
  close(owner: string, log: Log): void {
    if (this.#entries === null) return;
    this.dispose().catch((error) => log.error(`A resource of ${owner} could not be disposed.`, error));
  }

  #resolveAll(needs: Needed): unknown {
    const values: Record<string, unknown> = {};
    let waiting: (readonly [name: string, entry: Promise<unknown>])[] | null = null;
    for (const [name, resource] of needs) {
      const entry = this.#find(resource);
      if (entry instanceof Promise) (waiting ??= []).push([name, entry]);
      values[name] = entry instanceof Promise ? undefined : entry.value;
    }
    if (waiting === null) return values;
    const put = async ([name, entry]: (typeof waiting)[number]): Promise<void> => {
      values[name] = await entry;
    };
    return Promise.all(waiting.map(put)).then(() => values);
  }

  #find(resource: ResourceDefinition): Entry {
    const override = this.#overrideOf(resource);
    if (override !== undefined) return override;
    const owner = this.#ownerOf(resource);
    const entries = (owner.#entries ??= new Map());
    let entry = entries.get(resource);
    if (entry === undefined) {
      entry = this.#make(resource, owner);
      entries.set(resource, entry);
      // The value replaces its promise, so that the next `resolve` is synchronous; an error is removed, so that the
      // next one tries again.
      if (entry instanceof Promise)
        entry.then(
          (value) => entries.set(resource, { value }),
          () => entries.delete(resource),
        );
    }
    return entry;
  }

  #make(resource: ResourceDefinition, owner: ResourceContainer): Entry {
    const keep = (value: unknown): unknown => owner.#keep(resource, value);
    const fail = (error: unknown): never => {
      throw failed(resource, error);
    };
    try {
      const needs = this.#resolveAll(resource.needs);
      const value = needs instanceof Promise ? needs.then(resource.factory) : resource.factory(needs);
      return isThenable(value) ? Promise.resolve(value).then(keep, fail) : { value: keep(value) };
    } catch (error) {
      return fail(error);
    }
  }

  #keep(resource: ResourceDefinition, value: unknown): unknown {
    const dispose = disposerOf(resource, value);
    if (dispose !== null) this.#made.push(dispose);
    return value;
  }

  #overrideOf(resource: ResourceDefinition): ResourceOverride | undefined {
    return this.overrides.find((override) => (override.resource as unknown) === resource);
  }

  #ownerOf(resource: ResourceDefinition): ResourceContainer {
    const least = Math.min(rankOf[resource.scope], this.#rankOfOverrides(resource));
    let owner: ResourceContainer = this;
    while (owner.#parent !== null && owner.#rank < least) owner = owner.#parent;
    while (owner.#holder !== null) owner = owner.#holder;
    return owner;
  }

  /** Returns the rank of the shortest-lived container among those that hold overrides which the resource needs. */
  #rankOfOverrides(resource: ResourceDefinition): number {
    if (this.overrides.length === 0) return rankOf.app;
    const ranks = resource.needs.map(([, needed]) => {
      const override = this.#overrideOf(needed);
      return override === undefined ? this.#rankOfOverrides(needed) : this.#rankOf(override);
    });
    return Math.min(rankOf.app, ...ranks);
  }

  #rankOf(override: ResourceOverride): number {
    return this.#parent?.overrides.includes(override) === true ? this.#parent.#rankOf(override) : this.#rank;
  }
}

/** Each attempt of a step asks for the same record. */
const checked = new WeakMap<ResourceMap, Needed>();

function checkedEntries(needs: ResourceMap): Needed {
  const known = checked.get(needs);
  if (known !== undefined) return known;
  checkResources(needs);
  const entries = Object.entries(needs) as unknown as Needed;
  checked.set(needs, entries);
  return entries;
}

function disposerOf(resource: ResourceDefinition, value: unknown): (() => unknown) | null {
  const { dispose } = resource;
  if (dispose !== undefined) return () => dispose(value);
  const own = value as { [Symbol.asyncDispose]?: () => unknown; [Symbol.dispose]?: () => unknown } | null | undefined;
  const method = own?.[Symbol.asyncDispose] ?? own?.[Symbol.dispose];
  return typeof method === "function" ? () => method.call(value) : null;
}

/** Keeps the fields of the error that control retries. */
function failed(resource: ResourceDefinition, cause: unknown): WorkflowError {
  if (WorkflowError.is(cause, "RESOURCE_FAILED")) return cause; // the error of a resource that this one needs
  const error = new WorkflowError({
    code: "RESOURCE_FAILED",
    message: `Resource "${resource.name}" could not be made: ${recordError(cause).message}`,
    hint: "See `cause`: the next step that needs it calls the factory again.",
    details: { resource: resource.name },
    cause,
  });
  const { retryable, afterMs } = retryHint(cause);
  if (retryable !== null) error.retryable = retryable;
  if (afterMs !== null) error.retryAfterMs = afterMs;
  return error;
}

/**
 * Declares something that is made when a step first needs it, once per scope, and disposed when the scope ends.
 *
 * @example
 * const database = resource("database", () => openDatabase(), { scope: "app", dispose: (db) => db.close() });
 */
export function resource<Value, Needs extends ResourceMap = {}>(
  name: string,
  factory: (resources: Resolved<Needs>) => Value | Promise<Value>,
  options: ResourceOptions<Value, Needs> = {},
): Resource<Value> {
  checkOptionNames("resource", options);
  optionalModules.resources = feature;
  const { scope = "workflow", dispose } = options;
  const made: ResourceDefinition = {
    name,
    scope,
    dispose: dispose as ResourceDefinition["dispose"],
    factory: factory as ResourceDefinition["factory"],
    get needs() {
      return Object.entries(options.resources ?? {}) as unknown as Needed;
    },
    override: (value) => ({ resource: made as unknown as Resource, value }),
  };
  return made as unknown as Resource<Value>;
}

/** Ranks scopes by lifetime: a longer life has a higher rank. */
const rankOf: Readonly<Record<ResourceScope, number>> = { call: 0, run: 1, workflow: 2, app: 3 };

const checkedResources = new WeakSet<ResourceDefinition>();

/**
 * Checks everything that these resources need, before any factory runs. The check reads declarations, so two steps that
 * make one resource at the same time are not a cycle.
 *
 * @throws {WorkflowError} `RESOURCE_FAILED` for a circle, or `OPTION_INVALID` when a resource needs another with a shorter life.
 */
export function checkResources(resources: ResourceMap): void {
  checkAll(Object.entries(resources) as unknown as Needed, []);
}

function checkAll(needs: Needed, path: readonly ResourceDefinition[]): void {
  const user = path.at(-1);
  for (const [, resource] of needs) {
    if (path.includes(resource)) throw cycle([...path.slice(path.indexOf(resource)), resource]);
    if (user !== undefined && rankOf[resource.scope] < rankOf[user.scope]) throw endsEarlier(user, resource);
    if (checkedResources.has(resource)) continue;
    checkAll(resource.needs, [...path, resource]);
    checkedResources.add(resource);
  }
}

function cycle(path: readonly ResourceDefinition[]): WorkflowError {
  const names = path.map((resource) => resource.name);
  return new WorkflowError({
    code: "RESOURCE_FAILED",
    message: `Resources depend on each other in a circle: ${names.join(" -> ")}.`,
    hint: "Remove one of these dependencies.",
    details: { reason: "cycle", path: names },
  });
}

function endsEarlier(resource: ResourceDefinition, needed: ResourceDefinition): WorkflowError {
  return invalidOption(
    `Resource "${resource.name}" (scope "${resource.scope}") needs "${needed.name}" (scope "${needed.scope}"), which ends before it.`,
    "Shorten the scope of the first, or lengthen that of the second.",
    { resource: resource.name, needs: needed.name },
  );
}

/** The one check of `resources`, for runs and for runtimes. */
export function areOverrides(given: unknown): given is readonly ResourceOverride[] {
  return Array.isArray(given) && given.every((one) => one?.resource?.override);
}

/** Container of the scope `app`, for workflows without a runtime. */
const shared = /* @__PURE__ */ new ResourceContainer("app");

const feature: ResourceFeature = {
  open: (scope, parent, options) => new ResourceContainer(scope, parent ?? shared, options),
  check: checkResources,
};

/**
 * Resources: what steps need but events cannot carry, such as a database or a model client.
 */

/** The property does not exist at runtime. @internal */
export declare const resourceValue: unique symbol;

/** Result of `resource()`. Identified by the object, not by its name. */
export interface Resource<out Value = unknown> {
  readonly name: string;
  readonly [resourceValue]: Value;
  /** Replaces the value in one run: `run(input, { resources: [database.override(fake)] })`. */
  override(value: Value): ResourceOverride;
}

/** Replaces a resource of any scope in one run. The engine does not dispose the value. */
export interface ResourceOverride {
  readonly resource: Resource;
  readonly value: unknown;
}

/** Resources by the names under which a step or a factory gets them. */
export interface ResourceMap {
  readonly [name: string]: Resource;
}

/** Resources of a step, its third argument. */
// `& {}` makes hovers and errors show the members instead of `Resolved<{ … }>`.
export type Resolved<Needs> = { readonly [Name in keyof Needs]: ValueOf<Needs[Name]> } & {};
export type ValueOf<Item> = Item extends Resource<infer Value> ? Value : never;

/**
 * Lifetime of a resource: until the end of the attempt (`call`), of the run or its release (`run`), of the workflow
 * instance (`workflow`, by `workflow[Symbol.asyncDispose]()`), or of the app (`app`, by `runtime.stop()`).
 */
export type ResourceScope = "app" | "workflow" | "run" | "call";

/** Options of `resource()`. */
export interface ResourceOptions<Value, Needs extends ResourceMap> {
  /** Lifetime of the resource. @default "workflow" */
  readonly scope?: ResourceScope;
  /** Other resources that the factory gets, of the same scope or a longer one. A cycle is an error that names it. */
  readonly resources?: Needs;
  /** Disposes the value. @default `Symbol.asyncDispose` or `Symbol.dispose` of the value, if it has one */
  readonly dispose?: (value: Value) => void | Promise<void>;
}

/** @internal */
export type Needed = readonly (readonly [name: string, resource: ResourceDefinition])[];

/** The inner form of a {@link Resource}. @internal */
export interface ResourceDefinition {
  readonly name: string;
  readonly scope: ResourceScope;
  readonly dispose: ((value: unknown) => unknown) | undefined;
  readonly factory: (resources: unknown) => unknown;
  /** Read late, because a getter may name resources that are defined below. */
  readonly needs: Needed;
  override(value: unknown): ResourceOverride;
}
