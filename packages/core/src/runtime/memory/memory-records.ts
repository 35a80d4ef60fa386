import type { Timers } from "../../host.js";
import { pageSize } from "../../value/options.js";
import type { RecordKey, RecordPage, RecordQuery, RecordWrite, StoredRecord } from "../store/run-store.types.js";
import { recordKeyOf, recordPageOf } from "../store/store-kit.js";
import { countWhile, type DueEntry, entryOf, type MemoryRun } from "./memory-run.js";

/** Versioned records: a map of tenants, of kinds, of ids. */
export class MemoryRecords {
  readonly #tenants = new Map<string, Map<string, Kind>>();

  get({ tenant, kind, id }: RecordKey): StoredRecord | null {
    return this.#tenants.get(tenant)?.get(kind)?.records.get(id) ?? null;
  }

  /** Keys of the records that have another version than expected. */
  conflicts(writes: readonly RecordWrite[]): RecordKey[] {
    return writes.filter((write) => (this.get(write)?.version ?? 0) !== write.expected).map(recordKeyOf);
  }

  write({ tenant, kind, id, expected, text }: RecordWrite): void {
    const kinds = entryOf(this.#tenants, tenant, () => new Map<string, Kind>());
    const records = entryOf(kinds, kind, () => new Kind());
    if (text !== null) records.set(id, { version: expected + 1, text });
    else records.delete(id);
    if (records.records.size === 0) kinds.delete(kind);
    if (kinds.size === 0) this.#tenants.delete(tenant);
  }

  page({ tenant, kind, prefix = "", limit, cursor }: RecordQuery): RecordPage {
    const found = this.#tenants.get(tenant)?.get(kind);
    const ids = found?.ids ?? [];
    // A cursor is the last id of its page.
    const start = Math.max(
      countWhile(ids, (id) => compareText(id, prefix) < 0),
      cursor === undefined ? 0 : countWhile(ids, (id) => compareText(id, cursor) <= 0),
    );
    // Reading one more record than requested shows whether there is a next page.
    const page = ids.slice(start, start + pageSize(limit) + 1).filter((id) => id.startsWith(prefix));
    const records = page.map((id) => ({ tenant, kind, id, ...(found?.records.get(id) as StoredRecord) }));
    return recordPageOf(records, limit);
  }
}

/** The records of one kind; their ids are sorted when a list needs it. */
class Kind {
  readonly records = new Map<string, StoredRecord>();
  #ids: string[] | null = null;

  get ids(): readonly string[] {
    this.#ids ??= [...this.records.keys()].sort(compareText);
    return this.#ids;
  }

  set(id: string, record: StoredRecord): void {
    if (!this.records.has(id)) this.#ids = null;
    this.records.set(id, record);
  }

  delete(id: string): void {
    if (this.records.delete(id)) this.#ids = null;
  }
}

/** Compares by code points, as UTF-8 sorts; `<` on texts compares UTF-16 units, where a surrogate comes before U+E000. */
function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// ---- queues of runs that need an owner: each run is in one of them, or in none

export function enqueue(run: MemoryRun, queue: Timers<DueEntry>, dueAtMs: number): void {
  if (run.due?.queue === queue && run.due.dueAtMs === dueAtMs) return;
  dequeue(run);
  run.due = queue.add({ dueAtMs, order: run.number, position: 0, run, queue });
}

export function dequeue(run: MemoryRun): void {
  run.due?.queue.remove(run.due);
  run.due = null;
}

export function putBack(entries: readonly DueEntry[]): void {
  for (const { queue, run, dueAtMs } of entries) enqueue(run, queue, dueAtMs);
}

/** The first wanted run of a queue. */
export function firstOf(queue: Timers<DueEntry>, isWanted: (run: MemoryRun) => boolean): DueEntry | undefined {
  const passed: DueEntry[] = [];
  let first = queue.first();
  for (; first !== undefined && !isWanted(first.run); first = queue.first()) {
    dequeue(first.run);
    passed.push(first);
  }
  putBack(passed);
  return first;
}
