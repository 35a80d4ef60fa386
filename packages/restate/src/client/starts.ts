/**
 * Runs that begin together with records, such as an occurrence of a schedule: the records are written first, then the start is sent to
 * Restate. If the client dies between the two, any other client sends it. The id of the run makes sure that it begins once.
 *
 * @module
 */
import { newStoredRun } from "millrace/engine";
import type { CommitResult, NewRunRecord, RecordKey, RecordWrite, RunKey, StoredRun } from "millrace/runtime";
import { sha256 } from "../hash.js";
import type { RecordStore } from "../kept/record-store.js";

/** A run whose start may not have reached Restate. */
interface Starting {
  readonly key: RunKey;
  readonly record: NewRunRecord;
  readonly atMs: number;
}

/** The list of such runs, for all tenants. */
const LIST = { tenant: "", kind: "millrace:starting" } as const;
const PAGE = 100;
/** Most starts at a time. */
const AT_ONCE = 10;
/** Other clients wait this long before they send a start: its writer sends it at once. */
const LEFT_ALONE_MS = 5_000;

export class Starts {
  readonly #records: RecordStore;
  readonly #start: (key: RunKey, record: NewRunRecord) => Promise<CommitResult>;
  #nextAtMs: number | null = null;

  constructor(records: RecordStore, start: (key: RunKey, record: NewRunRecord) => Promise<CommitResult>) {
    this.#records = records;
    this.#start = start;
  }

  /** Writes the records and the start together. A start that fails now is sent later. */
  async begin(key: RunKey, record: NewRunRecord, writes: readonly RecordWrite[]): Promise<CommitResult> {
    const of = startingKey(key);
    const text = JSON.stringify({ key, record, atMs: Date.now() } satisfies Starting);
    const conflicts = await this.#records.writeRecords([...writes, { ...of, expected: 0, text }]);
    if (conflicts.length > 0) return { status: "conflict", records: conflicts };
    await this.#start(key, record).then(
      () => this.#markSent(of),
      () => {}, // the start is stored: `finish` retries it and reports failures
    );
    return { status: "stored" };
  }

  /** The stored start of a run, if it may not have reached Restate. */
  async find(key: RunKey): Promise<StoredRun | null> {
    const found = await this.#records.record(startingKey(key));
    return found === null ? null : newStoredRun(key, (JSON.parse(found.text) as Starting).record);
  }

  /** Sends the starts that other clients left unfinished. */
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
        else due.push(() => this.#start(key, record).then(() => this.#markSent({ tenant, kind, id })));
      }
      for (let index = 0; index < due.length; index += AT_ONCE) {
        const starts = await Promise.allSettled(due.slice(index, index + AT_ONCE).map((start) => start()));
        for (const start of starts) if (start.status === "rejected") failures.push(start.reason);
      }
    }
    this.#nextAtMs = Number.isFinite(firstAtMs) ? firstAtMs : null;
    if (failures.length > 0) throw failures[0]; // after the others: one failed start must not hold them up
  }

  /** When `finish` is next due, as far as it is known. */
  get nextAtMs(): number | null {
    return this.#nextAtMs;
  }

  async #markSent(of: RecordKey): Promise<void> {
    await this.#records.writeRecords([{ ...of, expected: 1, text: null }]);
  }
}

function startingKey({ tenant, runId }: RunKey): RecordKey {
  return { ...LIST, id: sha256(JSON.stringify([tenant, runId])) };
}
