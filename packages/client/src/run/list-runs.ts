/**
 * Lists of runs: one page, or all of them.
 *
 * @module
 */
import type { EachRunFilter, RunFilter, RunPage, RunSummary } from "../client.types.js";
import type { Call } from "../http/transport.js";
import type { HandlerRecord } from "../wire/contract.types.js";
import { toSummary } from "../wire/handler-record.js";
import type { Connection } from "./handler-calls.js";

export async function listRuns({ transport, classes }: Connection, filter: RunFilter): Promise<RunPage> {
  // An empty list matches nothing. It cannot be sent as a repeated parameter: without parameters, everything matches.
  if (isEmpty(filter.workflow) || isEmpty(filter.status)) return { runs: [], cursor: null };
  const call: Call = { method: "GET", path: "/handlers", query: queryOf(filter), signal: filter.signal };
  const page = await transport.json<{ handlers: HandlerRecord[]; cursor?: string | null }>(call, "handlers");
  const options = { classes, request: transport.requestFacts(call) };
  return {
    runs: page.handlers.map((record) => toSummary(record, options)),
    cursor: page.cursor ?? null,
  };
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

function queryOf({ workflow, status, waiting, labels, queue, createdAfter, createdBefore, limit, cursor }: RunFilter) {
  const pairs = Object.entries(labels ?? {}).map(([name, label]) => `${name}=${label}`);
  return {
    workflow_name: workflow,
    status,
    waiting: waiting === undefined ? undefined : String(waiting),
    label: pairs,
    queue,
    created_after: isoTime(createdAfter),
    created_before: isoTime(createdBefore),
    limit,
    cursor,
  };
}

function isoTime(time: Date | number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}
