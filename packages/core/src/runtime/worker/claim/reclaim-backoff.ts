import type { Clock } from "../../../host.js";
import { jittered } from "../../../system/system.js";

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
