/**
 * Records that expire: a list names them, and executing processes delete them.
 *
 * @module
 */

import type { RecordKey, RecordWrite, RunStore } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, timeText } from "../text/own-records.js";

const TENANT = "";
const KIND = ownKind("expiry");
const PAGE = 100;

interface Expiring extends RecordKey {
  readonly version: number;
}

/** The write of an entry, to be done together with that version of the record. Its `id` is the key of the entry. */
export function addExpiry(store: RunStore, of: Expiring, atMs: number): RecordWrite {
  const id = `${timeText(atMs)} ${store.hash(JSON.stringify([of.tenant, of.kind, of.id, of.version]))}`;
  return { tenant: TENANT, kind: KIND, id, expected: 0, text: JSON.stringify(of) };
}

export function removeExpiry(key: string): RecordWrite {
  return { tenant: TENANT, kind: KIND, id: key, expected: 1, text: null };
}

/** Deletes expired records. */
export async function sweepExpired(store: RunStore, nowMs: number): Promise<void> {
  for (;;) {
    const { records } = await store.records({ tenant: TENANT, kind: KIND, limit: PAGE });
    const over = records.filter(({ id }) => id < timeText(nowMs));
    for (const { id, text } of over) {
      const { version, ...key } = parseJson(text, `expiry "${id}"`) as Expiring;
      const conflicts = await store.writeRecords([{ ...key, expected: version, text: null }, removeExpiry(id)]);
      // Another process has done the same, or the record was written by hand.
      if (conflicts.length > 0) await store.writeRecords([removeExpiry(id)]);
    }
    if (over.length < PAGE) return;
  }
}
