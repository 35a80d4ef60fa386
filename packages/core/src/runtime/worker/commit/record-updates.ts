/**
 * The record updates of one commit: one write for each record, however many steps update it.
 *
 * The functions are pure, so that they can be called again with what is stored: after a conflict, and where several steps update
 * the same record in one commit.
 *
 * @module
 */
import type { RecordKey, RecordWrite, RunStore, StoredRecord } from "../../store/run-store.types.js";
import { type RecordChange, recordName, updatedText } from "../../text/record-text.js";

/** One record, as a step or a commit changes it. */
export interface UpdatedRecord {
  readonly key: RecordKey;
  /** What the changes begin with; `null` for no record. */
  stored: StoredRecord | null;
  readonly changes: RecordChange[];
  /** Result of the changes; `null` deletes the record, `undefined` is not known yet. */
  text: string | null | undefined;
}

/** What one attempt updates. */
interface Updating {
  readonly updated: Iterable<UpdatedRecord>;
  /** Its turns end. */
  settle(): void;
}

export class RecordUpdates {
  readonly #records: Map<string, UpdatedRecord> = new Map();
  /** Attempts whose turns end with the commit. */
  readonly #attempts: Set<Updating> = new Set();

  add(attempt: Updating): void {
    this.#attempts.add(attempt);
    for (const record of attempt.updated) this.#include(record);
  }

  /** Adds the updates of a later commit, which are made after these. */
  absorb(later: RecordUpdates): void {
    for (const attempt of later.#attempts) this.#attempts.add(attempt);
    for (const record of later.#records.values()) this.#include(record);
  }

  /** What the store writes. @throws what a function throws, or `VALUE_UNSERIALIZABLE`. */
  writes(): RecordWrite[] {
    return [...this.#records.values()].flatMap((record) => {
      const { key, stored, changes } = record;
      if (record.text === undefined) record.text = updatedText(key, stored, changes);
      if (stored === null && record.text === null) return [];
      return [{ ...key, expected: stored?.version ?? 0, text: record.text }];
    });
  }

  /** Reads the records that others have changed. */
  async readAgain(keys: readonly RecordKey[], store: Pick<RunStore, "record">): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const record = this.#records.get(recordName(key));
        if (record === undefined) return;
        record.stored = await store.record(key);
        record.text = undefined;
      }),
    );
  }

  /** They are stored, or never will be. */
  settle(): void {
    for (const attempt of this.#attempts) attempt.settle();
    this.#attempts.clear();
    this.#records.clear();
  }

  #include({ key, stored, changes, text }: UpdatedRecord): void {
    const name = recordName(key);
    const known = this.#records.get(name);
    if (known === undefined) this.#records.set(name, { key, stored, changes: [...changes], text });
    else {
      known.changes.push(...changes);
      known.text = undefined;
    }
  }
}
