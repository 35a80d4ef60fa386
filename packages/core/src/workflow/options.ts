/**
 * The options of a workflow, and what they are when nobody sets them.
 *
 * @module
 */
import type { Log } from "../engine/ports.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass } from "../event/event.js";
import type { GraphCheck } from "../graph/validate.js";
import type { LimitOptions } from "../limit/limiter.js";
import { positiveInteger } from "../limit/positive-integer.js";
import { type Duration, toMs } from "../value/duration.js";
import { checkOptions } from "../value/known-options.js";
import type { ValueType } from "../value/plain.js";

export interface WorkflowOptions {
  /**
   * What snapshots, traces and logs call it. A minifier renames classes: where snapshots outlive a build, set this,
   * or `static override readonly name = "JokeFlow"` on the class.
   *
   * @default the name of the class
   */
  readonly name?: string;
  /** Time with work running or ready, per run, summed over resumes. @default none */
  readonly timeout?: Duration;
  /** Runs of this instance with work running or ready; others queue. Integer, at least 1. @default no limit */
  readonly maxConcurrentRuns?: number;
  /** Limits over all runs, for `@step({ limit })`: `{ openai: { concurrent: 8, perMinute: 500 } }`. */
  readonly limits?: Readonly<Record<string, LimitOptions>>;
  /** Classes whose instances may be in events, results and state, besides those that the class lists in `static types`. */
  readonly types?: readonly ValueType[];
  /** Events that only occur inside other events, results and state, besides those in `static events`. */
  readonly events?: readonly EventClass[];
  /** Logs a line for everything that happens. @default false */
  readonly verbose?: boolean;
  /** Where it says what nobody awaits. @default the console */
  readonly log?: Log;
  /** Graph checks that no step need pass. */
  readonly skipChecks?: readonly GraphCheck[];
  /** How many events the stream of a run keeps for late readers. Integer, at least 1. @default 10_000 */
  readonly streamBuffer?: number;
  /** How long an edit of the state may keep other writers waiting when it used the store inside itself. @default "10s" */
  readonly lockTimeout?: Duration;
  /** How many events from outside a run keeps until a step waits for them. Integer, at least 1. @default 1000 */
  readonly inboxSize?: number;
  /**
   * What callers of a server may set of the state when they fork a run: the top-level fields named, or nothing (`false`). A
   * function is given the fields, and gives what is wrong with them. `runtime.fork` in code of your own is not asked.
   *
   * @default every field
   */
  readonly forkState?: ForkState;
}

export type ForkState = false | readonly string[] | ((fields: Readonly<Record<string, unknown>>) => readonly string[]);

export interface ResolvedWorkflowOptions {
  readonly name: string;
  readonly timeoutMs: number | null;
  readonly maxConcurrentRuns: number | null;
  readonly limits: Readonly<Record<string, LimitOptions>>;
  readonly types: readonly ValueType[];
  readonly events: readonly EventClass[];
  readonly verbose: boolean;
  readonly log: Log;
  readonly skipChecks: readonly GraphCheck[];
  readonly streamBuffer: number;
  readonly lockTimeoutMs: number;
  readonly inboxSize: number;
  /** Undefined: every field. */
  readonly forkState: ForkState | undefined;
}

/** What the class gives where the options do not. */
export interface OptionDefaults {
  readonly className: string;
  readonly log: Log;
}

/** @throws {WorkflowError} `OPTION_INVALID` or `DURATION_INVALID`, naming the option. */
export function resolveOptions(options: WorkflowOptions, defaults: OptionDefaults): ResolvedWorkflowOptions {
  checkOptions("Workflow", options);
  const { timeout, maxConcurrentRuns } = options;
  return {
    name: nonEmpty(options.name ?? (defaults.className || "Workflow")),
    timeoutMs: timeout === undefined ? null : toMs(timeout, "timeout"),
    maxConcurrentRuns: maxConcurrentRuns === undefined ? null : positiveInteger(maxConcurrentRuns, "maxConcurrentRuns"),
    limits: options.limits ?? {},
    types: options.types ?? [],
    events: options.events ?? [],
    verbose: options.verbose ?? false,
    log: options.log ?? defaults.log,
    skipChecks: options.skipChecks ?? [],
    streamBuffer: positiveInteger(options.streamBuffer ?? 10_000, "streamBuffer"),
    lockTimeoutMs: toMs(options.lockTimeout ?? 10_000, "lockTimeout"),
    inboxSize: positiveInteger(options.inboxSize ?? 1_000, "inboxSize"),
    forkState: options.forkState,
  };
}

function nonEmpty(name: string): string {
  if (typeof name === "string" && name !== "") return name;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`name\` is ${JSON.stringify(name)}; a workflow needs a name.`,
    hint: "Give text that stays the same from build to build.",
    details: { option: "name" },
  });
}

/** What a workflow says about the versions of its state. */
export interface StateVersion {
  /** From 1. */
  readonly version: number;
  migrate(state: Record<string, unknown>, from: number): object;
}
