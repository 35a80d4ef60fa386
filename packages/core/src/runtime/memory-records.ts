import type { RecordKey, RecordWrite, StoredRecord } from "./run-store.types.js";

/** Versioned records: a map of tenants, of kinds, of ids. */
export class MemoryRecords {
  readonly #tenants = new Map<string, Map<string, Map<string, StoredRecord>>>();

  get({ tenant, kind, id }: RecordKey): StoredRecord | null {
    return this.#tenants.get(tenant)?.get(kind)?.get(id) ?? null;
  }

  /** Those that have another version than expected. */
  conflicts(writes: readonly RecordWrite[]): RecordKey[] {
    return writes
      .filter((write) => (this.get(write)?.version ?? 0) !== write.expected)
      .map(({ tenant, kind, id }) => ({ tenant, kind, id }));
  }

  write({ tenant, kind, id, expected, text }: RecordWrite): void {
    const kinds = childOf(this.#tenants, tenant);
    const ids = childOf(kinds, kind);
    if (text !== null) ids.set(id, { version: expected + 1, text });
    else ids.delete(id);
    if (ids.size === 0) kinds.delete(kind);
    if (kinds.size === 0) this.#tenants.delete(tenant);
  }
}

function childOf<Child>(parent: Map<string, Map<string, Child>>, name: string): Map<string, Child> {
  let child = parent.get(name);
  if (child === undefined) parent.set(name, (child = new Map()));
  return child;
}
