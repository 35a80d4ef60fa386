/**
 * Fairness towards the host: runs that never wait for anything still let it have a turn every 5 ms.
 *
 * Shared by all runs of the process. After a pause the first look finds the time over as well: one needless turn in 5 ms at most.
 *
 * @module
 */
import type { Clock } from "../engine/ports.js";
import { nextTurn } from "./system.js";

export const TURN_MS = 5;

let turnEndsMs = 0;

export function isTurnOver(nowMs: number): boolean {
  return nowMs > turnEndsMs || nowMs < turnEndsMs - TURN_MS; // the latter: the clock went back
}

export function afterTurn(clock: Clock, callback: () => void): void {
  nextTurn(() => {
    turnEndsMs = clock.now() + TURN_MS;
    callback();
  });
}
