/**
 * Pages of runs.
 *
 * The store filters by one workflow, and finds what is searched for among so many runs. For several workflows, and for a search, pages
 * of the store are read on, never more than a request has time for, so that each page ends at a cursor of the store.
 *
 * @module
 */
import { storedStatuses } from "millrace/engine";
import type { RunFilter, RunListing, StoredStatus } from "millrace/runtime";
import { nowMs, pauseMs } from "../system.js";
import { fromCursor, toCursor } from "../wire/cursor.js";
import { isWaiting, listedRecord, shownStatus } from "../wire/handler-record.js";
import { labelsOf, matchesText } from "../wire/matches-filter.js";
import type { Handler, ListQuery } from "../wire/schemas.js";
import type { Served } from "./served.types.js";

export interface ListRequest {
  readonly tenant: string;
  readonly query: Omit<ListQuery, "sse" | "sort"> & Partial<Pick<ListQuery, "sort">>;
}

export interface HandlerPage {
  readonly handlers: readonly Handler[];
  readonly cursor: string | null;
}

/** Maximum number of runs that are read for one page. */
const mostLookedAt = 5_000;
/** Milliseconds after which a search gives what it has found. */
const mostSearchedMs = 300;

export async function listRuns(
  server: Pick<Served, "runtime" | "catalog">,
  request: ListRequest,
): Promise<HandlerPage> {
  const { runs, cursor } = await findRuns(server, request);
  const records = await Promise.all(
    runs.map((listing) => {
      const handle = server.runtime.handle(listing.runId, { tenant: request.tenant });
      return listedRecord(listing, handle, server.catalog);
    }),
  );
  const { q = "" } = request.query;
  // An error is searched as it is shown: without the paths that it has in the store.
  const handlers = records.filter((record) => record !== null && matchesText(record, q)) as Handler[];
  return { handlers, cursor };
}

type Filter = Pick<RunFilter, "status" | "labels" | "queue" | "createdAfter" | "createdBefore" | "search" | "order">;

function filterOf({
  status,
  waiting,
  label,
  queue,
  created_after,
  created_before,
  q,
  sort,
}: ListRequest["query"]): Filter {
  const isWanted = (one: StoredStatus): boolean =>
    (status === undefined || status.includes(shownStatus(one)) || (isWaiting(one) && status.includes("waiting"))) &&
    (waiting === undefined || isWaiting(one) === waiting);
  const labels = label === undefined ? undefined : labelsOf(label);
  if (labels === null) return { status: [] };
  return {
    ...((status ?? waiting) !== undefined && { status: storedStatuses.filter(isWanted) }),
    ...(labels !== undefined && { labels }),
    ...(queue !== undefined && { queue }),
    ...(created_after !== undefined && { createdAfter: created_after }),
    ...(created_before !== undefined && { createdBefore: created_before }),
    ...(q !== undefined && q !== "" && { search: q }),
    ...(sort === "created_at" && { order: "oldest" as const }),
  };
}

async function findRuns(
  { runtime }: Pick<Served, "runtime">,
  { tenant, query }: ListRequest,
): Promise<{ readonly runs: readonly RunListing[]; readonly cursor: string | null }> {
  const { workflow_name: names, limit } = query;
  const filter = filterOf(query);
  const only = names?.length === 1 ? names[0] : undefined;
  const found: RunListing[] = [];
  const untilMs = nowMs() + mostSearchedMs;
  let cursor = query.cursor === undefined ? null : fromCursor(query.cursor, ["handlers"]).place;
  let lookedAt = 0;
  const mayGoOn = (): boolean => (filter.search === undefined ? lookedAt < mostLookedAt : nowMs() < untilMs);
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) await pauseMs(0); // a store in this process gives page after page without a turn for other requests
    const page = await runtime.runs({
      tenant,
      limit: limit - found.length,
      ...(only !== undefined && { workflow: only }),
      ...filter,
      ...(cursor !== null && { cursor }),
    });
    found.push(...page.runs.filter(({ workflow }) => names === undefined || names.includes(workflow)));
    lookedAt += page.runs.length;
    cursor = page.cursor;
    if (cursor === null || found.length >= limit || !mayGoOn()) break;
  }
  return { runs: found, cursor: cursor === null ? null : toCursor("handlers", cursor) };
}
