/**
 * Plays a recorded run with the code of today: offline, in virtual time, with the answers of then.
 *
 * @module
 */
import { type ResourceOverride, type Workflow, WorkflowError, type WorkflowEvent } from "millrace";
import { type Rules, valueRule } from "millrace/engine";
import { checkOptions, lifeRules, liveRule } from "../check-options.js";
import { type Ended, TIMEOUT_TURNS } from "../harness/drive.js";
import { alone } from "../harness/harness.js";
import type { RunRecording } from "../harness/run-recording.types.js";
import { describeDifference } from "../proof/describe-value.js";
import { type Difference, differencesOf } from "./differences.js";
import { type Paths, playRecording } from "./play-recording.js";
import { matcherOf, RecordedWorld, type ReplayedCall } from "./recorded-world.js";
import type { RunPath } from "./run-path.js";

export interface ReplayOptions {
  /**
   * Calls of `ctx.run` that are made again, instead of being answered from the recording: keys, labels, or a function.
   *
   * @default none
   */
  readonly live?: readonly string[] | ((call: ReplayedCall) => boolean);
  /** Names of fields of events, results and states that are not compared, at any depth, such as `["at"]`. @default none */
  readonly ignore?: readonly string[];
  /** `true`: differences are returned, and nothing is thrown for them. @default false */
  readonly allowDifferences?: boolean;
  readonly resources?: readonly ResourceOverride[];
  /** As in `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
}

export interface Replay {
  readonly outcome: Ended;
  /** Result of a completed run; otherwise `undefined`. */
  readonly result: unknown;
  /** All streamed events, the last one included. */
  readonly events: readonly WorkflowEvent[];
  /** In the order of the recorded run; empty unless `allowDifferences`. */
  readonly differences: readonly Difference[];
  /** Number of calls that were answered from the recording, and that were made. */
  readonly calls: { readonly recorded: number; readonly live: number };
}

const rules: Rules<ReplayOptions> = {
  live: liveRule,
  ignore: lifeRules.events,
  resources: lifeRules.resources,
  timeoutTurns: lifeRules.timeoutTurns,
  allowDifferences: valueRule((allow) => typeof allow === "boolean", "true or false"),
};

/**
 * Runs a workflow as it ran before, and compares: which steps ran, what they got and emitted, what they called, and the end.
 *
 * Calls of `ctx.run`, those of agents too, are answered from the recording, as are prompts, events from outside and children. All
 * other code runs. Sleeps and timeouts take no time.
 *
 * @param recording What `recordRun` or `millrace test-from` has made.
 * @example
 * await replayRun(new RefundFlow(), JSON.parse(readFileSync("refund-17.run.json", "utf8")));
 * @throws {WorkflowError} `REPLAY_DIVERGED` with the first difference, and all in `details.differences`; `RECORDING_INVALID`;
 * `RUN_STUCK`.
 */
export function replayRun(workflow: Workflow, recording: RunRecording, options: ReplayOptions = {}): Promise<Replay> {
  return alone(() => replay(workflow, recording, options));
}

async function replay(workflow: Workflow, recording: RunRecording, options: ReplayOptions): Promise<Replay> {
  checkOptions("replayRun", options, rules);
  const { live = [], ignore = [], allowDifferences = false, resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const isLive = matcherOf(live);
  const worldOf = (paths: Paths): RecordedWorld => new RecordedWorld({ ...paths, isLive });
  const run = await playRecording({ workflow, recording, ignore, resources, timeoutTurns, worldOf });
  const { recorded, played, world, ending, events } = run;
  const found = differencesOf({ recorded, played, world });
  if (!("outcome" in ending)) throw failureOf(recording, found, "error" in ending ? ending.error : null);
  const { outcome } = ending;
  const differences = [...found, ...continuationsOf(recorded, played)];
  if (differences.length > 0 && !allowDifferences) throw diverged(recording, differences);
  return {
    outcome,
    result: outcome.status === "completed" ? outcome.result : undefined,
    events,
    differences,
    calls: { recorded: world.recordedCalls, live: world.liveCalls },
  };
}

function failureOf(recording: RunRecording, [first]: readonly Difference[], error: unknown): unknown {
  return WorkflowError.is(error, "RUN_STUCK") && first !== undefined ? diverged(recording, [first], error) : error;
}

function continuationsOf(recorded: RunPath, played: RunPath): Difference[] {
  const [expected, actual] = [recorded.describeEnd(), played.describeEnd()];
  if (expected === actual) return [];
  return [{ kind: "end", step: null, text: `The run ended differently:\n${describeDifference(expected, actual)}` }];
}

function diverged({ runId }: RunRecording, differences: readonly Difference[], cause?: unknown): WorkflowError {
  const [first, ...more] = differences.map(({ text }) => text);
  return new WorkflowError({
    code: "REPLAY_DIVERGED",
    message: `The code takes a different path than in the run "${runId}": ${first}${more.length > 0 ? `\n(and ${more.length} more)` : ""}`,
    hint: "If that is meant, record a run of the new code. `ignore` leaves out fields such as times; calls outside of `ctx.run` are not recorded.",
    details: { runId, differences: differences.map((one) => ({ ...one })) },
    ...(cause !== undefined && { cause }),
  });
}
