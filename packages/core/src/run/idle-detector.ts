/**
 * Detects when a run is idle, and notifies callers that wait for it. Created on the first request.
 *
 *     quiet ──(a turn of the host)──► run.idled ──► idle, until the next tick
 *
 * @module
 */
import { nextTurn } from "../system/system.js";
import { unlessAborted } from "../system/unless-aborted.js";
import { deliverHeld } from "./questions.js";
import type { LiveRun } from "./run.types.js";

export class IdleDetector {
  /** The run was idle at this tick; -1 when it has to be checked again. */
  atTick = -1;
  #isChecking = false;
  #waiters: Set<() => void> | null = null;

  /** Checks after a turn of the host: by then, code that continues after an answer has made its next call. */
  check(run: LiveRun): void {
    if (this.#isChecking || run.state.ticks === this.atTick || !run.live) return;
    this.#isChecking = true;
    nextTurn(() => {
      this.#isChecking = false;
      if (!run.live || !run.isQuiet() || deliverHeld(run)) return;
      run.submit({ type: "run.idled", atMs: run.now() });
    });
  }

  /** Resolves all waiting promises. */
  reached(tick: number): void {
    this.atTick = tick;
    const waiters = this.#waiters;
    this.#waiters = null;
    for (const wake of waiters ?? []) wake();
  }

  /** Resolves when there is nothing to do now, or when the run has ended or left memory. It makes no tick. */
  when(run: LiveRun, signal: AbortSignal | undefined): Promise<void> {
    if (!run.live) return Promise.resolve();
    // Not at once: a caller that asks in a loop would keep the host from the timer that the run waits for.
    if (run.isIdle())
      return new Promise((resolve) => nextTurn(() => resolve(run.isIdle() ? undefined : this.when(run, signal))));
    return unlessAborted(signal, (wake) => {
      this.#waiters ??= new Set();
      this.#waiters.add(wake);
      return () => this.#waiters?.delete(wake); // a run may work for days, and be asked all the time
    });
  }
}
