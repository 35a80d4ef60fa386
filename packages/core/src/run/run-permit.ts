/** The place of one run within `maxConcurrentRuns`: held while the run has something to do. */
import type { Permits } from "../limit/permits.js";

export class RunPermit {
  readonly #permits: Permits;
  #status: "none" | "held" | "skipped" = "none";
  #leaveQueue: (() => void) | null = null;

  constructor(permits: Permits) {
    this.#permits = permits;
  }

  /** `true`: the run has to wait for a permit before it does anything. */
  get isMissing(): boolean {
    return this.#status === "none";
  }

  wait(granted: () => void): void {
    this.#leaveQueue = this.#permits.wait(() => {
      this.#status = "held";
      this.#leaveQueue = null;
      granted();
    });
  }

  /** The run needs no permit from here on. Returns whether it has waited for one. */
  skip(): boolean {
    if (this.#status !== "none") return false;
    this.#status = "skipped";
    const leave = this.#leaveQueue;
    this.#leaveQueue = null;
    leave?.();
    return leave !== null;
  }

  /** Frees the permit for another run. */
  release(): void {
    if (this.#status !== "held") return;
    this.#status = "none";
    this.#permits.give();
  }
}
