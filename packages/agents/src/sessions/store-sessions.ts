/**
 * Sessions among the records of a run store, where the runs of pipelines are kept, too.
 *
 * A session is one record and each of its runs another, so that a session does not grow with its runs. A save writes
 * both in one transaction.
 *
 * @module
 */
import type { RecordKey, RecordWrite, RunStore } from "millrace/runtime";
import { runKey, runPrefix, sessionKey } from "./record-keys.js";
import { parseRecord, recordText } from "./record-text.js";
import { fits } from "./runs-query.js";
import type {
  AgentSession,
  AgentSessionRun,
  AgentSessions,
  RunsQuery,
  SaveSession,
  SaveSessionResult,
} from "./sessions.types.js";

export interface StoreSessionsOptions {
  /** Tenant of the sessions. A session id of another tenant is another session. @default "" */
  readonly tenant?: string;
}

/**
 * Creates sessions in a run store, such as `sqliteStore("app.db")`. Whoever has opened the store closes it.
 *
 * @throws {WorkflowError} from `load` and `save`: the errors of the store, and `STORE_CORRUPT` for an unreadable
 * record.
 */
export function storeSessions(store: RunStore, { tenant = "" }: StoreSessionsOptions = {}): AgentSessions {
  return new StoreSessions(store, tenant);
}

type StoredSession = Pick<AgentSession, "sessionId" | "userId" | "state" | "metrics">;

class StoreSessions implements AgentSessions {
  readonly #store: RunStore;
  readonly #tenant: string;

  constructor(store: RunStore, tenant: string) {
    this.#store = store;
    this.#tenant = tenant;
  }

  async load(sessionId: string, _userId: string | null, query: RunsQuery): Promise<AgentSession | null> {
    const key = sessionKey(this.#tenant, sessionId);
    const record = await this.#store.record(key);
    if (record === null) return null;
    const session = parseRecord<StoredSession>(key, record.text);
    return { ...session, runs: await this.#newestRuns(sessionId, query), version: record.version };
  }

  async save({ run, expectedVersion, ...session }: SaveSession): Promise<SaveSessionResult> {
    const { sessionId, userId, state, metrics } = session;
    const key = sessionKey(this.#tenant, sessionId);
    const stored: StoredSession = { sessionId, userId, state, metrics };
    const writes: RecordWrite[] = [{ ...key, expected: expectedVersion, text: recordText(stored) }];
    if (run !== null) writes.push(await this.#runWrite(sessionId, run));
    const conflicts = await this.#store.writeRecords(writes);
    return conflicts.length > 0 ? { status: "conflict" } : { status: "saved", version: expectedVersion + 1 };
  }

  /** A record exists already when the run was continued after a pause. */
  async #runWrite(sessionId: string, run: AgentSessionRun): Promise<RecordWrite> {
    const key = runKey(this.#tenant, sessionId, run);
    const record = await this.#store.record(key);
    return { ...key, expected: record?.version ?? 0, text: recordText(run) };
  }

  /** Returns the oldest run first, as callers expect; the store lists the newest first. */
  async #newestRuns(sessionId: string, query: RunsQuery): Promise<AgentSessionRun[]> {
    const found: AgentSessionRun[] = [];
    if (query.runs <= 0) return found;
    for await (const run of this.#runs(sessionId, query)) {
      found.push(run);
      if (found.length >= query.runs) break;
    }
    return found.reverse();
  }

  async *#runs(sessionId: string, query: RunsQuery): AsyncGenerator<AgentSessionRun> {
    const { tenant, kind, prefix } = runPrefix(this.#tenant, sessionId);
    const limit = Math.min(Math.max(query.runs, 10), 100);
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await this.#store.records({ tenant, kind, prefix, limit, ...(cursor !== "" && { cursor }) });
      for (const record of page.records) {
        const run = parseRecord<AgentSessionRun>(record as RecordKey, record.text);
        if (fits(run, query)) yield run;
      }
      cursor = page.cursor;
    }
  }
}
