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
  let nowMs = startAtMs;
  const timers = new Timers<Timer>();
  let order = 0;

  function fire(timer: Timer): void {
    timers.remove(timer);
    nowMs = Math.max(nowMs, timer.dueAtMs);
    timer.wake();
  }

  return {
    now: () => nowMs,
    setTimer(atMs, wake) {
      const timer = timers.add({ dueAtMs: atMs, order: order++, position: -1, wake });
      return () => timers.remove(timer);
    },
    get pending() {
      return timers.size;
    },
    get nextAtMs() {
      return timers.first()?.dueAtMs ?? null;
    },
    async advance(duration) {
      const endMs = nowMs + toMs(duration, "advance");
      await settle();
      for (let timer = timers.first(); timer !== undefined && timer.dueAtMs <= endMs; timer = timers.first()) {
        fire(timer);
        await settle();
      }
      nowMs = endMs;
    },
    jumpToNext() {
      const timer = timers.first();
      if (timer !== undefined) fire(timer);
      return timer !== undefined;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await nextTurn();
}
