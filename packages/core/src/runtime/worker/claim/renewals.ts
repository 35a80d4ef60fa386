/**
 * Renews the leases of a runtime on its own timer: no other work of the runtime can delay a renewal.
 *
 * @module
 */
import type { Clock, Log } from "../../../engine/ports.js";
import { jittered } from "../../../system/system.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

export interface RenewalsSetup {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds between two renewals. */
  readonly everyMs: number;
  /** `true`: the process may end before the next renewal. */
  readonly isBackground: boolean;
  readonly renew: () => Promise<void>;
  /** Whether no later try can succeed. */
  readonly isOver: (error: unknown) => boolean;
}

export class Renewals {
  readonly #setup: RenewalsSetup;
  #callOff: (() => void) | null = null;
  #renewing: Promise<void> = Promise.resolve();
  #failures = 0;
  #isStarted = false;
  #isStopped = false;

  constructor(setup: RenewalsSetup) {
    this.#setup = setup;
  }

  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    this.#arm(this.#setup.everyMs);
  }

  /** Resolves when renewals have stopped. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    await this.#renewing;
  }

  #arm(inMs: number): void {
    if (this.#isStopped) return;
    const { clock, isBackground } = this.#setup;
    const wake = (): void => {
      this.#renewing = this.#renew();
    };
    this.#callOff = clock.setTimer(clock.now() + inMs, wake, isBackground);
  }

  async #renew(): Promise<void> {
    const { clock, log, everyMs, renew, isOver } = this.#setup;
    const startedAtMs = clock.now();
    try {
      await renew();
      this.#failures = 0;
    } catch (error) {
      if (isOver(error)) return;
      if (this.#failures++ === 0 && !this.#isStopped)
        log.error("The leases of this process could not be renewed; it tries again.", error);
      const pauseMs = Math.min(LONGEST_PAUSE_MS, everyMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
      return this.#arm(jittered(pauseMs, clock));
    }
    // A clock that was set meanwhile must not make it longer.
    this.#arm(Math.min(everyMs, Math.max(0, startedAtMs + everyMs - clock.now())));
  }
}
