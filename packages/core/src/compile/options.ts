/**
 * The options of a workflow and their defaults.
 *
 * @module
 */

import type { GraphCheck } from "../authoring/step.types.js";
import type { Log } from "../engine/ports.js";
import type { EventClass } from "../event/event.js";
import type { LimitOptions } from "../limit/limiter.js";
import { consoleLog } from "../system/system.js";
import { type Duration, toMs } from "../value/duration.js";
import { formatValue } from "../value/format-value.js";
import { checkOptionNames } from "../value/known-options.js";
import { assertOption, positiveInteger, wrongOption } from "../value/options.js";
import type { ValueType } from "../value/storable.js";

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
   * What callers of a server may set in the state when they fork a run: the listed top-level fields, or nothing
   * (`false`). A function gets the fields and returns their problems. Does not apply to `runtime.fork` in your own
   * code.
   *
   * @default every field
   */
  readonly forkState?: ForkState;
  /** What it is for, in a sentence: for lists of workflows. @default none */
  readonly description?: string;
  /** Steps that drawings show together. @default none */
  readonly groups?: readonly StepGroup[];
  /** What drawings say of a step besides its name, by that name. @default nothing */
  readonly stepNotes?: Readonly<Record<string, StepNote>>;
  /** What drawings write on an event, by its type. @default the type */
  readonly eventLabels?: Readonly<Record<string, string>>;
}

/** Steps that belong together, such as those of a loop. */
export interface StepGroup {
  /** Unique in its workflow. */
  readonly id: string;
  readonly label: string;
  /** What kind of group, such as `"loop"` or `"parallel"`: for drawings. */
  readonly kind: string;
  /** Id of the group around it; `null` for none. */
  readonly parent: string | null;
  /** Names of the steps that are in it, and in none of the groups inside. */
  readonly steps: readonly string[];
  /** Name of the step that enters the group, where there is one. */
  readonly enteredBy?: string;
  /** The child that the group runs, by its name among the children of the workflow. */
  readonly child?: string;
  /** What runs at the same time in it, or instead of each other. @default none: one after the other */
  readonly branches?: readonly StepBranch[];
}

/** A branch of a group. */
export interface StepBranch {
  /** When it runs, such as `"then"`, `"else"` or `"choice"`: for drawings. */
  readonly role: string;
  /** That of its only step or group. @default none: drawings write the role on it */
  readonly name?: string;
  /** Names of those steps of the group that are in it. */
  readonly steps: readonly string[];
  /** Ids of the groups in it. @default none */
  readonly groups?: readonly string[];
}

export interface StepNote {
  /** @default the name of the step */
  readonly label?: string;
  /** What does the work of the step. */
  readonly executor?: StepExecutor;
  /** Name of the step for which this one works: it asks people, or gathers branches. */
  readonly worksFor?: string;
  /** The function that the author wrote, if the step only calls it: its code is shown for the step. */
  readonly run?: (...values: never[]) => unknown;
}

/** What does the work of a step. */
export interface StepExecutor {
  /** What kind of executor, such as `"function"` or `"agent"`: for drawings. */
  readonly kind: string;
  readonly name: string;
  /** Of a team. */
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
export function resolveOptions(options: WorkflowOptions, className: string): ResolvedWorkflowOptions {
  checkOptionNames("Workflow", options);
  const { timeout, maxConcurrentRuns } = options;
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
    description: textOf(options.description),
    groups: groupsOf(options.groups ?? []),
    stepNotes: options.stepNotes ?? {},
    eventLabels: options.eventLabels ?? {},
  };
}

function groupsOf(groups: readonly StepGroup[]): readonly StepGroup[] {
  assertOption(Array.isArray(groups), "groups", "a list");
  return groups;
}

function textOf(description: unknown): string | null {
  if (description === undefined) return null;
  assertOption(typeof description === "string", "description", "a string");
  return description;
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
