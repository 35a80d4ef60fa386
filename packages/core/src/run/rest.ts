/**
 * When a run has nothing left to do now, and who waits for that. Kept by a run from the first time that it looks.
 *
 *     quiet ──(a turn of the host)──► run.idled ──► idle, until the next tick
 *
 * @module
 */
import type { RunState } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { nextTurn } from "./system.js";

/** What is asked of the run. */
export interface Resting {
  readonly state: RunState;
  readonly live: boolean;
  /** Nothing is at work, here and in its children. */
  isQuiet(): boolean;
  /** Quiet, and told so: it might have found that it can never end. */
  isIdle(): boolean;
  now(): number;
  submit(tick: Tick): void;
}

export class Rest {
  /** The run was idle at this tick; -1 when it has to look again in any case. */
  atTick = -1;
  #isChecking = false;
  #waiters: Set<() => void> | null = null;

  /** Looks after a turn of the host: code that goes on after an answer has made its next call by then. */
  check(run: Resting): void {
    if (this.#isChecking || run.state.ticks === this.atTick || !run.live) return;
    this.#isChecking = true;
    nextTurn(() => {
      this.#isChecking = false;
      if (!run.live || !run.isQuiet()) return;
      run.submit({ type: "run.idled", atMs: run.now() });
    });
  }

  /** Tells all who wait for it. */
  reached(tick: number): void {
    this.atTick = tick;
    const waiters = this.#waiters;
    this.#waiters = null;
    for (const wake of waiters ?? []) wake();
  }

  /** Resolves when nothing is left to do now, or when the run has ended or left memory. It makes no tick. */
  when(run: Resting, signal: AbortSignal | undefined): Promise<void> {
    if (!run.live) return Promise.resolve();
    // Not at once: whoever asks in a loop would keep the host from the timer that the run waits for.
    if (run.isIdle())
      return new Promise((resolve) => nextTurn(() => resolve(run.isIdle() ? undefined : this.when(run, signal))));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters?.delete(wake); // a run may be at work for days, and be asked all the time
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiters ??= new Set();
      this.#waiters.add(wake);
    });
  }
}
