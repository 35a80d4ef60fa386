/** The place of one run within `maxConcurrentRuns`: held while the run has something to do. */
import type { Limiter, Release } from "../limit/limiter.js";

export class RunPermit {
  readonly #permits: Limiter;
  #isSkipped = false;
  /** `null` while the run holds no permit. */
  #release: Release | null = null;
  #leaveQueue: (() => void) | null = null;

  constructor(permits: Limiter) {
    this.#permits = permits;
  }

  /** `true`: the run has to wait for a permit before it does anything. */
  get isMissing(): boolean {
    return this.#release === null && !this.#isSkipped;
  }

  wait(granted: () => void): void {
    this.#leaveQueue = this.#permits.wait((release) => {
      this.#release = release;
      this.#leaveQueue = null;
      granted();
    });
  }

  /** The run needs no permit from here on. Returns whether it has waited for one. */
  skip(): boolean {
    if (!this.isMissing) return false;
    this.#isSkipped = true;
    const leave = this.#leaveQueue;
    this.#leaveQueue = null;
    leave?.();
    return leave !== null;
  }

  /** Frees the permit for another run. */
  release(): void {
    const release = this.#release;
    this.#release = null;
    release?.();
  }
}
