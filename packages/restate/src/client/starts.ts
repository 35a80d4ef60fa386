/**
 * Runs that begin together with records, as an occurrence of a schedule does: the records say so first, then Restate is told. What a client
 * that has died has left of this, any other one finishes; the id of the run sees to it that it begins once.
 *
 * @module
 */
import { newStoredRun } from "millrace/engine";
import type { CommitResult, NewRunRecord, RecordKey, RecordWrite, RunKey, StoredRun } from "millrace/runtime";
import { sha256 } from "../hash.js";
import type { RecordStore } from "../kept/record-store.js";

/** A run that Restate may not have been told of. */
interface Starting {
  readonly key: RunKey;
  readonly record: NewRunRecord;
  readonly atMs: number;
}

/** In one list over all tenants. */
const LIST = { tenant: "", kind: "millrace:starting" } as const;
const PAGE = 100;
/** Starts that are made at once. */
const AT_ONCE = 10;
/** Whoever has written it tells Restate at once; others wait for so long. */
const LEFT_ALONE_MS = 5_000;

export class Starts {
  readonly #records: RecordStore;
  readonly #start: (key: RunKey, record: NewRunRecord) => Promise<CommitResult>;
  #nextAtMs: number | null = null;

  constructor(records: RecordStore, start: (key: RunKey, record: NewRunRecord) => Promise<CommitResult>) {
    this.#records = records;
    this.#start = start;
  }

  /** Both or neither. A start that Restate does not take now is made later. */
  async begin(key: RunKey, record: NewRunRecord, writes: readonly RecordWrite[]): Promise<CommitResult> {
    const of = startingKey(key);
    const text = JSON.stringify({ key, record, atMs: Date.now() } satisfies Starting);
    const conflicts = await this.#records.writeRecords([...writes, { ...of, expected: 0, text }]);
    if (conflicts.length > 0) return { status: "conflict", records: conflicts };
    await this.#start(key, record).then(
      () => this.#told(of),
      () => {}, // it is stored that it begins: `finish` tries again, and says so where that fails
    );
    return { status: "stored" };
  }

  /** Of a run that Restate may not have been told of. */
  async find(key: RunKey): Promise<StoredRun | null> {
    const found = await this.#records.record(startingKey(key));
    return found === null ? null : newStoredRun(key, (JSON.parse(found.text) as Starting).record);
  }

  /** Tells Restate of all that others have left. */
  async finish(): Promise<void> {
    const failures: unknown[] = [];
    let firstAtMs = Number.POSITIVE_INFINITY;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.#records.records({ ...LIST, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      cursor = page.cursor;
      const due: (() => Promise<void>)[] = [];
      for (const { tenant, kind, id, text } of page.records) {
        const { key, record, atMs } = JSON.parse(text) as Starting;
        if (Date.now() - atMs < LEFT_ALONE_MS) firstAtMs = Math.min(firstAtMs, atMs + LEFT_ALONE_MS);
        else due.push(() => this.#start(key, record).then(() => this.#told({ tenant, kind, id })));
      }
      for (let index = 0; index < due.length; index += AT_ONCE) {
        const starts = await Promise.allSettled(due.slice(index, index + AT_ONCE).map((start) => start()));
        for (const start of starts) if (start.status === "rejected") failures.push(start.reason);
      }
    }
    this.#nextAtMs = Number.isFinite(firstAtMs) ? firstAtMs : null;
    if (failures.length > 0) throw failures[0]; // after the others: one that cannot be taken must not keep them
  }

  /** When `finish` has something to do, as far as it has seen. */
  get nextAtMs(): number | null {
    return this.#nextAtMs;
  }

  async #told(of: RecordKey): Promise<void> {
    await this.#records.writeRecords([{ ...of, expected: 1, text: null }]);
  }
}

function startingKey({ tenant, runId }: RunKey): RecordKey {
  return { ...LIST, id: sha256(JSON.stringify([tenant, runId])) };
}
