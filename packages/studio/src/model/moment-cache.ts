/** Caches answers of the server about a run after a tick. The past does not change, so an entry stays until newer ones evict it. */
import type { RunMoment } from "@millrace/client";

const mostKept = 200;

export class MomentCache {
  readonly #byNumber = new Map<number, RunMoment>();

  put(moment: RunMoment): void {
    this.#byNumber.delete(moment.number);
    this.#byNumber.set(moment.number, moment);
    const oldest = this.#byNumber.keys().next();
    if (this.#byNumber.size > mostKept && oldest.done !== true) this.#byNumber.delete(oldest.value);
  }

  get(number: number): RunMoment | undefined {
    return this.#byNumber.get(number);
  }

  nearest(number: number): RunMoment | undefined {
    let best: RunMoment | undefined;
    for (const moment of this.#byNumber.values()) {
      if (best === undefined || Math.abs(moment.number - number) < Math.abs(best.number - number)) best = moment;
    }
    return best;
  }
}
