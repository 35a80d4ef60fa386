/** Sessions for callers outside of runs, in the records of a runtime. */

import { assertOwner, assertState, copyJson, isObject, type JsonObject, sessionUnknown } from "@millrace/executor";
import { WorkflowError } from "millrace";
import { checkOptions, type Rules, unchecked } from "millrace/engine";
import type { RuntimeRecords } from "millrace/runtime";
import { SESSION_KIND, type SessionRecord } from "./session-record.js";

export interface SessionQuery {
  /** User to whom the sessions belong. @default any */
  readonly userId?: string;
  /** Pipeline that the sessions belong to. @default any */
  readonly pipelineId?: string;
  /** Common beginning of the ids. */
  readonly prefix?: string;
  /** Maximum number of sessions: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** Their values are checked where they are read. */
const queryRules: Rules<SessionQuery> = unchecked("userId pipelineId prefix limit cursor");

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  /** Cursor for the next page; `null` on the last one. */
  readonly cursor: string | null;
}

export type SessionNaming =
  | { readonly name: string }
  /** Makes the name from the description and the time. */
  | { readonly autogenerate: true; readonly description?: string };

export class SessionStore {
  readonly #records: RuntimeRecords;
  readonly #now: () => number;

  /** @param now Present time in epoch milliseconds. */
  constructor(records: RuntimeRecords, now: () => number = Date.now) {
    this.#records = records;
    this.#now = now;
  }

  /**
   * Reads a session; `null` when it does not exist.
   *
   * @throws {WorkflowError} `SESSION_FOREIGN` when it belongs to another user; errors of the store.
   */
  async get(sessionId: string, userId?: string): Promise<SessionRecord | null> {
    return (await this.#read(sessionId, userId))?.session ?? null;
  }

  /**
   * Lists sessions by id. Sessions of other users are left out of a page, so a page with a `cursor` may be short or
   * empty.
   */
  async list(query: SessionQuery = {}): Promise<SessionPage> {
    checkOptions("The sessions cannot be listed", query, { rules: queryRules });
    const { userId, pipelineId, ...page } = query;
    const { records, cursor } = await this.#records.list({ kind: SESSION_KIND, ...page });
    const sessions = records
      .map(({ value }) => value as SessionRecord)
      .filter((session) => userId === undefined || session.userId === userId)
      .filter((session) => pipelineId === undefined || session.pipelineId === pipelineId);
    return { sessions, cursor };
  }

  /**
   * Deletes a session and keeps its runs. A session that does not exist counts as deleted.
   *
   * @throws {WorkflowError} `SESSION_FOREIGN`
   */
  async delete(sessionId: string, userId?: string): Promise<void> {
    await this.#retry(async () => {
      const found = await this.#read(sessionId, userId);
      if (found === null) return;
      await this.#records.write([{ kind: SESSION_KIND, id: sessionId, expected: found.version, delete: true }]);
    });
  }

  /** Reads a copy of the state. @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`. */
  async getSessionState(sessionId: string, userId?: string): Promise<JsonObject> {
    const found = await this.#read(sessionId, userId);
    if (found === null) throw unknown(sessionId);
    return copyJson(found.session.state);
  }

  /**
   * Replaces these fields of the state, stores it at once, and returns it. Concurrent changes of other fields stay.
   *
   * @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`, `VALUE_UNSERIALIZABLE`.
   */
  async updateSessionState(updates: Readonly<JsonObject>, sessionId: string, userId?: string): Promise<JsonObject> {
    assertState(updates);
    const session = await this.#change(sessionId, userId, ({ state }) => ({ state: { ...state, ...updates } }));
    return copyJson(session.state);
  }

  /** @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`, `OPTION_INVALID`. */
  async rename(sessionId: string, name: string, userId?: string): Promise<SessionRecord> {
    if (typeof name !== "string" || name === "") throw noName(name);
    return this.#change(sessionId, userId, () => ({ name }));
  }

  /** @throws {WorkflowError} `SESSION_UNKNOWN`, `SESSION_FOREIGN`, `OPTION_INVALID`. */
  async setSessionName(naming: SessionNaming, sessionId: string, userId?: string): Promise<SessionRecord> {
    if (!isObject(naming) || (!("name" in naming) && naming.autogenerate !== true)) throw noName(undefined);
    const name = "name" in naming ? naming.name : generatedName(naming.description, this.#now());
    return this.rename(sessionId, name, userId);
  }

  async #read(
    sessionId: string,
    userId: string | undefined,
  ): Promise<{ version: number; session: SessionRecord } | null> {
    const found = await this.#records.read(SESSION_KIND, sessionId);
    if (found === null) return null;
    const session = found.value as SessionRecord;
    assertOwner(session, userId);
    return { version: found.version, session };
  }

  #change(
    sessionId: string,
    userId: string | undefined,
    change: (session: SessionRecord) => Partial<SessionRecord>,
  ): Promise<SessionRecord> {
    return this.#retry(async () => {
      const found = await this.#read(sessionId, userId);
      if (found === null) throw unknown(sessionId);
      const value = { ...found.session, ...change(found.session), updatedAtMs: this.#now() };
      await this.#records.write([{ kind: SESSION_KIND, id: sessionId, expected: found.version, value }]);
      return value;
    });
  }

  /** Retries after conflicts. Each conflict is the success of another writer, so every writer succeeds in the end. */
  async #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!WorkflowError.is(error, "RECORD_CONFLICT")) throw error;
      }
    }
  }
}

/** `<description, cut to 40 characters> - YYYY-MM-DD HH:MM`, in UTC. */
export function generatedName(description: string | undefined, nowMs: number): string {
  const at = new Date(nowMs).toISOString().slice(0, 16).replace("T", " ");
  if (description === undefined || description === "") return `Pipeline Session-${at}`;
  const characters = [...description]; // splits by code point, so that no character is cut in half
  return `${characters.length > 40 ? `${characters.slice(0, 40).join("")}-` : description} - ${at}`;
}

function noName(name: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `The session cannot be named: its \`name\` is ${name === "" ? "empty" : "not a string"}.`,
    hint: "Pass `{ name }`, or `{ autogenerate: true }`.",
    details: { problems: ["name"] },
  });
}

function unknown(sessionId: string): WorkflowError {
  return sessionUnknown(sessionId, "Check the id and the tenant; a session is there once its first run has begun.");
}
