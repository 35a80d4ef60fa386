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
  /** Of timers that are due together, the one that was set first fires first. */
  readonly order: number;
  readonly wake: () => void;
  isOff: boolean;
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
  const timers = new TimerHeap();
  let order = 0;

  function fire(timer: Timer): void {
    timers.callOff(timer);
    nowMs = Math.max(nowMs, timer.atMs);
    timer.wake();
  }

  return {
    now: () => nowMs,
    setTimer(atMs, wake) {
      const timer: Timer = { atMs, order: order++, wake, isOff: false };
      timers.add(timer);
      return () => timers.callOff(timer);
    },
    get pending() {
      return timers.size;
    },
    get nextAtMs() {
      return timers.first()?.atMs ?? null;
    },
    async advance(duration) {
      const endMs = nowMs + toMs(duration, "advance");
      await settle();
      for (let timer = timers.first(); timer !== null && timer.atMs <= endMs; timer = timers.first()) {
        fire(timer);
        await settle();
      }
      nowMs = endMs;
    },
    jumpToNext() {
      const timer = timers.first();
      if (timer !== null) fire(timer);
      return timer !== null;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await nextTurn();
}

/** Timers by the time at which they are due. A binary heap; one that is called off leaves it when it comes to the top. */
class TimerHeap {
  readonly #heap: Timer[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(timer: Timer): void {
    const heap = this.#heap;
    let place = heap.push(timer) - 1;
    for (let above = (place - 1) >> 1; place > 0 && isBefore(timer, heap[above] as Timer); above = (place - 1) >> 1) {
      heap[place] = heap[above] as Timer;
      place = above;
    }
    heap[place] = timer;
    this.#size++;
  }

  callOff(timer: Timer): void {
    if (timer.isOff) return;
    timer.isOff = true;
    this.#size--;
  }

  first(): Timer | null {
    while (this.#heap[0]?.isOff === true) this.#removeTop();
    return this.#heap[0] ?? null;
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let place = 0;
    for (let below = 1; below < heap.length; below = 2 * place + 1) {
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Timer, heap[below] as Timer)) below++;
      if (!isBefore(heap[below] as Timer, last)) break;
      heap[place] = heap[below] as Timer;
      place = below;
    }
    heap[place] = last;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
