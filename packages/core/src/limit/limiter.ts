import type { Clock } from "../engine/ports.js";
import { checkOptions } from "../value/known-options.js";
import { positiveInteger } from "./positive-integer.js";

export interface LimitOptions {
  /** How many at once. */
  readonly concurrent?: number;
  /** How many may begin within any 60 seconds. */
  readonly perMinute?: number;
}

/** Gives the place back. A second call does nothing. */
export type Release = () => void;

type Waiter = (release: Release) => void;

const minuteMs = 60_000;

/** A named limit over all runs: first come, first served. */
export class Limiter {
  readonly #clock: Clock;
  readonly #concurrent: number;
  readonly #perMinute: number;
  readonly #waiting = new Set<Waiter>();
  /** A ring: when the last `perMinute` of them began. */
  readonly #beganAtMs: number[] = [];
  #began = 0;
  #running = 0;
  #callOff: (() => void) | null = null;

  /** @throws {WorkflowError} `OPTION_INVALID` for a limit that is no positive integer. */
  constructor(name: string, options: LimitOptions, clock: Clock) {
    checkOptions("limits", options);
    const { concurrent = Infinity, perMinute = Infinity } = options;
    this.#clock = clock;
    this.#concurrent = concurrent === Infinity ? concurrent : positiveInteger(concurrent, `limits.${name}.concurrent`);
    this.#perMinute = perMinute === Infinity ? perMinute : positiveInteger(perMinute, `limits.${name}.perMinute`);
  }

  /** A place, at once when there is one. Rejects with the reason of the signal when that comes first. */
  acquire(signal?: AbortSignal): Release | Promise<Release> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (this.#waiting.size === 0 && this.#isFree()) return this.#begin();
    return new Promise<Release>((resolve, reject) => {
      const waiter: Waiter = (release) => {
        signal?.removeEventListener("abort", abort);
        resolve(release);
      };
      const abort = (): void => {
        this.#waiting.delete(waiter);
        this.#armTimer();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      this.#waiting.add(waiter);
      this.#armTimer();
    });
  }

  #isFree(): boolean {
    return this.#running < this.#concurrent && this.#freeAtMs() <= this.#clock.now();
  }

  /** When the next one may begin, as far as the minute goes. */
  #freeAtMs(): number {
    const earliest = this.#beganAtMs[this.#began % this.#perMinute];
    if (earliest === undefined) return -Infinity;
    const nowMs = this.#clock.now();
    if (earliest <= nowMs) return earliest + minuteMs;
    // The clock was set back: all of them began now at the latest.
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

  /** Only the minute needs a timer: a place is given back by whoever held it. */
  #armTimer(): void {
    this.#callOff?.();
    this.#callOff = null;
    if (this.#waiting.size === 0 || this.#running >= this.#concurrent) return;
    this.#callOff = this.#clock.setTimer(this.#freeAtMs(), () => {
      this.#callOff = null;
      this.#serve();
    });
  }
}
