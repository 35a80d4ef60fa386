import type { InputOf, ResourceOverride, ResultOf, RunContext, StateOf, Workflow, WorkflowEvent } from "millrace";
import { type Rules, unchecked } from "millrace/engine";
import { checkOptions, clockRule, lifeRules, seedRule } from "../check-options.js";
import { drive, type Ended, TIMEOUT_TURNS } from "./drive.js";
import { alone, removeHarness } from "./harness.js";
import { Recording } from "./recording.js";
import { type OutsideOptions, Responder } from "./responder.js";
import { begin } from "./run-segment.js";
import { type VirtualClock, virtualClock } from "./virtual-clock.js";

/** Options of `runToEnd`. */
export interface RunToEndOptions<State = unknown> extends OutsideOptions {
  /** Permutes concurrent work; see `seededScheduler`. @default the order of the engine */
  readonly seed?: number;
  /** Context with a state to start on, or with a run to resume. */
  readonly context?: RunContext<State>;
  /** Replacements of resources: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
  /** @default a new clock */
  readonly clock?: VirtualClock;
  /**
   * Turns of the host (a millisecond or more each) in which a step may work without a sign. Then time moves on to the
   * step's `timeout`; without a timeout the run counts as stuck. Integer, at least 1.
   * @default 2000
   */
  readonly timeoutTurns?: number;
}

/**
 * The arguments of `runToEnd` and `proveResumable` after the workflow. The input is optional when every field has a
 * default.
 */
export type InputArguments<Flow, Options> =
  {} extends InputOf<Flow> ? [input?: InputOf<Flow>, options?: Options] : [input: InputOf<Flow>, options?: Options];

/** Result of `runToEnd`. */
export interface EndedRun<Result = unknown, State = unknown> {
  /** Outcome of the run. A failed run is an outcome here, not an error. */
  readonly outcome: Ended;
  /** Result of a completed run; otherwise `undefined`. */
  readonly result: Result | undefined;
  /** All streamed events, the last one included. */
  readonly events: readonly WorkflowEvent[];
  readonly state: State;
  /** Names of the steps, one per attempt, in the order in which the attempts began; steps of children as `Child.step`. */
  readonly steps: readonly string[];
  /** Number of ticks, children included. */
  readonly ticks: number;
}

/**
 * Runs a workflow to its end under virtual time: sleeps, retries and timeouts take no real time.
 *
 * Calls that overlap run one after the other.
 *
 * @example
 * const { result, steps } = await runToEnd(new RefundFlow(), { order: "A-17" }, { answers: { ApproveRefund: { approved:
 * true } } });
 * @throws {WorkflowError} `RUN_STUCK`, naming what the run waits for, when none of it can come. An error of a step
 * makes the outcome `failed` instead.
 */
export function runToEnd<Flow extends Workflow>(
  workflow: Flow,
  ...[input, options = {}]: InputArguments<Flow, RunToEndOptions<StateOf<Flow>>>
): Promise<EndedRun<ResultOf<Flow>, StateOf<Flow>>> {
  return alone(() => run(workflow, input, options as RunToEndOptions)) as never;
}

const known: Rules<RunToEndOptions> = { ...lifeRules, seed: seedRule, clock: clockRule, ...unchecked("context") };

async function run(workflow: Workflow, input: unknown, options: RunToEndOptions): Promise<EndedRun> {
  checkOptions("runToEnd", options, known);
  const { seed = null, clock = virtualClock(), context, resources, timeoutTurns = TIMEOUT_TURNS } = options;
  const responder = new Responder(options);
  const recording = new Recording({ onStored: ({ tick }) => responder.onStored(tick) });
  try {
    const segment = begin(
      { workflow, clock, recording, seed, log: null },
      { type: "input", input, context, resources },
    );
    const { handler, attempts } = segment;
    const streamed = handler.streamEvents().toArray();
    streamed.catch(() => {}); // the error is reported below, unless the run is stuck
    const outcome = await drive(segment, responder, timeoutTurns).catch(async (error: unknown) => {
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
    await removeHarness(workflow);
  }
}
