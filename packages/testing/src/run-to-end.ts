import type { InputOf, ResourceOverride, ResultOf, RunContext, StateOf, Workflow, WorkflowEvent } from "millrace";
import { drive, type Ended, TIMEOUT_TURNS } from "./drive.js";
import { begin } from "./life.js";
import { Outside, type OutsideOptions } from "./outside.js";
import { Recording } from "./recording.js";
import { alone, clearStage } from "./stage.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

export interface RunToEndOptions<State = unknown> extends OutsideOptions {
  /** Permutes concurrent work, see `seededScheduler`. @default the order of the engine */
  readonly seed?: number;
  /** Start on this state, or go on with this run. */
  readonly context?: RunContext<State>;
  /** Stand-ins: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** @default a new one */
  readonly clock?: VirtualClock;
  /**
   * Turns of the host (a millisecond or more each) in which a step may work without any sign. Then time moves on to its
   * `timeout`; without one the run counts as stuck. Integer, at least 1. @default 2000
   */
  readonly timeoutTurns?: number;
}

/** The arguments of `runToEnd` and `proveResumable` after the workflow: no input is needed when every field has a default. */
export type InputArguments<Flow, Options> =
  {} extends InputOf<Flow> ? [input?: InputOf<Flow>, options?: Options] : [input: InputOf<Flow>, options?: Options];

export interface EndedRun<Result = unknown, State = unknown> {
  /** How it ended. A run that failed is an answer here, not an error. */
  readonly outcome: Ended;
  /** `undefined` unless it completed. */
  readonly result: Result | undefined;
  /** Everything it streamed, the end included. */
  readonly events: readonly WorkflowEvent[];
  readonly state: State;
  /** One name per attempt, in the order in which they began; steps of children as `Child.step`. */
  readonly steps: readonly string[];
  /** How many ticks it took, children included. */
  readonly ticks: number;
}

/**
 * Runs a workflow to its end under virtual time: sleeps, retries and timeouts take none.
 *
 * One at a time: calls made together are done one after the other.
 *
 * @example
 * const { result, steps } = await runToEnd(new RefundFlow(), { order: "A-17" }, { answers: { ApproveRefund: { approved: true } } });
 * @throws {WorkflowError} `RUN_STUCK`, naming what the run waits for when nothing of that can come. What a step throws makes the
 * outcome `failed` instead.
 */
export function runToEnd<Flow extends Workflow>(
  workflow: Flow,
  ...[input, options = {}]: InputArguments<Flow, RunToEndOptions<StateOf<Flow>>>
): Promise<EndedRun<ResultOf<Flow>, StateOf<Flow>>> {
  return alone(() => run(workflow, input, options as RunToEndOptions)) as never;
}

async function run(workflow: Workflow, input: unknown, options: RunToEndOptions): Promise<EndedRun> {
  const { seed = null, clock = virtualClock(), context, resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const outside = new Outside(options);
  const recording = new Recording({ onStored: ({ tick }) => outside.onStored(tick) });
  try {
    const life = begin({ workflow, clock, recording, seed, log: null }, { type: "input", input, context, resources });
    const { handler, attempts } = life;
    const streamed = handler.streamEvents().toArray();
    streamed.catch(() => {}); // heard below, unless the run is stuck
    const outcome = await drive(life, outside, timeoutTurns).catch(async (error: unknown) => {
      await handler.cancel();
      throw error;
    });
    return {
      outcome: outcome as Ended,
      result: outcome?.status === "completed" ? outcome.result : undefined,
      events: (await streamed).map(({ event }) => event),
      state: await handler.context.store.getState(),
      steps: [...attempts.begun],
      ticks: recording.ticks.length,
    };
  } finally {
    await clearStage(workflow);
  }
}
