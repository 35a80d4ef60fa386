/**
 * Compiles a workflow instance to what the engine runs: the routing table as data, and the functions behind it.
 *
 * Runs once per instance, on first use; the function of each step is looked up here and never again.
 *
 * @module
 */

import type { AnyStepOptions } from "../authoring/step.types.js";
import type { Middleware, Workflow } from "../authoring/workflow.types.js";
import type { Definition, FanOut, StepDefinition, TriggerDefinition } from "../engine/definition.js";
import { optionalModules, type TriggersFeature } from "../engine/optional-modules.js";
import { acceptedTypes } from "../engine/routing.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type EventClass, eventTypeOf, isSubclass, roleOf } from "../event/event.js";
import { type EventRegistry, storableTypes } from "../event/event-codec.js";
import type { ObjectSchema } from "../event/schema.js";
import { type Finding, findGraphProblems } from "../graph/validate.js";
import type { Inspector } from "../inspect/inspector.js";
import type { ResourceMap } from "../resource/resource.js";
import type { RetryPolicy } from "../retry/retry-policy.js";
import { createStateSchema, refuseUnstorable, root, type StateSchema } from "../state/state-schema.js";
import { copyValue } from "../value/copy.js";
import { toMs } from "../value/duration.js";
import { freezeState } from "../value/freeze.js";
import { formatValue } from "../value/kind.js";
import { suggest } from "../value/option-rules.js";
import { isStoredForm, type ValueType } from "../value/storable.js";
import { isVersion, runMigration } from "../value/version.js";
import { checkSteps, isOfOptions, refuse, unknownChecks, versionHint } from "./check-steps.js";
import {
  type ChildSource,
  checkRegistered,
  createRegistry,
  internalsOf,
  type RegisteredTypes,
  type ResolvedWorkflowOptions,
  registeredTypes,
  type StateVersion,
  stateSchemaKey,
  type WorkflowInternals,
} from "./options.js";
import {
  type DeclaredStep,
  declaredSteps,
  emissionsOf,
  emittedClasses,
  isCollect,
  isJoin,
  listOf,
  namedClasses,
} from "./registration.js";

export interface CompiledWorkflow {
  readonly name: string;
  readonly instance: Workflow;
  readonly definition: Definition;
  readonly registry: EventRegistry;
  readonly steps: ReadonlyMap<string, CompiledStep>;
  /** Start events with declared fields first, in the order of the steps; a plain `StartEvent` last. */
  readonly startClasses: readonly EventClass[];
  readonly state: StateSchema | null;
  readonly stateVersion: StateVersion;
  readonly children: ReadonlyMap<string, ChildSource>;
  readonly options: ResolvedWorkflowOptions;
  /** Value types that the workflow registers, but for forms that only its stored values have. */
  readonly types: readonly ValueType[];
  /** Types that its values may contain: the registered ones, and its events. */
  readonly values: readonly ValueType[];
  /** Live list: `use` adds to it. */
  readonly middleware: readonly Middleware[];
  readonly inspector: Inspector;
}

export interface CompiledStep {
  readonly definition: StepDefinition;
  /** Function of the step, bound to the instance. */
  readonly call: StepCallable;
  /** Classes of the events that it may return, yield or send, without their subclasses. */
  readonly emits: ReadonlySet<EventClass>;
  /** Classes that it may return alone. */
  readonly alone: ReadonlySet<EventClass>;
  /** Classes that it may return in an array, or yield; `null` when it does not fan out. */
  readonly elements: ReadonlySet<EventClass> | null;
  /** Classes that it may wait for; with `subclasses`, their subclasses, too. */
  readonly waits: ReadonlySet<EventClass>;
  /** Classes that it may show to readers of the stream. */
  readonly streams: ReadonlySet<EventClass>;
  readonly subclasses: boolean;
  readonly retry: RetryPolicy | null;
  readonly timeoutMs: number | null;
  readonly resources: ResourceMap | null;
  readonly limit: string | null;
}

export type StepCallable = (event: unknown, ctx: unknown, resources: unknown) => unknown;

const compiled = new WeakMap<object, CompiledWorkflow>();

/**
 * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem, `STATE_INVALID` when a field of the state has no
 * default, `OPTION_INVALID` for a value that is not a workflow.
 */
export function compileWorkflow(workflow: object): CompiledWorkflow {
  const known = compiled.get(workflow);
  if (known) return known;
  const made = compile(workflow as Workflow, internalsOf(workflow));
  compiled.set(workflow, made);
  return made;
}

/** The compiled workflow; `null` when it was not used yet. */
export function compiledOf(workflow: object): CompiledWorkflow | null {
  return compiled.get(workflow) ?? null;
}

/**
 * Checks the graph, like the first run does. Use it in tests, and to fail at the start of an app.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem.
 */
export function validateWorkflow(workflow: Workflow): void {
  compileWorkflow(workflow);
}

function compile(instance: Workflow, internals: WorkflowInternals): CompiledWorkflow {
  const { options, built, middleware, inspector } = internals;
  const declared = built?.steps ?? declaredSteps(instance);
  const statics = instance.constructor as unknown as Statics;
  const children = new Map(Object.entries((built ?? statics).children ?? {}));
  const stateVersion: StateVersion = built ?? statics;
  const registered = registeredTypes(built ?? statics, options);
  const wrongTypes = checkRegistered(registered);
  if (wrongTypes.length > 0) refuse(options.name, [...checkSteps(declared), ...wrongTypes]);
  const findings = [
    ...checkSteps(declared),
    ...checkOptions(declared, options),
    ...checkChildren(children),
    ...checkStateVersion(stateVersion),
  ];
  // Invalid events or names leave no graph to check.
  if (!findings.every(isOfOptions)) refuse(options.name, findings);

  const registry = createRegistry(declared.flatMap(namedClasses), registered, options);
  const values = storableTypes(registry);
  const classes = registry.types().map((type) => registry.get(type) as EventClass);
  const plain: Definition = {
    workflow: options.name,
    steps: declared.map((step) => defineStep(step, classes)),
    roles: Object.fromEntries(classes.map((eventClass) => [eventTypeOf(eventClass), roleOf(eventClass)])),
    inboxSize: options.inboxSize,
  };
  const definition = optionalModules.fanOutChecks?.complete(plain) ?? plain;
  refuse(options.name, [...findings, ...graphProblems(definition, declared, options)]);

  return {
    name: options.name,
    instance,
    definition,
    registry,
    children,
    options,
    middleware,
    inspector,
    steps: new Map(
      declared.map((step, index) => [
        step.name,
        compileStep(step, { instance, classes, definition: definition.steps[index] as StepDefinition }),
      ]),
    ),
    startClasses: startClasses(definition, registry),
    state: stateSchema(built ? built.state : (statics[stateSchemaKey] ?? null), values),
    stateVersion,
    types: registered.types.filter((type) => !isStoredForm(type)),
    values,
  };
}

function graphProblems(
  definition: Definition,
  declared: readonly DeclaredStep[],
  options: ResolvedWorkflowOptions,
): Finding[] {
  const settings = declared.map(({ name, registration }) => ({
    ...(registration.options as AnyStepOptions),
    step: name,
  }));
  return findGraphProblems(definition, {
    workflow: options.skipChecks,
    steps: new Map(settings.map(({ step, skipChecks = [] }) => [step, skipChecks])),
    subclasses: new Set(settings.filter(({ subclasses }) => subclasses).map(({ step }) => step)),
  });
}

function checkOptions(declared: readonly DeclaredStep[], { limits, skipChecks }: ResolvedWorkflowOptions): Finding[] {
  const findings: Finding[] = [];
  for (const { name, registration } of declared) {
    const { limit } = registration.options as AnyStepOptions;
    if (limit === undefined || Object.hasOwn(limits, limit)) continue;
    const message = `Step "${name}" has the limit ${formatValue(limit)}, which the workflow does not define.`;
    const hint = `Add it to the workflow's \`limits\`.${suggest(limit, Object.keys(limits))}`;
    findings.push({ check: "option", step: name, message, hint });
  }
  for (const { what, hint } of unknownChecks(skipChecks))
    findings.push({ check: "option", message: `The workflow ${what}.`, hint });
  return findings;
}

function checkChildren(children: ReadonlyMap<string, ChildSource>): Finding[] {
  const wrong = [...children].filter(([, child]) => typeof child !== "function" && typeof child !== "object");
  return wrong.map(([name]) => ({
    check: "option",
    message: `The child "${name}" is not a workflow.`,
    hint: "Pass a class that extends `Workflow`, or a built workflow; `undefined` there usually comes from a circular import.",
  }));
}

function checkStateVersion({ version, migrate }: StateVersion): Finding[] {
  const findings: Finding[] = [];
  if (!isVersion(version)) {
    const message = `The workflow has \`version: ${formatValue(version)}\`.`;
    findings.push({ check: "option", message, hint: versionHint });
  }
  if (typeof migrate !== "function") {
    const message = "The workflow has a `migrate` that is not a function.";
    findings.push({ check: "option", message, hint: "Pass `(state, from) => state`." });
  }
  return findings;
}

function defineStep(declared: DeclaredStep, classes: readonly EventClass[]): StepDefinition {
  const { kind, options } = declared.registration;
  return {
    name: declared.name,
    trigger: triggerOf(declared, (named) => typesOf(withSubclasses(named, declared, classes))),
    workers: kind === "failure" ? 1 : (options.workers ?? 4),
    emits: typesOf(emittedClasses(options.emits)),
    fanOut: fanOutOf(options.emits),
    waits: typesOf(withSubclasses(listOf(options.waits), declared, classes)),
    streams: typesOf(listOf(options.streams)),
  };
}

function fanOutOf(emits: AnyStepOptions["emits"]): FanOut | null {
  const { alone, elements } = emissionsOf(emits);
  if (elements.length === 0) return null;
  return { elements: typesOf(elements), alone: typesOf(alone), collects: [], joins: [] };
}

/** The classes; if the step accepts subclasses, with all their subclasses in the workflow. */
function withSubclasses(
  named: readonly EventClass[],
  { registration }: DeclaredStep,
  classes: readonly EventClass[],
): readonly EventClass[] {
  const { subclasses } = registration.options as AnyStepOptions;
  return subclasses ? classes.filter((sub) => named.some((base) => isSubclass(sub, base))) : named;
}

interface StepPlace {
  readonly instance: Workflow;
  readonly classes: readonly EventClass[];
  readonly definition: StepDefinition;
}

function compileStep(declared: DeclaredStep, { instance, classes, definition }: StepPlace): CompiledStep {
  const options = declared.registration.options as AnyStepOptions;
  const { timeout } = options;
  const { alone, elements } = emissionsOf(options.emits);
  const emits = new Set([...alone, ...elements]);
  return {
    definition,
    call: callableOf(declared, instance),
    emits,
    alone: elements.length === 0 ? emits : new Set(alone),
    elements: elements.length === 0 ? null : new Set(elements),
    waits: new Set(withSubclasses(listOf(options.waits), declared, classes)),
    streams: new Set(listOf(options.streams)),
    subclasses: options.subclasses ?? false,
    retry: options.retry ?? null,
    timeoutMs: timeout === undefined ? null : toMs(timeout, "timeout"),
    resources: options.resources ?? null,
    limit: options.limit ?? null,
  };
}

function triggerOf(
  { registration }: DeclaredStep,
  typesIn: (named: readonly EventClass[]) => string[],
): TriggerDefinition {
  if (registration.kind === "failure") {
    const { steps, maxRecoveries = 1 } = registration.options;
    return { kind: "failure", steps: steps == null ? null : [steps].flat(), maxRecoveries };
  }
  const { on } = registration.options;
  // The call that has made it has registered this.
  if (isCollect(on) || isJoin(on)) return (optionalModules.triggers as TriggersFeature).define(on, typesIn);
  return { kind: "event", accepts: typesIn(listOf(on as EventClass)) };
}

function callableOf({ run, key }: DeclaredStep, instance: Workflow): StepCallable {
  return run ?? ((instance as unknown as Record<string, StepCallable>)[key] as StepCallable).bind(instance);
}

function typesOf(classes: readonly EventClass[]): string[] {
  return [...new Set(classes.map(eventTypeOf))];
}

function startClasses({ steps }: Definition, registry: EventRegistry): EventClass[] {
  const starts = [...new Set(steps.flatMap(acceptedTypes))]
    .map((type) => registry.get(type) as EventClass)
    .filter((start) => roleOf(start) === "start");
  const isPlain = (start: EventClass): number => Number(eventTypeOf(start) === "StartEvent");
  return starts.sort((left, right) => isPlain(left) - isPlain(right));
}

/** Static members of the class, those of bases included. */
interface Statics extends StateVersion, RegisteredTypes {
  readonly children?: Readonly<Record<string, ChildSource>>;
  readonly [stateSchemaKey]?: ObjectSchema;
}

/** @throws {WorkflowError} `STATE_INVALID` when a field has no default, because a run starts without a state. */
function stateSchema(schema: ObjectSchema | null, types: readonly ValueType[]): StateSchema | null {
  if (schema === null) return null;
  const made = createStateSchema(schema, types);
  made.initial();
  return made;
}

// ---- versions of a workflow's state: migrates what an older version of the class has stored
// Recorded changes fit the state of their time. So the state is migrated as a whole, after it is rebuilt: when a snapshot is
// loaded, or after a replay.

/**
 * Migrates a state to the present version and checks it with the state schema, which adds defaults of missing fields.
 * Returns it frozen.
 *
 * @param from Version that has stored the state; 1 when nothing was stored.
 * @throws {WorkflowError} `SNAPSHOT_NEWER`, `STATE_INVALID`, `VALUE_UNSERIALIZABLE`, `STATE_SCHEMA_CONVERTS`.
 */
export function migrateState(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const state = toCurrent(compiled, store, from);
  return compiled.state === null ? state : freezeState(compiled.state.checkAll(state));
}

/** Migrates like {@link migrateState}, without the schema. */
export function toCurrent(compiled: CompiledWorkflow, store: unknown, from: number): unknown {
  const { name, values: types, stateVersion } = compiled;
  const { version } = stateVersion;
  if (from === version) return store;
  const details = { workflow: name, version: from, known: version };
  if (!isVersion(from) || from > version) {
    throw new WorkflowError({
      code: "SNAPSHOT_NEWER",
      message: `The state of "${name}" has version ${from}; the workflow here has version ${version}.`,
      hint: "While a deployment is under way, use a process with the newer code; otherwise deploy it here.",
      details,
    });
  }
  const migrated = runMigration(
    () => stateVersion.migrate(copyValue(store, types) as Record<string, unknown>, from),
    (why, cause) =>
      new WorkflowError({
        code: "STATE_INVALID",
        message: `\`migrate\` of "${name}" could not migrate its state from version ${from} to ${version}: ${why}.`,
        hint: `Let it return an object with the fields of version ${version}.`,
        details,
        cause,
      }),
  );
  refuseUnstorable(migrated, root, types);
  return freezeState(migrated);
}
