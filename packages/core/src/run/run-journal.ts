/** Where the ticks of one run and its children go before they are reduced. */
import type { Journal } from "../engine/ports.js";
import type { Tick } from "../engine/tick.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import type { Runner } from "./runner.js";

export interface RunJournal {
  /**
   * Called where a tick is made, with the step or the caller that is to blame still there to be told.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for what cannot be stored.
   */
  prepare?(runner: Runner, tick: Tick): void;
  /** The ticks of the next round, taken out of the queue; the queue itself stands for all of it. */
  takeRound?(runner: Runner, queue: Tick[]): Tick[];
  /** Stores the ticks of one round, and may replace those that cannot be stored. Gives nothing when they are stored already. */
  append(runner: Runner, ticks: Tick[]): void | Promise<void>;
  /** Whether this tick, once it is submitted, can be refused by the store while others of its run are not. */
  mayRefuse?(tick: Tick): boolean;
  /** What has to be known before the first tick of a loaded run: its code has changed. */
  preface?(runner: Runner): Tick[];
  /** The run shows this to its readers. */
  published?(item: StreamedEvent): void;
  /** Nothing is left to do now. */
  idle?(): void;
  /** Whether a step has failed with this only because its runtime stops: that is no end of it. */
  isStopping?(thrown: unknown): boolean;
}

/** The journal port of a host, as the journal of a run. */
export function journalOf(port: Journal | null): RunJournal | null {
  return port && { append: (runner, ticks) => port.append(runner.state.runId, ticks) };
}
