/**
 * Limits on the work of a process: the pause after a lost lease, loads at once, the pace of queues, and a closed store.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import type { Clock, Log } from "../../../host.js";
import { PACE_MS } from "../../workers/heartbeat.js";

const PAUSE_MS = 1_000;
/** After as long without another one, a loss is the first again. */
const KEPT_MS = 60_000;

interface Loss {
  readonly atMs: number;
  readonly isFirst: boolean;
}

/**
 * How long a process leaves a run alone that it has claimed and lost, without a commit in between: a store that refuses all of its
 * commits would otherwise be asked without a pause. The first loss has no delay: another process may have been faster.
 */
export class ReclaimBackoff {
  readonly #clock: Clock;
  /** By the time of the last loss. */
  readonly #losses: Map<string, Loss> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param hasStored Whether a commit of it was stored since it was claimed. */
  lost(id: string, hasStored: boolean): void {
    const atMs = this.#clock.now();
    for (const [old, loss] of this.#losses) {
      if (loss.atMs >= atMs - KEPT_MS) break;
      this.#losses.delete(old);
    }
    const isFirst = !this.#losses.delete(id);
    if (!hasStored) this.#losses.set(id, { atMs, isFirst });
  }

  /** Resolves when the run may be claimed again. */
  async wait(id: string): Promise<void> {
    const { atMs, isFirst } = this.#losses.get(id) ?? { atMs: 0, isFirst: true };
    const nowMs = this.#clock.now();
    // No longer than it was to be: the clock may have been set back.
    const leftMs = isFirst ? 0 : Math.min(PAUSE_MS, atMs + PAUSE_MS - nowMs);
    if (leftMs > 0) await new Promise<void>((resolve) => this.#clock.setTimer(nowMs + leftMs, resolve));
  }
}

const SLOTS = 10;
const SLOT_MS = PACE_MS / SLOTS;

/** Counts runs that got a place lately, by queue: in slots of time, so that it stays small whatever the pace is. */
export class Pace {
  readonly #slots = new Map<string, Map<number, number>>();

  add(queue: string, nowMs: number): void {
    const slots = this.#slots.get(queue) ?? new Map<number, number>();
    this.#slots.set(queue, slots);
    const slot = Math.floor(nowMs / SLOT_MS);
    slots.set(slot, (slots.get(slot) ?? 0) + 1);
    for (const old of slots.keys()) if (Math.abs(old - slot) >= SLOTS) slots.delete(old);
  }

  counts(nowMs: number): { readonly [queue: string]: number } {
    const now = Math.floor(nowMs / SLOT_MS);
    const counts: [string, number][] = [...this.#slots].map(([queue, slots]) => [
      queue,
      [...slots].reduce((sum, [slot, count]) => (Math.abs(now - slot) < SLOTS ? sum + count : sum), 0),
    ]);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }
}

/**
 * Reports once that the store was closed before its runtime was stopped. The background tasks of the runtime show each failure to it, and
 * end if it is of a closed store: no later try can succeed.
 */
export class ClosedStore {
  readonly #log: Log;
  #isReported = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Whether the failure is of a store that has been closed. Reports the first. */
  caused(error: unknown): boolean {
    if (!WorkflowError.is(error, "STORE_CLOSED")) return false;
    if (!this.#isReported)
      this.#log.error("The store was closed before its runtime was stopped: the runtime has stopped working.", error);
    this.#isReported = true;
    return true;
  }
}
