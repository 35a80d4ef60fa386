/**
 * Plays a recording in a given world, in virtual time, to its end or to where the world stops it.
 *
 * @module
 */
import {
  type ResourceOverride,
  type RunOutcome,
  type Telemetry,
  type Workflow,
  WorkflowError,
  type WorkflowEvent,
  type WorkflowHandler,
} from "millrace";
import { compileWorkflow, decodeTick, type Outcome, type Tick } from "millrace/engine";
import { drive, type Ended } from "../harness/drive.js";
import { removeHarness } from "../harness/harness.js";
import { Recording } from "../harness/recording.js";
import { type Answer, Responder } from "../harness/responder.js";
import type { RunRecording } from "../harness/run-recording.types.js";
import { begin } from "../harness/run-segment.js";
import { virtualClock } from "../harness/virtual-clock.js";
import { RunPath } from "./run-path.js";

/** What answers the calls and prompts of the run that is played. */
export interface PlayedWorld {
  readonly telemetry: Telemetry;
  /** A call is made that takes real time. */
  readonly isCalling?: boolean;
  /** Resolves when the run is not to go on. @default never */
  readonly stopped?: Promise<void>;
  answerTo(prompt: WorkflowEvent, promptId: string): Answer;
}

export interface Paths {
  readonly recorded: RunPath;
  /** The run that is played. */
  readonly played: RunPath;
  /** Its virtual time, in epoch milliseconds. */
  readonly now: () => number;
  /** Whether a timer of the run is due before this time: then it fires first, as it did. */
  readonly isEarly: (atMs: number) => boolean;
}

export interface Playing<World extends PlayedWorld> {
  readonly workflow: Workflow;
  readonly recording: RunRecording;
  readonly ignore: readonly string[];
  readonly resources: readonly ResourceOverride[] | undefined;
  readonly timeoutTurns: number;
  readonly worldOf: (paths: Paths) => World;
}

export interface PlayedRun<World> extends Pick<Paths, "recorded" | "played"> {
  readonly world: World;
  readonly ending: { readonly outcome: Ended } | { readonly error: unknown } | { readonly stopped: true };
  /** All streamed events, the last one included; those before it where the run has not ended. */
  readonly events: readonly WorkflowEvent[];
}

/** Used by one at a time: see `alone`. @throws {WorkflowError} `RECORDING_INVALID` */
export async function playRecording<World extends PlayedWorld>(playing: Playing<World>): Promise<PlayedRun<World>> {
  const { workflow, recording, ignore, resources, timeoutTurns, worldOf } = playing;
  const compiled = compileWorkflow(workflow);
  const hidden = new Set(ignore);
  const recorded = new RunPath(compiled, recording?.runId, { hidden });
  const start = readTicks(recorded, recording);
  const played = new RunPath(compiled, recording.runId, { hidden });
  const clock = virtualClock(start.atMs);
  const isEarly = (atMs: number): boolean => clock.nextAtMs !== null && clock.nextAtMs < atMs;
  const world = worldOf({ recorded, played, now: () => clock.now(), isEarly });
  const responder = new Responder({
    answers: (prompt, promptId) => world.answerTo(prompt, promptId),
    events: [...recorded.events.keys()],
    isEarly: (event) => isEarly(recorded.events.get(event) ?? 0),
  });
  const journal = new Recording({
    onStored: ({ runId, tick }) => {
      played.apply(runId, tick);
      responder.onStored(tick);
    },
  });
  try {
    const { runId } = recording;
    const { telemetry } = world;
    const segment = begin(
      { workflow, clock, recording: journal, seed: null, log: null, telemetry, runId },
      { type: "input", input: start.event, resources },
    );
    const { handler } = segment;
    const streamed = handler.streamEvents().toArray();
    streamed.catch(() => {}); // the error is reported below
    const driven = drive({ ...segment, isCalling: () => world.isCalling === true }, responder, timeoutTurns)
      .catch((error: unknown) => cancelled(handler, recorded.outcome, error))
      .then(
        (outcome) => ({ outcome: outcome as Ended }),
        (error: unknown) => ({ error }),
      );
    const stopped = world.stopped?.then(() => ({ stopped: true }) as const);
    const ending = await Promise.race([driven, ...(stopped === undefined ? [] : [stopped])]);
    if (!("outcome" in ending)) await handler.cancel();
    await driven;
    const events = "outcome" in ending ? (await streamed).map(({ event }) => event) : [];
    return { recorded, played, world, ending, events };
  } finally {
    await removeHarness(workflow);
  }
}

/** The recorded run waited there, too, until somebody cancelled it. */
async function cancelled(handler: WorkflowHandler, recorded: Outcome | null, error: unknown): Promise<RunOutcome> {
  if (recorded?.status !== "cancelled" || !WorkflowError.is(error, "RUN_STUCK")) throw error;
  await handler.cancel(recorded.reason);
  return handler.idle();
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

function invalid(why: string, cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "RECORDING_INVALID",
    message: `The recording cannot be played: ${why}.`,
    hint: "Record the run again with `recordRun` or `millrace test-from`. An event whose schema has changed cannot be read.",
    details: {},
    ...(cause !== null && { cause }),
  });
}
