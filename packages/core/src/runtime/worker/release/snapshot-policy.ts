/** When a run takes its next snapshot, and which ticks and snapshots stay. */

import type { LiveRun } from "../../../host.js";
import type { RunCommit } from "../../store/run-store.types.js";
import { BLOB_LENGTH } from "../../text/blob-text.js";

export interface SnapshotSettings {
  readonly snapshotEvery: number;
  /** How many of the last ticks stay; null: all. */
  readonly keepTicks: number | null;
}

export class SnapshotPolicy {
  readonly #settings: SnapshotSettings;
  readonly #hasPartialHistory: boolean;
  /** Ticks with a snapshot, as far as they are known here. */
  #at: number[];
  #missedAt = 0;
  /** Of the last one, once it was taken here. */
  #length = 0;
  /** Of the ticks since then. */
  #lengthSince = 0;

  /** @param hasPartialHistory The run begins with a snapshot: its ticks alone produce no state. */
  constructor(
    settings: SnapshotSettings,
    { lastAt, hasPartialHistory }: { readonly lastAt: number; readonly hasPartialHistory: boolean },
  ) {
    this.#settings = settings;
    this.#hasPartialHistory = hasPartialHistory;
    this.#at = [lastAt];
  }

  stored(entries: readonly string[]): void {
    for (const { length } of entries) this.#lengthSince += length;
  }

  /** A long one waits for as much in ticks, so that what a tick takes does not grow with the state of the run. */
  isDue(tick: number): boolean {
    if (tick - Math.max(this.#missedAt, this.#at.at(-1) ?? 0) < this.#settings.snapshotEvery) return false;
    return this.#length <= BLOB_LENGTH || this.#lengthSince >= this.#length;
  }

  /**
   * The text of a snapshot. `null`: it does not fit into one. The ticks since the previous snapshot stay then, so a load has all that it
   * needs; a snapshot is tried again after as many ticks.
   */
  textOf(snapshot: object, tick: number, { host, state }: LiveRun): string | null {
    try {
      return JSON.stringify(snapshot);
    } catch (error) {
      host.ports.log.error(`The snapshot of run "${state.runId}" is too large to be stored.`, error);
      this.#missedAt = tick;
      return null;
    }
  }

  /** Returns what is no longer needed. */
  taken(tick: number, length: number): NonNullable<RunCommit["prune"]> {
    const { keepTicks } = this.#settings;
    this.#length = length;
    this.#lengthSince = 0;
    this.#at.push(tick);
    // The oldest tick that stays follows a snapshot: without one, nothing could be made of it.
    const cut = keepTicks === null ? 0 : (this.#at.findLast((at) => at <= tick - keepTicks) ?? 0);
    this.#at = keepTicks === null ? [tick] : this.#at.filter((at) => at >= cut);
    return { ticks: cut, snapshots: keepTicks === null && !this.#hasPartialHistory ? tick : cut };
  }
}
