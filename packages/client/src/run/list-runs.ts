/**
 * Lists of runs: one page, all of them, what changes in them.
 *
 * @module
 */
import type { HandlerPage, HandlerRecord, ListParams, Path, SseType } from "millrace/wire";
import type { Call } from "../http/transport.js";
import type { RunSummary } from "../run.types.js";
import type { EachRunFilter, RunFilter, RunListChange, RunPage, RunSelection } from "../run-list.types.js";
import { closable } from "../stream/closable.js";
import { type Follow, follow } from "../stream/follow.js";
import { toSummary } from "../wire/handler-record.js";
import type { Connection } from "./handler-calls.js";

export async function listRuns({ transport, classes }: Connection, filter: RunFilter): Promise<RunPage> {
  if (isEmpty(filter.workflow) || isEmpty(filter.status)) return { runs: [], cursor: null };
  const call: Call = { method: "GET", path: "/handlers" satisfies Path, query: queryOf(filter), signal: filter.signal };
  const options = { classes, request: transport.requestFacts(call) };
  return transport.read<HandlerPage, RunPage>(call, "handlers", ({ handlers, cursor }) => {
    if (cursor !== null && cursor === filter.cursor) throw new TypeError(`cursor: ${cursor}`);
    return { runs: handlers.map((record) => toSummary(record, options)), cursor };
  });
}

/** Requests the next page when the previous one is read. A page may be empty and still have a successor. */
export async function* eachRun(
  connection: Connection,
  { pageSize, ...filter }: EachRunFilter,
): AsyncGenerator<RunSummary, void> {
  const limit = pageSize === undefined ? {} : { limit: pageSize };
  let cursor: string | null = null;
  do {
    const page: RunPage = await listRuns(connection, { ...filter, ...limit, ...(cursor !== null && { cursor }) });
    yield* page.runs;
    cursor = page.cursor;
  } while (cursor !== null);
}

export function watchRuns(
  { transport, classes }: Connection,
  { signal: given, ...filter }: RunSelection,
): AsyncIterable<RunListChange> {
  const call: Call = { method: "GET", path: "/handlers" satisfies Path, query: { ...queryOf(filter), sse: "true" } };
  const { path, query = {} } = call;
  const options = { classes, request: transport.requestFacts(call) };
  const itemOf = (type: SseType, json: unknown): RunListChange | undefined => {
    if (type === "open" || type === "reset") return { type };
    if (type === "changed") return { type, run: toSummary(json as HandlerRecord, options) };
    const { handler_id: handlerId } = Object(json) as { readonly handler_id?: unknown };
    return type === "gone" && typeof handlerId === "string" ? { type, handlerId } : undefined;
  };
  const read: Follow<RunListChange>["read"] = (json, { event }) => {
    const item = itemOf(event as SseType, json);
    return item && { number: "now", item };
  };
  const following = { transport, path, after: "now", query: () => query, noun: "change of a run", read } as const;
  return closable([given], (signal) => follow({ ...following, signal }));
}

export function queryOf({
  workflow,
  version,
  status,
  waiting,
  queued,
  labels,
  input,
  queue,
  failure,
  failedStep,
  search,
  order,
  createdAfter,
  createdBefore,
  limit,
  cursor,
}: RunFilter): ListParams {
  const pairsOf = (values: object = {}): string[] => Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return {
    // An empty list matches nothing, and without parameters, everything matches; no workflow has this name.
    workflow_name: isEmpty(workflow) || isEmpty(status) ? "" : workflow,
    status,
    waiting,
    queued,
    version,
    label: pairsOf(labels),
    input: pairsOf(input),
    queue,
    failure,
    failed_step: failedStep,
    q: search,
    sort: order === "oldest" ? "created_at" : undefined,
    created_after: isoTime(createdAfter),
    created_before: isoTime(createdBefore),
    limit,
    cursor,
  };
}

export function isoTime(time: Date | number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}
