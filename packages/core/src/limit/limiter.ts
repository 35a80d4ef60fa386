import type { Clock } from "../engine/ports.js";
import { unlessAborted } from "../system/deferred.js";
import { checkOptionNames, positiveInteger } from "../value/options.js";

/** A limit over all runs. Without a field, that number is not limited. */
export interface LimitOptions {
  /** Maximum number of concurrent attempts. */
  readonly concurrent?: number;
  /** Maximum number of attempts that begin within any 60 seconds. */
  readonly perMinute?: number;
}

/** Releases the place. Further calls do nothing. */
export type Release = () => void;

type Waiter = (release: Release) => void;

const minuteMs = 60_000;

/** A limit over all runs, of attempts or of the runs themselves. Those who wait are served in order of arrival. */
export class Limiter {
  readonly #clock: Clock;
  readonly #concurrent: number;
  readonly #perMinute: number;
  readonly #waiting = new Set<Waiter>();
  /** Ring of start times: of the last `perMinute` attempts, in epoch milliseconds. */
  readonly #beganAtMs: number[] = [];
  #began = 0;
  #running = 0;
  #cancelTimer: (() => void) | null = null;

  /** @throws {WorkflowError} `OPTION_INVALID` unless the limits are positive integers. */
  constructor(name: string, options: LimitOptions, clock: Clock) {
    checkOptionNames("limits", options);
    const { concurrent = Infinity, perMinute = Infinity } = options;
    this.#clock = clock;
    this.#concurrent = concurrent === Infinity ? concurrent : positiveInteger(concurrent, `limits.${name}.concurrent`);
    this.#perMinute = perMinute === Infinity ? perMinute : positiveInteger(perMinute, `limits.${name}.perMinute`);
  }

  /** Takes a place; synchronously when one is free. Rejects with the reason of the signal when it aborts first. */
  acquire(signal?: AbortSignal): Release | Promise<Release> {
    if (!signal?.aborted && this.#waiting.size === 0 && this.#isFree()) return this.#begin();
    return unlessAborted(signal, (granted) => this.wait(granted));
  }

  /** Calls `granted` once, with a place: at once when one is free. Returns the function that ends the waiting. */
  wait(granted: Waiter): () => void {
    if (this.#waiting.size === 0 && this.#isFree()) {
      granted(this.#begin());
      return () => {};
    }
    const waiter: Waiter = (release) => granted(release); // a new function, because the same one may wait twice
    this.#waiting.add(waiter);
    this.#armTimer();
    return () => {
      this.#waiting.delete(waiter);
      this.#armTimer();
    };
  }

  #isFree(): boolean {
    return this.#running < this.#concurrent && this.#freeAtMs() <= this.#clock.now();
  }

  /** Returns when the limit per minute allows the next start, in epoch milliseconds. */
  #freeAtMs(): number {
    const earliest = this.#beganAtMs[this.#began % this.#perMinute];
    if (earliest === undefined) return -Infinity;
    const nowMs = this.#clock.now();
    if (earliest <= nowMs) return earliest + minuteMs;
    // The clock was set back: no start counts as later than now.
    for (const [place, atMs] of this.#beganAtMs.entries()) this.#beganAtMs[place] = Math.min(atMs, nowMs);
    return nowMs + minuteMs;
  }

  #begin(): Release {
    this.#running++;
    if (this.#perMinute !== Infinity) this.#beganAtMs[this.#began++ % this.#perMinute] = this.#clock.now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#running--;
      this.#serve();
    };
  }

  #serve(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree()) break;
      this.#waiting.delete(waiter);
      waiter(this.#begin());
    }
    this.#armTimer();
  }

  /** Only the limit per minute needs a timer: a released place wakes the next attempt itself. */
  #armTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#waiting.size === 0 || this.#running >= this.#concurrent) return;
    this.#cancelTimer = this.#clock.setTimer(this.#freeAtMs(), () => {
      this.#cancelTimer = null;
      this.#serve();
    });
  }
}
