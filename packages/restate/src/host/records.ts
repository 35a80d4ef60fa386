/**
 * Records that a step writes, in a store beside Restate: written once or refused once, even if the process dies in between.
 *
 *     step ends ──► proposal (journaled) ──► decided in the store, with a mark ──► answer (journaled) ──► its ticks are kept, or not
 *
 * The mark is a record of the run. It is written in one transaction with the records and names the proposal, so a repeated request gets
 * the same answer.
 *
 * @module
 */
import type { RecordKey, RecordWrite, RunKey } from "millrace/runtime";
import type { KeptCommit } from "../kept/kept-run.js";
import type { RecordStore } from "../kept/record-store.js";

/** A commit that is valid only if its records are written. */
export interface Proposal {
  readonly id: string;
  /** Version of the mark before the decision: an attempt that has ended cannot decide. */
  readonly mark: number;
  readonly commit: KeptCommit;
  readonly records: readonly RecordWrite[];
}

interface Mark {
  readonly id: string;
  readonly conflicts: readonly RecordKey[];
}

export class HostRecords {
  readonly store: RecordStore;

  constructor(store: RecordStore) {
    this.store = store;
  }

  async propose(run: RunKey, commit: KeptCommit, records: readonly RecordWrite[]): Promise<Proposal> {
    const mark = (await this.store.record(markKey(run)))?.version ?? 0;
    return { id: crypto.randomUUID(), mark, commit, records };
  }

  /** Returns the records that others have changed: then none is written. */
  async decide(run: RunKey, { id, mark, records }: Proposal): Promise<readonly RecordKey[]> {
    const key = markKey(run);
    const write = (conflicts: readonly RecordKey[]): RecordWrite => {
      const text = JSON.stringify({ id, conflicts } satisfies Mark);
      return { ...key, expected: mark, text };
    };
    const conflicts = await this.store.writeRecords([...records, write([])]);
    if (conflicts.length === 0) return [];
    if (!conflicts.some(({ kind }) => kind === KIND)) {
      const others = await this.store.writeRecords([write(conflicts)]);
      if (others.length === 0) return conflicts;
    }
    const decided = await this.store.record(key);
    const last = decided === null ? null : (JSON.parse(decided.text) as Mark);
    // With the mark of another proposal, this attempt has ended and its answer is not used.
    return last?.id === id ? last.conflicts : conflicts;
  }

  /** Removes the mark, when the run is removed. */
  async forget(run: RunKey): Promise<void> {
    const key = markKey(run);
    const mark = await this.store.record(key);
    if (mark !== null) await this.store.writeRecords([{ ...key, expected: mark.version, text: null }]);
  }
}

const KIND = "millrace:restate";

function markKey({ tenant, runId }: RunKey): RecordKey {
  return { tenant, kind: KIND, id: runId };
}
