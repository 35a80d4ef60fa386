/**
 * Runs one step alone: its input is given, and no other step gets its output.
 *
 * Uses the real engine: a snapshot says that the run is about to begin this one step, and the run is dropped when the
 * step has ended.
 *
 * @module
 */
import {
  type Middleware,
  type ResourceOverride,
  type StateOf,
  type StepOutput,
  type Workflow,
  WorkflowError,
  type WorkflowEvent,
} from "millrace";
import { compileWorkflow, type EventData, object, type Rules } from "millrace/engine";
import { checkOptions, clockRule, lifeRules } from "../check-options.js";
import { drive, type Ended, TIMEOUT_TURNS } from "../harness/drive.js";
import { alone, removeHarness } from "../harness/harness.js";
import { Recording, type StoredTick } from "../harness/recording.js";
import { type OutsideOptions, Responder } from "../harness/responder.js";
import { begin, RUN_ID } from "../harness/run-segment.js";
import { type VirtualClock, virtualClock } from "../harness/virtual-clock.js";
import { LONE_ITEM, snapshotBefore } from "./lone-step.js";
import type { StateBefore, StepEvents, StepNameOf, StepPayload } from "./step-names.types.js";

/** Options of `runStep`. */
export interface RunStepOptions<State = unknown> extends OutsideOptions {
  /** Fields of the state before the step. @default the initial state */
  readonly state?: State;
  /** Replacements of resources: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** @default a new clock */
  readonly clock?: VirtualClock;
  /** Like the option of `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
}

/** Result of `runStep`. */
export interface StepRun<Output extends WorkflowEvent = WorkflowEvent, State = unknown> {
  /** Events that the step returned or yielded; a batch counts as several. */
  readonly output: readonly Output[];
  /** Events that the step sent with `ctx.sendEvent`. A failed step has sent nothing since its last wait. */
  readonly sent: readonly WorkflowEvent[];
  /** Events that the step streamed: `ctx.writeEventToStream`, the prompts of its waits, and the streams of its children. */
  readonly streamed: readonly WorkflowEvent[];
  readonly state: State;
  /** What the step threw, or the problem of its output; `undefined` when it succeeded. Nothing is retried. */
  readonly error: unknown;
}

/**
 * Runs one attempt of one step under virtual time. Its events start no other step; children that it runs do run.
 *
 * @example
 * const { output, state } = await runStep(new Digest(), "read", new FileFound({ file: "a.md" }), { state: { files: 1 }
 * });
 * @throws {WorkflowError} `STEP_UNKNOWN`, `EVENT_NOT_ACCEPTED` when the step does not accept the event,
 * `STATE_INVALID`, `RUN_STUCK` when the step waits for an event that never comes. An error of the step is `error` in
 * the result.
 */
export function runStep<Flow extends Workflow, const Name extends StepNameOf<Flow>>(
  workflow: Flow,
  name: Name,
  ...[event, options = {}]: [event: StepPayload<Flow, Name>, options?: RunStepOptions<StateBefore<Flow>>]
): Promise<StepRun<StepEvents<Flow, Name>, StateOf<Flow>>> {
  return alone(() => run(workflow, { name, event }, options)) as never;
}

const known: Rules<RunStepOptions> = { ...lifeRules, state: object, clock: clockRule };

async function run(
  workflow: Workflow,
  given: { readonly name: string; readonly event: unknown },
  options: RunStepOptions,
): Promise<StepRun> {
  checkOptions("runStep", options, known);
  const { clock = virtualClock(), resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const dict = snapshotBefore(compileWorkflow(workflow), { ...given, store: options.state ?? {}, atMs: clock.now() });
  const responder = new Responder(options);
  const recording = new Recording({ crashBefore: endsStep, onStored: ({ tick }) => responder.onStored(tick) });
  const failures: unknown[] = [];
  const unwatch = workflow.on("step.failed", ({ runId, item, error }) => {
    if (runId === RUN_ID && item === LONE_ITEM) failures.push(error);
  });
  try {
    const setup = { workflow, clock, recording, seed: null, log: null, around: onlyThisStep };
    const segment = begin(setup, { type: "snapshot", dict, resources });
    const ended = await drive(segment, responder, timeoutTurns).catch(async (error: unknown) => {
      await segment.handler.cancel();
      throw error;
    });
    const state = editedBy(recording) ?? (await segment.handler.context.store.getState());
    return { ...shownBy(recording), state, error: failures[0] ?? errorOf(ended) };
  } finally {
    unwatch();
    recording.release("The step has ended, and with it the run that was made for it.");
    await removeHarness(workflow);
  }
}

/** The run ends with the step: nothing receives the step's output. */
function endsStep({ runId, tick }: StoredTick): boolean {
  return runId === RUN_ID && (tick.type === "step.completed" || tick.type === "step.failed") && tick.item === LONE_ITEM;
}

/** Keeps other steps, which events sent or yielded on the way may start, from doing anything. */
const onlyThisStep: Middleware = (call, next) =>
  call.runId === RUN_ID && call.item !== LONE_ITEM ? Promise.resolve(null as unknown as StepOutput) : next();

function shownBy({ ticks, lost }: Recording): Pick<StepRun, "output" | "sent" | "streamed"> {
  const output: EventData[] = [];
  const sent: EventData[] = [];
  const streamed: EventData[] = [];
  for (const { runId, tick } of lost === null ? ticks : [...ticks, lost]) {
    if (runId !== RUN_ID) continue;
    if (tick.type === "stream.written") streamed.push(tick.event);
    if (!("item" in tick) || tick.item !== LONE_ITEM) continue;
    if (tick.type === "step.yielded") output.push(tick.event);
    if (tick.type === "wait.opened" && tick.prompt !== null) streamed.push(tick.prompt);
    if ("sends" in tick) sent.push(...(tick.sends ?? []).map(({ event }) => event));
    if (tick.type !== "step.completed") continue;
    streamed.push(...(tick.shown ?? []));
    output.push(...[tick.output ?? []].flat());
  }
  return { output, sent, streamed } as unknown as Pick<StepRun, "output" | "sent" | "streamed">;
}

/** The state after the edit with which the step has ended. Nothing has edited the state since. */
function editedBy({ lost }: Recording): unknown {
  return lost?.tick.type === "step.completed" ? lost.tick.change?.next : undefined;
}

/** The run may end before its step, by its time limit. */
function errorOf(ended: Ended | null): unknown {
  if (ended === null || ended.status === "completed") return undefined;
  if (ended.status === "failed") return ended.error;
  return new WorkflowError({
    code: ended.status === "timedOut" ? "RUN_TIMED_OUT" : "RUN_CANCELLED",
    message: `The run has ended before the step: it is ${ended.status}.`,
    hint: "Raise `timeout` of the workflow.",
  });
}
