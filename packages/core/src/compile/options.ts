/**
 * The options of a workflow and their defaults, its hidden data, and the classes that it registers.
 *
 * @module
 */

import type { GraphCheck } from "../authoring/step.types.js";
import type { InputIndex, Middleware, Workflow } from "../authoring/workflow.types.js";
import type { Log } from "../engine/ports.js";
import { invalidOption, isOfSecondCopy, ofSecondCopy, secondCopyHint } from "../errors/workflow-error.js";
import { type EventClass, isEventClass } from "../event/event.js";
import { EventRegistry, storableTypes } from "../event/event-codec.js";
import type { ObjectSchema } from "../event/schema.js";
import type { Finding } from "../graph/validate.js";
import { Inspector } from "../inspect/inspector.js";
import type { LimitOptions } from "../limit/limiter.js";
import { consoleLog } from "../system/system.js";
import { type Duration, toMs } from "../value/duration.js";
import { formatValue } from "../value/kind.js";
import { describeExcess, warnNear } from "../value/limits.js";
import { assertOption, checkOptionNames, positiveInteger, wrongOption } from "../value/options.js";
import type { ValueType } from "../value/storable.js";
import { checkDecorated } from "./check-steps.js";
import type { DeclaredStep } from "./registration.js";

/** Options of a workflow instance. */
export interface WorkflowOptions {
  /**
   * Name of the workflow in snapshots, traces and logs. A minifier renames classes: when snapshots outlive a build, set
   * this, or `static override readonly name = "JokeFlow"` on the class.
   *
   * @default the name of the class
   */
  readonly name?: string;
  /** Limit of a run's active time, in which work is running or ready, summed over resumes. @default none */
  readonly timeout?: Duration;
  /**
   * Maximum number of active runs of this instance, with work running or ready; other runs queue. Integer, at least 1.
   * @default no limit
   */
  readonly maxConcurrentRuns?: number;
  /** Limits over all runs, for `@step({ limit })`: `{ openai: { concurrent: 8, perMinute: 500 } }`. */
  readonly limits?: Readonly<Record<string, LimitOptions>>;
  /** Classes whose instances may be in events, results and state, besides those in the class's `static types`. */
  readonly types?: readonly ValueType[];
  /** Events that only occur inside of other events, results and state, besides those in `static events`. */
  readonly events?: readonly EventClass[];
  /** Logs a line for every inspection event. @default false */
  readonly verbose?: boolean;
  /** Receives errors that are not awaited. @default the console */
  readonly log?: Log;
  /** Graph checks to skip for all steps. */
  readonly skipChecks?: readonly GraphCheck[];
  /** Number of events that the stream of a run keeps for late readers. Integer, at least 1. @default 10_000 */
  readonly streamBuffer?: number;
  /** How long an edit of the state that uses `ctx.store` inside of itself may block other writers. @default "10s" */
  readonly lockTimeout?: Duration;
  /** Number of events from outside that a run keeps until a step waits for them. Integer, at least 1. @default 1000 */
  readonly inboxSize?: number;
  /**
   * Fields of the state that callers of a server may set when they fork a run: a list of top-level fields, or none (`false`).
   * A function gets the fields and returns their problems. Does not apply to `runtime.fork` in your own code.
   *
   * @default every field
   */
  readonly forkState?: ForkState;
  /** Purpose in a sentence, for lists of workflows. @default none */
  readonly description?: string;
  /** Steps that drawings show together. @default none */
  readonly groups?: readonly StepGroup[];
  /** Notes that drawings show of a step besides its name, by that name. @default none */
  readonly stepNotes?: Readonly<Record<string, StepNote>>;
  /** Labels that drawings write on an event, by its type. @default the type */
  readonly eventLabels?: Readonly<Record<string, string>>;
}

/** Steps that belong together, such as those of a loop. */
export interface StepGroup {
  /** Unique in its workflow. */
  readonly id: string;
  readonly label: string;
  /** Kind of group, such as `"loop"` or `"parallel"`, for drawings. */
  readonly kind: string;
  /** Id of the group around it; `null` for none. */
  readonly parent: string | null;
  /** Names of the steps that are in it, and in none of the groups inside. */
  readonly steps: readonly string[];
  /** Name of the step that enters the group, where there is one. */
  readonly enteredBy?: string;
  /** The child that the group runs, by its name among the children of the workflow. */
  readonly child?: string;
  /** Branches that run at the same time, or instead of each other. @default none: its parts run one after the other */
  readonly branches?: readonly StepBranch[];
}

/** A branch of a group. */
export interface StepBranch {
  /** Role in its group, such as `"then"`, `"else"` or `"choice"`, for drawings. */
  readonly role: string;
  /** Label of its only step or group. @default none: drawings write the role on it */
  readonly name?: string;
  /** Names of those steps of the group that are in it. */
  readonly steps: readonly string[];
  /** Ids of the groups in it. @default none */
  readonly groups?: readonly string[];
}

export interface StepNote {
  /** @default the name of the step */
  readonly label?: string;
  /** Executor of the step's work. */
  readonly executor?: StepExecutor;
  /** Name of the step for which this one works: it asks people, or gathers branches. */
  readonly worksFor?: string;
  /** The function that the author wrote, if the step only calls it: its code is shown for the step. */
  readonly run?: (...values: never[]) => unknown;
}

/** The function, agent or other part that does the work of a step. */
export interface StepExecutor {
  /** Kind of executor, such as `"function"` or `"agent"`, for drawings. */
  readonly kind: string;
  readonly name: string;
  /** Executors of a team. */
  readonly members?: readonly StepExecutor[];
}

export type ForkState = false | readonly string[] | ((fields: Readonly<Record<string, unknown>>) => readonly string[]);

/** Options whose resolved form is another one. */
type OwnForm = "timeout" | "maxConcurrentRuns" | "lockTimeout" | "forkState" | "description";

export interface ResolvedWorkflowOptions extends Required<Omit<WorkflowOptions, OwnForm>> {
  readonly timeoutMs: number | null;
  readonly maxConcurrentRuns: number | null;
  readonly lockTimeoutMs: number;
  /** `undefined` for every field. */
  readonly forkState: ForkState | undefined;
  readonly description: string | null;
}

/**
 * @param className The default name.
 * @throws {WorkflowError} `OPTION_INVALID`, naming the option.
 */
function resolveOptions(options: WorkflowOptions, className: string): ResolvedWorkflowOptions {
  checkOptionNames("Workflow", options);
  const { timeout, maxConcurrentRuns, description = null, groups = [] } = options;
  assertOption(description === null || typeof description === "string", "description", "a string");
  assertOption(Array.isArray(groups), "groups", "a list");
  return {
    name: nonEmpty(options.name ?? (className || "Workflow")),
    timeoutMs: timeout === undefined ? null : toMs(timeout, "timeout"),
    maxConcurrentRuns: maxConcurrentRuns === undefined ? null : positiveInteger(maxConcurrentRuns, "maxConcurrentRuns"),
    limits: options.limits ?? {},
    types: options.types ?? [],
    events: options.events ?? [],
    verbose: options.verbose ?? false,
    log: options.log ?? consoleLog,
    skipChecks: options.skipChecks ?? [],
    streamBuffer: positiveInteger(options.streamBuffer ?? 10_000, "streamBuffer"),
    lockTimeoutMs: toMs(options.lockTimeout ?? 10_000, "lockTimeout"),
    inboxSize: positiveInteger(options.inboxSize ?? 1_000, "inboxSize"),
    forkState: options.forkState,
    description,
    groups,
    stepNotes: options.stepNotes ?? {},
    eventLabels: options.eventLabels ?? {},
  };
}

function nonEmpty(name: string): string {
  if (typeof name === "string" && name !== "") return name;
  const what = `is ${formatValue(name)}; a workflow needs a name`;
  throw wrongOption("name", what, "Use a text that stays the same from build to build.");
}

/** Versions of a workflow's state. */
export interface StateVersion {
  /** Integer, at least 1. */
  readonly version: number;
  migrate(state: Record<string, unknown>, from: number): object;
}

// ---- hidden data of a workflow instance: not members, because names of members cannot be names of steps

/** A child: a class, whose instance is created when it is first needed, or a built workflow. */
export type ChildSource = (new () => Workflow) | Workflow;

export interface WorkflowInternals {
  readonly options: ResolvedWorkflowOptions;
  readonly inspector: Inspector;
  readonly middleware: Middleware[];
  /** Parts from `defineWorkflow`; `null` for a class. */
  readonly built: BuiltParts | null;
}

export interface BuiltParts extends RegisteredTypes, StateVersion {
  readonly steps: readonly DeclaredStep[];
  readonly state: ObjectSchema | null;
  /** Functions that compute the indexed values of an input (`static index`). */
  readonly index: InputIndex;
  readonly children: Readonly<Record<string, ChildSource>>;
}

/** Key of the schema on the class that `withState` returns. */
export const stateSchemaKey: unique symbol = Symbol.for("millrace.state") as never;

const internals = new WeakMap<object, WorkflowInternals>();

export function openInternals(workflow: object, owner: { readonly name: string }, options: WorkflowOptions): void {
  const resolved = resolveOptions(options, owner.name);
  checkDecorated(owner, resolved.name);
  internals.set(workflow, { options: resolved, inspector: new Inspector(resolved.log), middleware: [], built: null });
}

/** Makes an instance of `Workflow` itself the workflow with these parts. */
export function setBuiltParts(workflow: object, built: BuiltParts): void {
  internals.set(workflow, { ...internalsOf(workflow), built });
}

/** @throws {WorkflowError} `OPTION_INVALID` for a value that is not a workflow. */
export function internalsOf(workflow: object): WorkflowInternals {
  const known = internals.get(workflow);
  if (known) return known;
  const isSecond = isOfSecondCopy(workflow);
  throw invalidOption(
    isSecond ? `This is a workflow ${ofSecondCopy}.` : "This is not a workflow.",
    isSecond
      ? secondCopyHint
      : "Pass an instance of a class that extends `Workflow`, or the result of `defineWorkflow(…).build()`.",
  );
}

// ---- events and classes that a workflow registers, because they only occur inside other values

/** Static members of a class, or options of `defineWorkflow`. */
export interface RegisteredTypes {
  readonly events?: readonly EventClass[];
  readonly types?: readonly ValueType[];
}

/** Merges the types of the class with those in the options of the instance. */
export function registeredTypes(
  { events = [], types = [] }: RegisteredTypes,
  options: ResolvedWorkflowOptions,
): Required<RegisteredTypes> {
  return {
    events: [...new Set([events, options.events].flat())],
    types: [...new Set([types, options.types].flat())],
  };
}

export function checkRegistered({ events, types }: Required<RegisteredTypes>): Finding[] {
  const findings: Finding[] = [];
  for (const given of events as readonly unknown[]) {
    if (isEventClass(given)) continue;
    const message = `The workflow has ${typeof given === "function" ? given.name || "a function" : typeof given} among its \`events\`, which is not an event class.`;
    findings.push({ check: "option", message, hint: "List classes of events; other classes go into `types`." });
  }
  const names = types.map((type) => String(type?.name));
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index && !name.startsWith("@")) continue;
    const why = name.startsWith("@") ? "which is a name of the engine's own" : "and another of that name";
    findings.push({
      check: "option",
      message: `The workflow registers the type "${name}", ${why}.`,
      hint: "Name each type differently: stored values contain the name.",
    });
  }
  return findings;
}

/** @throws {WorkflowError} `WORKFLOW_INVALID` when two classes have the same type. */
export function createRegistry(
  named: readonly EventClass[],
  { events, types }: Required<RegisteredTypes>,
  { name, log }: ResolvedWorkflowOptions,
): EventRegistry {
  const registry = new EventRegistry([...named, ...events], types);
  warnNear(storableTypes(registry), (path, excess) =>
    log.info(
      `A value of "${name}" is near its limit: ${path} has ${describeExcess(excess).replace(", more than the", " of the")}. Larger values are refused; this warning appears once.`,
    ),
  );
  return registry;
}
