/**
 * One step, alone: what it takes is given, and nobody takes what it gives.
 *
 * It runs on the real engine: in a run that a snapshot says is about to begin this one step, and that is gone when the step has ended.
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
import { compileWorkflow, type EventData } from "millrace/engine";
import { drive, type Ended, TIMEOUT_TURNS } from "./drive.js";
import { begin, RUN_ID } from "./life.js";
import { LONE_ITEM, snapshotBefore } from "./lone-step.js";
import { Outside, type OutsideOptions } from "./outside.js";
import { Recording, type StoredTick } from "./recording.js";
import { alone, clearStage } from "./stage.js";
import type { StateBefore, StepEvents, StepNameOf, StepPayload } from "./step-names.types.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

export interface RunStepOptions<State = unknown> extends OutsideOptions {
  /** The state before the step. @default as a run begins */
  readonly state?: State;
  /** Stand-ins: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** @default a new one */
  readonly clock?: VirtualClock;
  /** See `runToEnd`. @default 2000 */
  readonly timeoutTurns?: number;
}

export interface StepRun<Output extends WorkflowEvent = WorkflowEvent, State = unknown> {
  /** What it returned or yielded; a batch is a list of several. */
  readonly output: readonly Output[];
  /** What it sent with `ctx.sendEvent`. A step that fails has sent nothing since its last wait. */
  readonly sent: readonly WorkflowEvent[];
  /** What it showed: `ctx.writeEventToStream`, the prompts of its waits, and what its children showed. */
  readonly streamed: readonly WorkflowEvent[];
  readonly state: State;
  /** What it threw, or what is wrong with what it gave; `undefined` when it succeeded. Nothing is retried. */
  readonly error: unknown;
}

/**
 * Runs one attempt of one step, with time that passes at once. What it emits starts nothing; children that it runs do run.
 *
 * @example
 * const { output, state } = await runStep(new Digest(), "read", new FileFound({ file: "a.md" }), { state: { files: 1 } });
 * @throws {WorkflowError} `STEP_UNKNOWN`, `EVENT_NOT_ACCEPTED` when the step does not take the event, `STATE_INVALID`, `RUN_STUCK`
 * when it waits for what nobody sends. What the step throws is `error` in the result.
 */
export function runStep<Flow extends Workflow, const Name extends StepNameOf<Flow>>(
  workflow: Flow,
  name: Name,
  ...[event, options = {}]: [event: StepPayload<Flow, Name>, options?: RunStepOptions<StateBefore<Flow>>]
): Promise<StepRun<StepEvents<Flow, Name>, StateOf<Flow>>> {
  return alone(() => run(workflow, { name, event }, options)) as never;
}

async function run(
  workflow: Workflow,
  given: { readonly name: string; readonly event: unknown },
  options: RunStepOptions,
): Promise<StepRun> {
  const { clock = virtualClock(), resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const dict = snapshotBefore(compileWorkflow(workflow), { ...given, store: options.state ?? {}, atMs: clock.now() });
  const outside = new Outside(options);
  const recording = new Recording({ crashBefore: endsStep, onStored: ({ tick }) => outside.onStored(tick) });
  const failures: unknown[] = [];
  const unwatch = workflow.on("step.failed", ({ runId, item, error }) => {
    if (runId === RUN_ID && item === LONE_ITEM) failures.push(error);
  });
  try {
    const setup = { workflow, clock, recording, seed: null, log: null, around: onlyThisStep };
    const life = begin(setup, { type: "snapshot", dict, resources });
    const ended = await drive(life, outside, timeoutTurns).catch(async (error: unknown) => {
      await life.handler.cancel();
      throw error;
    });
    const state = editedBy(recording) ?? (await life.handler.context.store.getState());
    return { ...shownBy(recording), state, error: failures[0] ?? errorOf(ended) };
  } finally {
    unwatch();
    recording.release(stopped());
    await clearStage(workflow);
  }
}

/** The end of the step is the end of the run: what it gives goes nowhere. */
function endsStep({ runId, tick }: StoredTick): boolean {
  return runId === RUN_ID && (tick.type === "step.completed" || tick.type === "step.failed") && tick.item === LONE_ITEM;
}

/** What it sends or yields on its way may start other steps: they give nothing. */
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
    if (tick.type === "sends.committed") sent.push(...tick.sends.map(({ event }) => event));
    if (tick.type !== "step.completed") continue;
    sent.push(...(tick.sends ?? []).map(({ event }) => event));
    output.push(...[tick.output ?? []].flat());
  }
  return { output, sent, streamed } as unknown as Pick<StepRun, "output" | "sent" | "streamed">;
}

/** The state after the edit that the step has ended with: nothing else can have edited it since. */
function editedBy({ lost }: Recording): unknown {
  return lost?.tick.type === "step.completed" ? lost.tick.change?.next : undefined;
}

/** The run can end before the step: its time is up. */
function errorOf(ended: Ended | null): unknown {
  if (ended === null || ended.status === "completed") return undefined;
  if (ended.status === "failed") return ended.error;
  return new WorkflowError({
    code: ended.status === "timedOut" ? "RUN_TIMED_OUT" : "RUN_CANCELLED",
    message: `The run has ended before the step: it is ${ended.status}.`,
    hint: "Raise `timeout` of the workflow.",
  });
}

function stopped(): WorkflowError {
  return new WorkflowError({
    code: "RUN_CANCELLED",
    message: "The step has ended, and with it the run that was made for it.",
    hint: "Nothing has to be done.",
  });
}
