/**
 * Plays a recorded run with the code of today: offline, in virtual time, with the answers of then.
 *
 * @module
 */
import { type ResourceOverride, type Workflow, WorkflowError, type WorkflowEvent } from "millrace";
import { compileWorkflow, decodeTick, type Rules, type Tick, valueRule } from "millrace/engine";
import { checkOptions, lifeRules } from "../check-options.js";
import { drive, type Ended, TIMEOUT_TURNS } from "../harness/drive.js";
import { alone, removeHarness } from "../harness/harness.js";
import { Recording } from "../harness/recording.js";
import { Responder } from "../harness/responder.js";
import { begin } from "../harness/run-segment.js";
import { virtualClock } from "../harness/virtual-clock.js";
import { describeDifference } from "../proof/describe-value.js";
import { type Difference, differencesOf } from "./differences.js";
import { RecordedWorld, type ReplayedCall } from "./recorded-world.js";
import type { RunRecording } from "./recording-of-run.js";
import { RunPath } from "./run-path.js";

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
  live: valueRule(
    (live) => typeof live === "function" || (Array.isArray(live) && live.every((name) => typeof name === "string")),
    "a list of keys and labels, or a function",
  ),
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
  const isLive =
    typeof live === "function"
      ? live
      : ({ key, label }: ReplayedCall) => live.includes(label ?? key) || live.includes(key);
  const compiled = compileWorkflow(workflow);
  const hidden = new Set(ignore);
  const recorded = new RunPath(compiled, recording?.runId, { hidden });
  const start = readTicks(recorded, recording);
  const played = new RunPath(compiled, recording.runId, { hidden });
  const world = new RecordedWorld({ recorded, played, isLive });
  const responder = new Responder({ answers: (prompt) => world.answerTo(prompt), events: recorded.events });
  const journal = new Recording({
    onStored: ({ runId, tick }) => {
      played.apply(runId, tick);
      responder.onStored(tick);
    },
  });
  try {
    const clock = virtualClock(start.atMs);
    const segment = begin(
      {
        workflow,
        clock,
        recording: journal,
        seed: null,
        log: null,
        telemetry: world.telemetry,
        runId: recording.runId,
      },
      { type: "input", input: start.event, resources },
    );
    const { handler } = segment;
    const streamed = handler.streamEvents().toArray();
    streamed.catch(() => {}); // the error is reported below
    const outcome = (await drive(segment, responder, timeoutTurns).catch(async (error: unknown) => {
      await handler.cancel();
      const [first] = differencesOf({ recorded, played, world });
      throw WorkflowError.is(error, "RUN_STUCK") && first !== undefined ? diverged(recording, [first], error) : error;
    })) as Ended;
    const differences = [...differencesOf({ recorded, played, world }), ...continuationsOf(recorded, played)];
    if (differences.length > 0 && !allowDifferences) throw diverged(recording, differences);
    return {
      outcome,
      result: outcome.status === "completed" ? outcome.result : undefined,
      events: (await streamed).map(({ event }) => event),
      differences,
      calls: { recorded: world.recordedCalls, live: world.liveCalls },
    };
  } finally {
    await removeHarness(workflow);
  }
}

type Started = Extract<Tick, { readonly type: "run.started" }>;

/** @throws {WorkflowError} `RECORDING_INVALID` */
function readTicks(path: RunPath, { format, runId, ticks }: RunRecording): Started {
  if (format !== 1 || typeof runId !== "string" || !Array.isArray(ticks)) throw invalid("its format is not 1", null);
  let start: Tick | null = null;
  for (const [index, { runId: of, tick: json }] of ticks.entries()) {
    try {
      const tick = decodeTick(json, path.runs.get(of).compiled);
      start ??= tick;
      path.apply(of, tick);
    } catch (cause) {
      throw invalid(`its tick ${index + 1}, ${json?.type}, cannot be read`, cause);
    }
  }
  if (start?.type !== "run.started") throw invalid("it does not begin with the start of a run", null);
  return start;
}

function continuationsOf(recorded: RunPath, played: RunPath): Difference[] {
  const textOf = (path: RunPath): string => {
    const { state, compiled } = [...path.runs.all.values()][0] as ReturnType<RunPath["runs"]["get"]>;
    const { outcome, store } = state;
    return path.describe({ outcome, state: store }, compiled);
  };
  const [expected, actual] = [textOf(recorded), textOf(played)];
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

function invalid(why: string, cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "RECORDING_INVALID",
    message: `The recording cannot be played: ${why}.`,
    hint: "Record the run again with `recordRun` or `millrace test-from`. An event whose schema has changed cannot be read.",
    details: {},
    ...(cause !== null && { cause }),
  });
}
