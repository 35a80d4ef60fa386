/**
 * Sessions of pipelines and agents, as their packages keep them among the records of a tenant.
 *
 * | kind            | id                                    | what                                                    |
 * | --------------- | ------------------------------------- | ------------------------------------------------------- |
 * | `session`       | the session                           | of pipelines: state, and the newest thousand runs       |
 * | `agent-session` | the session                           | of agents: state, and the number of runs                |
 * | `agent-run`     | `session/time left/rank/run`, escaped | of agents: a run with its messages, the newest first    |
 *
 * @module
 */

import { z } from "@hono/zod-openapi";
import { WorkflowError } from "millrace";
import type { RecordList } from "millrace/runtime";
import type { SessionDetailsRecord, SessionRecord } from "millrace/wire";
import { type Fields, fieldsOf, listOf } from "../http/guard-json.js";
import { HttpError } from "../http/http-error.js";
import { isoTime } from "../system.js";
import { type SessionQuery, session, sessionDetails, sessionParams, sessionQuery } from "../wire/about-schemas.js";
import { fromCursor, toCursor } from "../wire/cursor.js";
import { handlerRecord } from "../wire/handler-record.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Sessions";
const kinds = ["session", "agent-session"] as const;
type Kind = (typeof kinds)[number];

/** The newest runs of a session that are shown. */
const mostShown = 50;

export function mountSessions(server: Server): void {
  mount(server, {
    route: "GET /sessions",
    needs: ["read", "every"],
    operation: "listSessions",
    summary: "Sessions of pipelines, then of agents, each by id",
    tag,
    query: sessionQuery,
    answers: { 200: ["A page", z.object({ sessions: z.array(session), cursor: z.string().nullable() })] },
    handle: async ({ query, tenant }) => json(await listSessions(server, tenant, query)),
  });
  mount(server, {
    route: "GET /sessions/{id}",
    needs: ["read", "every"],
    operation: "getSession",
    summary: "State of a session, and its newest runs, the oldest of them first",
    tag,
    params: sessionParams,
    answers: { 200: ["The session", sessionDetails] },
    handle: async ({ params, tenant }) => {
      for (const kind of kinds) {
        const found = await sessionOf(server, { tenant, kind, id: params.id });
        if (found !== null) return json(found);
      }
      throw sessionUnknown(params.id);
    },
  });
}

interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  readonly cursor: string | null;
}

async function listSessions({ runtime }: Server, tenant: string, query: SessionQuery): Promise<SessionPage> {
  const { q, limit } = query;
  const at = query.cursor === undefined ? { list: kinds[0], place: "" } : fromCursor(query.cursor, kinds);
  const { list: kind, place } = at;
  const page = await runtime.records.list({
    kind,
    tenant,
    limit,
    ...(q !== undefined && q !== "" && { prefix: q }),
    ...(place !== "" && { cursor: place }),
  });
  const sessions = page.records.map((record) => toSession(kind, record));
  if (page.cursor !== null) return { sessions, cursor: toCursor(kind, page.cursor) };
  return { sessions, cursor: kind === "session" ? toCursor("agent-session", "") : null };
}

type Records = RecordList["records"];

/** Reads only the record of the session, which has the number of its runs. */
function toSession(kind: Kind, { id, value }: Records[number]): SessionRecord {
  const { userId, name, runs, updatedAtMs } = fieldsOf(value);
  const shown = { session_id: id, user_id: textOf(userId), name: textOf(name) };
  if (kind === "session") return { ...shown, runs: listOf(runs).length, updated_at: timeOf(updatedAtMs) };
  const { count, newestAtMs } = fieldsOf(runs);
  return { ...shown, runs: typeof count === "number" ? count : 0, updated_at: timeOf(newestAtMs) };
}

async function sessionOf(server: Server, { tenant, kind, id }: Kept): Promise<SessionDetailsRecord | null> {
  const found = await server.runtime.records.read(kind, id, { tenant });
  if (found === null) return null;
  const { userId, state, runs } = fieldsOf(found.value);
  const shown = { session_id: id, user_id: textOf(userId), state: state ?? {} };
  if (kind === "session") {
    const newest = listOf(runs).slice(-mostShown).map(fieldsOf);
    return { ...shown, runs: await Promise.all(newest.map((run) => pipelineRun(server, tenant, run))) };
  }
  const ofAgent = (await agentRuns(server, tenant, id, mostShown)).reverse();
  return {
    ...shown,
    runs: ofAgent.map((run) => ({
      ...factsOf(run, "executorName"),
      input: run["input"] ?? null,
      output: run["content"] ?? null,
    })),
    messages: ofAgent.flatMap((run) => listOf(run["messages"])),
  };
}

interface Kept {
  readonly tenant: string;
  readonly kind: Kind;
  readonly id: string;
}

type ShownRun = SessionDetailsRecord["runs"][number];

/** The session still lists a run that was deleted. */
async function pipelineRun({ runtime, catalog }: Server, tenant: string, run: Fields): Promise<ShownRun> {
  const known = factsOf(run, "pipelineId");
  const record = await handlerRecord(runtime.handle(known.handler_id, { tenant }), catalog).catch((error: unknown) => {
    if (WorkflowError.is(error, "RUN_UNKNOWN")) return null;
    throw error;
  });
  const output = fieldsOf(fieldsOf(fieldsOf(record?.result)["value"])["result"]);
  return {
    ...known,
    workflow_name: record?.workflow_name ?? known.workflow_name,
    input: output["input"] ?? null,
    output: output["content"] ?? record?.error ?? null,
  };
}

function factsOf(run: Fields, name: "pipelineId" | "executorName"): Omit<ShownRun, "input" | "output"> {
  return {
    handler_id: textOf(run["runId"]) ?? "",
    workflow_name: textOf(run[name]) ?? "",
    at: timeOf(run["createdAtMs"]),
    status: textOf(run["status"]) ?? "",
  };
}

/** The newest first. */
async function agentRuns(
  { runtime }: Pick<Server, "runtime">,
  ...[tenant, id, limit]: readonly [tenant: string, id: string, limit: number]
): Promise<Fields[]> {
  const prefix = `${id.replaceAll("%", "%25").replaceAll("/", "%2F")}/`;
  const { records } = await runtime.records.list({ kind: "agent-run", tenant, prefix, limit });
  return records.map(({ value }) => fieldsOf(value));
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function timeOf(value: unknown): string {
  return isoTime(typeof value === "number" && Math.abs(value) <= 8.64e15 ? value : 0);
}

function sessionUnknown(id: string): HttpError {
  return new HttpError({
    status: 404,
    code: "SESSION_UNKNOWN",
    detail: `There is no session ${JSON.stringify(id)}.`,
    hint: "Check the id; a session exists once its first run has begun.",
  });
}
