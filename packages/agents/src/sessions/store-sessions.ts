/**
 * Sessions among the records of a run store, where the runs of pipelines are kept, too.
 *
 * A session is one record and each of its runs another, so that a session does not grow with its runs. A save writes
 * both in one transaction.
 *
 * @module
 */

import { isObject } from "@millrace/executor";
import { WorkflowError } from "millrace";
import type { RecordKey, RecordQuery, RecordWrite, RunStore } from "millrace/runtime";
import type {
  AgentSession,
  AgentSessionRun,
  AgentSessions,
  RunsQuery,
  SaveSession,
  SaveSessionResult,
} from "../settings/sessions.types.js";
import { fits } from "./memory-sessions.js";

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

interface StoredSession extends Pick<AgentSession, "sessionId" | "userId" | "state" | "metrics"> {
  /** What a list of sessions shows of the runs; it reads none of them. */
  readonly runs: RunFacts;
}

interface RunFacts {
  readonly count: number;
  /** When the newest run began, in epoch milliseconds; `null` without runs. */
  readonly newestAtMs: number | null;
}

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
    const { runs: _facts, ...session } = parseRecord<StoredSession>(key, record.text);
    return { ...session, runs: await this.#newestRuns(sessionId, query), version: record.version };
  }

  async save({ run, expectedVersion, ...session }: SaveSession): Promise<SaveSessionResult> {
    const { sessionId, userId, state, metrics } = session;
    const key = sessionKey(this.#tenant, sessionId);
    const own = run === null ? [] : [await this.#runWrite(run, { sessionId, version: expectedVersion })];
    const runs = factsWith(run, await this.#runFacts(key), own[0]?.expected === 0);
    const stored: StoredSession = { sessionId, userId, state, metrics, runs };
    const conflicts = await this.#store.writeRecords([
      { ...key, expected: expectedVersion, text: recordText(stored) },
      ...own,
    ]);
    return conflicts.length > 0 ? { status: "conflict" } : { status: "saved", version: expectedVersion + 1 };
  }

  async #runFacts(key: RecordKey): Promise<RunFacts> {
    const record = await this.#store.record(key);
    return (record && parseRecord<Partial<StoredSession>>(key, record.text).runs) ?? { count: 0, newestAtMs: null };
  }

  /** A record exists already when the run was continued after a pause. */
  async #runWrite(run: AgentSessionRun, { sessionId, version }: SessionVersion): Promise<RecordWrite> {
    const { tenant, kind, prefix } = runPrefix(this.#tenant, sessionId);
    const place = `${prefix}${placeOf(run)}/`;
    const { records } = await this.#store.records({ tenant, kind, prefix: place, limit: 1_000 });
    const known = records.find(({ id }) => id.slice(place.length + DIGITS + 1) === run.runId);
    const id = known?.id ?? `${place}${rankOf(version)}/${run.runId}`;
    return { tenant, kind, id, expected: known?.version ?? 0, text: recordText(run) };
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

function factsWith(run: AgentSessionRun | null, { count, newestAtMs }: RunFacts, isNew: boolean): RunFacts {
  if (run === null) return { count, newestAtMs };
  return { count: count + (isNew ? 1 : 0), newestAtMs: Math.max(newestAtMs ?? run.createdAtMs, run.createdAtMs) };
}

const SESSION_KIND = "agent-session";
const RUN_KIND = "agent-run";
/** The largest epoch milliseconds of a `Date`; sixteen digits. */
const LAST_MS = 8_640_000_000_000_000;
const DIGITS = 16;

/** A session before a save. */
interface SessionVersion {
  readonly sessionId: string;
  readonly version: number;
}

function sessionKey(tenant: string, sessionId: string): RecordKey {
  return { tenant, kind: SESSION_KIND, id: sessionId };
}

/** Of an id, sorts by the time left until `LAST_MS`, so that the newest run comes first. */
function placeOf({ createdAtMs }: AgentSessionRun): string {
  return String(LAST_MS - createdAtMs).padStart(DIGITS, "0");
}

/** The same among runs of one millisecond, by the version of the session that first had the run. */
function rankOf(version: number): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(DIGITS, "0");
}

function runPrefix(tenant: string, sessionId: string): Required<Pick<RecordQuery, "tenant" | "kind" | "prefix">> {
  return { tenant, kind: RUN_KIND, prefix: `${idPart(sessionId)}/` };
}

/** Escapes slashes, or the runs of "a/b" would be among those of "a". */
function idPart(sessionId: string): string {
  return sessionId.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** Writes plain data in the form of `runtime.records`, which can then read it. */
function recordText(value: object): string {
  return JSON.stringify({ json: value });
}

/** @throws {WorkflowError} `STORE_CORRUPT` for text in any other form. */
function parseRecord<Value>(key: RecordKey, text: string): Value {
  const value = parsed(text);
  if (isObject(value) && isObject(value["json"])) return value["json"] as Value;
  throw new WorkflowError({
    code: "STORE_CORRUPT",
    message: `The record "${key.id}" of the kind "${key.kind}" cannot be read: it is ${text.length} characters of something else.`,
    hint: "Restore the record from a copy of the store, or delete it.",
    details: { kind: key.kind, id: key.id },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a load reports it as unreadable
  }
}
