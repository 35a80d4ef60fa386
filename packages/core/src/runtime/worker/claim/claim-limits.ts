/**
 * Limits on the work of a process: the pause after a lost lease, loads at once, the pace of queues, and a closed store.
 *
 * @module
 */

import { WorkflowError } from "../../../errors/workflow-error.js";
import type { Clock, Log } from "../../../host.js";
import { jittered } from "../../../system/system.js";
import { PACE_MS } from "../../workers/heartbeat.js";

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** After as long without another one, a run begins anew. */
const KEPT_MS = 60_000;

interface Pause {
  /** Without chance in it: the next one is twice as long. */
  readonly fullMs: number;
  readonly lengthMs: number;
  readonly untilMs: number;
}

/**
 * How long a process leaves a run alone that it has claimed and lost, without a commit in between: a store that refuses all of its
 * commits would otherwise be asked without a pause. The first loss has no delay: another process may have been faster.
 */
export class ReclaimBackoff {
  readonly #clock: Clock;
  /** By the time of the last loss. */
  readonly #pauses: Map<string, Pause> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param hasStored Whether a commit of it was stored since it was claimed. */
  lost(id: string, hasStored: boolean): void {
    const nowMs = this.#clock.now();
    this.#forgetBefore(nowMs - KEPT_MS);
    const before = hasStored ? undefined : this.#pauses.get(id);
    this.#pauses.delete(id);
    if (hasStored) return;
    const fullMs = before === undefined ? 0 : Math.min(LONGEST_MS, Math.max(FIRST_MS, 2 * before.fullMs));
    const lengthMs = jittered(fullMs, this.#clock);
    this.#pauses.set(id, { fullMs, lengthMs, untilMs: nowMs + lengthMs });
  }

  /** Resolves when the run may be claimed again, or when the process stops. */
  async wait(id: string): Promise<void> {
    const pause = this.#pauses.get(id);
    if (pause === undefined || this.#isOver) return;
    const nowMs = this.#clock.now();
    // No longer than it was to be: the clock may have been set back.
    const leftMs = Math.min(pause.lengthMs, pause.untilMs - nowMs);
    if (leftMs <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        this.#waiting.delete(end);
        resolve();
      };
      const callOff = this.#clock.setTimer(nowMs + leftMs, end);
      this.#waiting.add(end);
    });
  }

  stop(): void {
    this.#isOver = true;
    for (const end of [...this.#waiting]) end();
  }

  #forgetBefore(atMs: number): void {
    for (const [id, { untilMs }] of this.#pauses) {
      if (untilMs >= atMs) return;
      this.#pauses.delete(id);
    }
  }
}

/** Does as many things at once as it has slots; the others wait in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
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
