/**
 * Fairness to the host: runs that never wait for anything still yield a turn every 5 ms.
 *
 * Where a call of `ctx` or of a store is answered without a wait, its answer comes after the turn.
 *
 * All runs of the process share one queue: a run whose time is over goes to its end. After a pause, the first check finds the time
 * over as well: one needless turn in 5 ms at most.
 *
 * @module
 */

import { Fifo } from "../engine/collections.js";
import type { Clock } from "../engine/ports.js";
import { isPerRequest, nextTurn } from "./system.js";

export const TURN_MS = 5;

interface Waiting {
  readonly clock: Clock;
  readonly callback: () => void;
}

const queue = /* @__PURE__ */ new Fifo<Waiting>();
let isScheduled = false;
let turnEndsMs = 0;

export function isTurnOver(nowMs: number): boolean {
  return nowMs > turnEndsMs || nowMs < turnEndsMs - TURN_MS; // the latter: the clock went back
}

/** The 5 ms begin: the host had a turn, or gets one anyway. */
export function beginTurn(nowMs: number): void {
  turnEndsMs = nowMs + TURN_MS;
}

export function afterTurn(clock: Clock, callback: () => void): void {
  if (isPerRequest) {
    return nextTurn(() => {
      beginTurn(clock.now());
      callback();
    });
  }
  queue.push({ clock, callback });
  schedule();
}

/**
 * Resolves at once, or after a turn of the host that is due: code that loops over calls that wait for nothing keeps no timer
 * from firing.
 */
export function inTurn<Value>(clock: Clock, value: Value): Promise<Value> {
  if (!isTurnOver(clock.now())) return Promise.resolve(value);
  return new Promise((resolve) => afterTurn(clock, () => resolve(value)));
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  nextTurn(serve);
}

function serve(): void {
  isScheduled = false;
  let next = queue.shift();
  if (next === undefined) return;
  beginTurn(next.clock.now());
  for (; next !== undefined; next = queue.shift()) {
    next.callback();
    if (isTurnOver(next.clock.now())) break;
  }
  if (queue.size > 0) schedule();
}
