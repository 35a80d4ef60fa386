/** Routes that look back: the history of a run, its attempts, a moment of it, its snapshot. */
import { z } from "@hono/zod-openapi";
import { WorkflowError } from "millrace";
import type { DetailedEntry } from "millrace/runtime";
import { cleanJson } from "../http/clean-text.js";
import { lastEventId } from "../stream/last-event-id.js";
import { liveResponse } from "../stream/live-response.js";
import { toAttempt, toEntry, toMoment } from "../wire/history.js";
import { attempt, historyEntry, moment } from "../wire/history-schemas.js";
import {
  attemptsQuery,
  type HistoryQuery,
  historyQuery,
  idParams,
  momentQuery,
  streamHeaders,
  tickParams,
} from "../wire/schemas.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import { type Call, json, mount } from "./route.js";
import { handleOf, type OfTenant } from "./runs-of.js";
import type { Server } from "./server.types.js";
import { keptOpen } from "./waiting.js";

const tag = "Handlers";
const route = { tag, params: idParams } as const;

export function mountHistory(server: Server): void {
  const { runtime } = server;
  mount(server, {
    ...route,
    route: "GET /handlers/{id}/history",
    needs: ["read", "run"],
    operation: "getHistory",
    summary: "Ticks of a run, in pages, or as a stream that follows the run",
    query: historyQuery,
    headers: streamHeaders,
    answers: {
      200: [
        "A page; as a stream, each of its entries",
        z.object({ entries: z.array(historyEntry), next: z.number().nullable() }),
        ["application/json", "text/event-stream"],
      ],
    },
    handle: async (call) => {
      const facts = await factsOf(server, call); // before the first byte: a stream cannot report errors
      return call.query.sse ? liveHistory(server, call, facts) : json(await pageOf(server, call, facts));
    },
  });
  mount(server, {
    ...route,
    route: "GET /handlers/{id}/attempts",
    needs: ["read", "run"],
    operation: "getAttempts",
    summary: "Attempts of the steps of a run and its children, in pages",
    query: attemptsQuery,
    answers: { 200: ["A page", z.object({ attempts: z.array(attempt), next: z.number().nullable() })] },
    handle: async (call) => {
      const { params, query, tenant } = call;
      await factsOf(server, call);
      const attempts = [];
      for await (const one of runtime.attempts(params.id, { tenant, ...query })) attempts.push(toAttempt(one));
      const last = attempts.length < query.limit ? undefined : attempts.at(-1);
      return json({ attempts, next: last?.started_tick ?? null });
    },
  });
  mount(server, {
    tag,
    params: tickParams,
    route: "GET /handlers/{id}/at/{tick}",
    needs: ["read", "run"],
    operation: "getMoment",
    summary: "A run, or a child of it, as it was after a tick",
    query: momentQuery,
    answers: { 200: ["The run then", moment] },
    handle: async (call) => {
      const { params, query, tenant } = call;
      const facts = await factsOf(server, call);
      const { run_id: childId, item } = query;
      const of = { tenant, ...(childId !== undefined && { childId }), ...(item !== undefined && { item }) };
      return json(toMoment(await runtime.at(params.id, params.tick, of), facts, childId === undefined));
    },
  });
  mount(server, {
    ...route,
    route: "GET /handlers/{id}/snapshot",
    needs: ["read", "run"],
    operation: "getSnapshot",
    summary: "Snapshot of a run, for `Context.fromDict`",
    answers: { 200: ["The snapshot", z.record(z.string(), z.unknown())] },
    handle: async (call) => json(await handleOf(server, call).snapshot()),
  });
}

/** @throws {WorkflowError} `RUN_UNKNOWN`, `WORKFLOW_UNKNOWN` */
async function factsOf(server: Server, call: OfTenant): Promise<WorkflowFacts> {
  return server.catalog.get((await handleOf(server, call).summary()).workflow);
}

type HistoryCall = Call<OfTenant["params"], HistoryQuery, unknown>;

async function pageOf({ runtime }: Server, call: HistoryCall, facts: WorkflowFacts): Promise<object> {
  const { params, query, tenant } = call;
  const { after, before, limit, changes } = query;
  const isWanted = typeFilter(query);
  const entries: object[] = [];
  let last = after;
  let count = 0;
  const start = after === 0 ? {} : { after };
  for await (const entry of runtime.history(params.id, { details: true, tenant, before, ...start })) {
    if (!isWanted(entry)) continue;
    // How a fork began is beside the page: the tick after number 0 is the first.
    if (entry.number > 0 && count++ === limit) return { entries, next: last };
    last = entry.number;
    entries.push(toEntry(entry, facts, changes));
  }
  return { entries, next: null };
}

function liveHistory(server: Server, call: HistoryCall, facts: WorkflowFacts): Response {
  const { context, params, query, tenant } = call;
  const { runtime } = server;
  const read = lastEventId(context);
  const after = read ?? (query.after === 0 ? undefined : query.after);
  const isWanted = typeFilter(query);
  return liveResponse<DetailedEntry>({
    ...keptOpen(server, call),
    format: "sse",
    open: (signal) => {
      const { before } = query;
      const range = { before, follow: true, signal, ...(after !== undefined && { after }) };
      return wanted(runtime.history(params.id, { details: true, tenant, ...range }), isWanted);
    },
    text: (entry) => `id: ${entry.number}\ndata: ${cleanJson(toEntry(entry, facts, query.changes))}\n\n`,
    end: "event: end\ndata: {}\n\n",
    isPassing: (error) => WorkflowError.is(error) && passing.has(error.code),
  });
}

/** Ignores the error: the next request reports it. */
const passing: ReadonlySet<string> = new Set(["RUNTIME_STOPPED", "RUN_UNKNOWN", "RUN_MOVED"]);

function typeFilter({ types }: HistoryQuery): (entry: DetailedEntry) => boolean {
  const names = types === undefined ? null : new Set(types.split(",").map((name) => name.trim()));
  return ({ tick }) => names?.has(tick.type) ?? true;
}

async function* wanted(
  entries: AsyncIterable<DetailedEntry>,
  isWanted: (entry: DetailedEntry) => boolean,
): AsyncGenerator<DetailedEntry, void> {
  for await (const entry of entries) if (isWanted(entry)) yield entry;
}
