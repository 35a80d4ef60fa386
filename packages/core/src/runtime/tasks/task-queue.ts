/**
 * The list of work that is due at a time and is no run yet: occurrences of schedules.
 *
 * An entry is a record whose id begins with its time, so reading the due entries does not read the others. Each entry belongs to
 * another record (its source), and changes in the same transaction: a second process finds another version there.
 *
 * @module
 */
import type { RecordWrite, RunStore } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, timeText } from "../text/own-records.js";

const DUE = ownKind("due");
/** One list for all tenants. */
const TENANT = "";
const PAGE = 100;

export interface DueEntry {
  readonly what: "schedule";
  readonly tenant: string;
  /** Id of the source. */
  readonly id: string;
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Also due, and earlier, when this run has ended; `null` for none. */
  readonly afterRun: string | null;
}

/** An entry as it is stored. */
export interface StoredDueEntry extends DueEntry {
  /** Unique, also among entries of the same source. */
  readonly key: string;
}

/**
 * The write of an entry. Its `id` is the key of the entry.
 *
 * @param version Version of the source that is written together with the entry.
 */
export function addDue(store: RunStore, entry: DueEntry, version: number): RecordWrite {
  const source = JSON.stringify([entry.what, entry.tenant, entry.id, version]);
  const id = `${timeText(entry.afterRun === null ? entry.atMs : 0)} ${store.hash(source)}`;
  return { tenant: TENANT, kind: DUE, id, expected: 0, text: JSON.stringify(entry) };
}

export function removeDue(key: string): RecordWrite {
  return { tenant: TENANT, kind: DUE, id: key, expected: 1, text: null };
}

/** Entries by time; those that wait for a run come first. */
export async function* dueEntries(store: RunStore): AsyncGenerator<StoredDueEntry, void> {
  const query = { tenant: TENANT, kind: DUE, limit: PAGE };
  for await (const { records } of allPages((from) => store.records({ ...query, ...from })))
    for (const { id, text } of records) yield { ...(parseJson(text, `due entry "${id}"`) as DueEntry), key: id };
}
