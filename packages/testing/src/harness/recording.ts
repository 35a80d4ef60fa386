/**
 * A journal for tests: records the ticks of a run, and simulates a crash at a given tick.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { Journal, Tick } from "millrace/engine";

export interface StoredTick {
  readonly runId: string;
  readonly tick: Tick;
}

export interface RecordingOptions {
  /**
   * Returns whether the process crashes before this tick is stored; `stored` is the number of ticks stored so far.
   * @default never
   */
  readonly crashBefore?: (next: StoredTick, stored: number) => boolean;
  /** Called with each tick before it counts as stored. An error fails the run. */
  readonly onStored?: (stored: StoredTick) => void;
  /** Called at the crash, before the rest of the round is stored. */
  readonly onCrash?: (lost: StoredTick, isFirstOfRound: boolean) => void;
}

export class Recording implements Journal {
  readonly ticks: StoredTick[] = [];
  /** The first tick that was not stored; `null` without a crash. */
  lost: StoredTick | null = null;
  /** Resolves at the crash. */
  readonly crashed: Promise<void>;
  readonly #options: RecordingOptions;
  readonly #pending: ((error: unknown) => void)[] = [];
  #crash: () => void = () => {};
  #released: WorkflowError | null = null;

  constructor(options: RecordingOptions = {}) {
    this.#options = options;
    this.crashed = new Promise((resolve) => {
      this.#crash = resolve;
    });
  }

  append(runId: string, round: readonly Tick[]): void | Promise<void> {
    if (this.lost !== null) return this.#never();
    const { crashBefore, onStored, onCrash } = this.#options;
    try {
      for (const [index, tick] of round.entries()) {
        if (crashBefore?.({ runId, tick }, this.ticks.length)) {
          this.lost = { runId, tick };
          onCrash?.(this.lost, index === 0);
          this.#crash();
          return this.#never();
        }
        onStored?.({ runId, tick });
        this.ticks.push({ runId, tick });
      }
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** After the crash, everything that waits for the journal waits until the test calls {@link release}. */
  #never(): Promise<void> {
    if (this.#released !== null) return Promise.reject(this.#released);
    return new Promise((_resolve, reject) => void this.#pending.push(reject));
  }

  /**
   * Ends what the crash has left in memory, and frees its resources.
   *
   * @param message Why: of the error with which the work ends that waits for the journal.
   */
  release(message: string): void {
    const hint = "Nothing has to be done.";
    this.#released = new WorkflowError({ code: "RUN_CANCELLED", message, hint });
    for (const reject of this.#pending) reject(this.#released);
  }
}
