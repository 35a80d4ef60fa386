/**
 * Remembers where looks for due runs begin in the index of their times.
 *
 * Each claim leaves entries at the left end of the index. PostgreSQL cannot remove them while a transaction is open that began
 * earlier, and each look would walk all of them. So after a look that has walked many, the next ones begin shortly before the
 * earliest time at which a run can still wait. A run with an earlier time, such as one released late, is found by
 * the next look at the whole index: such looks take a tenth of the time, and come at least every ten seconds.
 *
 * @module
 */

/** Looks that walk fewer entries stay whole. */
const manyEntries = 2_000;
/** Covers runs that others had locked, and those that were on their way into the index. */
const marginMs = 1_000;
const shortestPauseMs = 1_000;
const longestPauseMs = 10_000;
/** Pause between whole looks, over the time that one takes. */
const restFactor = 9;

/** Where a look at the whole index begins. */
export const everything: number = Number.MIN_SAFE_INTEGER;

/** A look that has taken what it found. Times of runs are by the clock of the server. */
export interface DueLook {
  readonly fromMs: number;
  /** No run that waits since an earlier time was left, unless others had locked it. */
  readonly emptyBeforeMs: number;
  /** How many entries of the index it has walked; 0 if it found nothing. */
  readonly entries: number;
  readonly tookMs: number;
}

export class DueEdge {
  #fromMs = everything;
  #wholeAtMs = 0;

  /** Returns where the next look begins. */
  from(nowMs: number = Number.POSITIVE_INFINITY): number {
    const isWhole = performance.now() >= this.#wholeAtMs || nowMs < this.#fromMs;
    return isWhole ? everything : this.#fromMs;
  }

  looked({ fromMs, emptyBeforeMs, entries, tookMs }: DueLook): void {
    if (fromMs === everything) this.lookedWhole(tookMs);
    const isCrowded = fromMs !== everything || entries >= manyEntries;
    this.#fromMs = isCrowded ? emptyBeforeMs - marginMs : everything;
  }

  /** The whole index was walked: it rests for a while. */
  lookedWhole(tookMs: number): void {
    const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, restFactor * tookMs));
    this.#wholeAtMs = performance.now() + pauseMs;
  }

  /** The next look has to see this time. */
  found(atMs: number): void {
    this.#fromMs = Math.min(this.#fromMs, atMs);
  }
}
