import type { Duration } from "millrace";
import { type Clock, type Due, Timers, toMs } from "millrace/engine";
import { nextTurn } from "./host-turn.js";

/** A clock that moves only on request: hours of sleep take no time. */
export interface VirtualClock extends Clock {
  /** Number of timers that are set. */
  readonly pending: number;
  /** When the next timer is due, in epoch milliseconds; `null` without timers. */
  readonly nextAtMs: number | null;
  /**
   * Lets this much time pass. Every timer that becomes due fires at its own time, and its effects are done before the
   * next one fires.
   *
   * @throws {WorkflowError} `OPTION_INVALID`
   */
  advance(duration: Duration): Promise<void>;
  /** Moves to the next timer and fires it. Returns `false` without timers. */
  jumpToNext(): boolean;
}

interface Timer extends Due {
  readonly wake: () => void;
}

/** Host turns after which all effects of a timer, short of real waiting, are done. */
const TURNS_PER_TIMER = 8;

/**
 * Creates a clock for `setPorts(workflow, { clock })`. `runToEnd`, `runStep` and `proveResumable` create their own.
 *
 * @param startAtMs Epoch milliseconds. @default 1 January 2030, UTC
 */
export function virtualClock(startAtMs: number = Date.UTC(2030, 0, 1)): VirtualClock {
  return new ClockOfTimers(startAtMs);
}

class ClockOfTimers implements VirtualClock {
  readonly #timers = new Timers<Timer>();
  #nowMs: number;
  #order = 0;

  constructor(startAtMs: number) {
    this.#nowMs = startAtMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(dueAtMs: number, wake: () => void): () => void {
    const timer = this.#timers.add({ dueAtMs, order: this.#order++, position: -1, wake });
    return () => this.#timers.remove(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  get nextAtMs(): number | null {
    return this.#timers.first()?.dueAtMs ?? null;
  }

  async advance(duration: Duration): Promise<void> {
    const endMs = this.#nowMs + toMs(duration, "advance");
    await settle();
    for (let timer = this.#dueBy(endMs); timer !== null; timer = this.#dueBy(endMs)) {
      this.#fire(timer);
      await settle();
    }
    this.#nowMs = endMs;
  }

  jumpToNext(): boolean {
    const timer = this.#dueBy(Number.POSITIVE_INFINITY);
    if (timer !== null) this.#fire(timer);
    return timer !== null;
  }

  #dueBy(endMs: number): Timer | null {
    const timer = this.#timers.first();
    return timer !== undefined && timer.dueAtMs <= endMs ? timer : null;
  }

  #fire(timer: Timer): void {
    this.#timers.remove(timer);
    this.#nowMs = Math.max(this.#nowMs, timer.dueAtMs);
    timer.wake();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await nextTurn();
}
