import type { Duration } from "millrace";
import { type Clock, toMs } from "millrace/engine";
import { nextTurn } from "./host-turn.js";

/** A clock that moves only when it is told to: hours of sleeping take no time. */
export interface VirtualClock extends Clock {
  /** Number of timers that are set. */
  readonly pending: number;
  /** When the next timer is due, in epoch milliseconds; `null` without timers. */
  readonly nextAtMs: number | null;
  /**
   * Lets this much time pass. Every timer that becomes due fires at its own time, and its effects are done before the
   * next one fires.
   *
   * @throws {WorkflowError} `DURATION_INVALID`
   */
  advance(duration: Duration): Promise<void>;
  /** Moves to the next timer and fires it. Returns `false` without timers. */
  jumpToNext(): boolean;
}

interface Timer {
  readonly atMs: number;
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
  let nowMs = startAtMs;
  const timers = new Set<Timer>();

  /** The next timer; of timers that are due together, the one that was set first. */
  function first(): Timer | null {
    let found: Timer | null = null;
    for (const timer of timers) if (found === null || timer.atMs < found.atMs) found = timer;
    return found;
  }

  function fire(timer: Timer): void {
    timers.delete(timer);
    nowMs = Math.max(nowMs, timer.atMs);
    timer.wake();
  }

  return {
    now: () => nowMs,
    setTimer(atMs, wake) {
      const timer: Timer = { atMs, wake };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    get nextAtMs() {
      return first()?.atMs ?? null;
    },
    async advance(duration) {
      const endMs = nowMs + toMs(duration, "advance");
      await settle();
      for (let timer = first(); timer !== null && timer.atMs <= endMs; timer = first()) {
        fire(timer);
        await settle();
      }
      nowMs = endMs;
    },
    jumpToNext() {
      const timer = first();
      if (timer !== null) fire(timer);
      return timer !== null;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await nextTurn();
}
