import type { Duration } from "millrace";
import { type Clock, toMs } from "millrace/engine";
import { nextTurn } from "./host-turn.js";

/** A clock that stands still until it is told to move: hours of sleeping take no time. */
export interface VirtualClock extends Clock {
  /** How many timers are set. */
  readonly pending: number;
  /** When the next of them is due, in epoch milliseconds; null without one. */
  readonly nextAtMs: number | null;
  /**
   * Lets this much time pass. Every timer that becomes due fires at its own time, and what it causes is done before the next.
   *
   * @throws {WorkflowError} `DURATION_INVALID`
   */
  advance(duration: Duration): Promise<void>;
  /** Goes to the next timer and fires it. False when there is none. */
  jumpToNext(): boolean;
}

interface Timer {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Host turns after which everything that a timer has caused, short of real waiting, is done. */
const TURNS_PER_TIMER = 8;

/**
 * Makes a clock for `setPorts(workflow, { clock })`. `runToEnd`, `runStep` and `proveResumable` bring their own.
 *
 * @param startAtMs Epoch milliseconds. @default 1 January 2030, UTC
 */
export function virtualClock(startAtMs: number = Date.UTC(2030, 0, 1)): VirtualClock {
  let nowMs = startAtMs;
  const timers = new Set<Timer>();

  /** Of timers that are due together, the one that was set first. */
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
