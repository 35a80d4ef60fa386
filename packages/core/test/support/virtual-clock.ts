/** Time that only moves when a test says so, and the other ports of a run under the hand of a test. */

import { compileWorkflow } from "../../src/compile/compile.js";
import type { Clock, Log, Ports } from "../../src/engine/ports.js";
import { setPorts } from "../../src/run/live-run.js";

const startMs = Date.UTC(2030, 0, 1);

export class VirtualClock implements Clock {
  #nowMs = startMs;
  #endMs = startMs;
  readonly #timers = new Set<{ atMs: number; readonly wake: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  setTimer(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Time passes, and no timer has fired yet. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Somebody sets the clock. No time passes, and a timer that is set counts time: it fires as it would have. */
  setBy(ms: number): void {
    this.#nowMs += ms;
    this.#endMs += ms;
    for (const timer of this.#timers) timer.atMs += ms;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets this much time pass: every timer that becomes due fires at its time, and what it causes is done before the next. */
  async advance(ms: number): Promise<void> {
    this.#endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#firstUpTo(this.#endMs); next; next = this.#firstUpTo(this.#endMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
      await settle();
    }
    this.#nowMs = this.#endMs;
  }

  #firstUpTo(endMs: number): { readonly atMs: number; readonly wake: () => void } | undefined {
    return [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((left, right) => left.atMs - right.atMs)[0];
  }
}

/** Gives a workflow virtual time, before its first run. */
export function withVirtualClock(workflow: object, ports: Partial<Ports> = {}): VirtualClock {
  const clock = new VirtualClock();
  setPorts(compileWorkflow(workflow), { clock, ...ports });
  return clock;
}

/** Waits until everything that can happen without time passing has happened. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export interface RecordedLog extends Log {
  readonly lines: string[];
  readonly errors: unknown[];
}

export function recordLog(): RecordedLog {
  const lines: string[] = [];
  const errors: unknown[] = [];
  return {
    lines,
    errors,
    info: (message) => void lines.push(message),
    error(message, error) {
      lines.push(message);
      errors.push(error);
    },
  };
}
