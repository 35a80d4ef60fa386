/**
 * Pages of runs.
 *
 * The store filters by one workflow. For several workflows, pages of all runs are read and filtered, never more than a
 * page has room for, so that each page ends at a cursor of the store.
 *
 * @module
 */
import type { RunFilter, RunListing, StoredStatus } from "millrace/runtime";
import type { Server } from "./server.types.js";
import { listedRecord } from "./wire/handler-record.js";
import type { Handler, ListQuery } from "./wire/schemas.js";

export interface ListRequest {
  readonly tenant: string;
  readonly query: ListQuery;
}

export interface HandlerPage {
  readonly handlers: readonly Handler[];
  readonly cursor: string | null;
}

/** Maximum number of runs that are read for one page. */
const mostLookedAt = 5_000;

const waitingStatuses: readonly StoredStatus[] = ["scheduled", "waiting"];
const storedStatuses: Readonly<Record<Handler["status"], readonly StoredStatus[]>> = {
  running: ["scheduled", "running", "waiting"],
  completed: ["completed"],
  failed: ["failed", "timedOut"],
  cancelled: ["cancelled"],
};

const allStatuses = Object.keys(storedStatuses) as Handler["status"][];

export async function listRuns(
  server: Pick<Server, "runtime" | "catalog">,
  request: ListRequest,
): Promise<HandlerPage> {
  const { runs, cursor } = await findRuns(server, request);
  const records = await Promise.all(
    runs.map((listing) => {
      const handle = server.runtime.handle(listing.runId, { tenant: request.tenant });
      return listedRecord(listing, handle, server.catalog);
    }),
  );
  return { handlers: records.filter((record) => record !== null), cursor };
}

type Filter = Pick<RunFilter, "status" | "labels" | "queue" | "createdAfter" | "createdBefore">;

function filterOf({ status, waiting, label, queue, created_after, created_before }: ListQuery): Filter {
  const statuses = (status ?? allStatuses).flatMap((one) => storedStatuses[one]);
  const pairs = label?.map((one): [string, string] => [
    one.slice(0, one.indexOf("=")),
    one.slice(one.indexOf("=") + 1),
  ]);
  const labels = new Map(pairs);
  if (pairs?.some(([name, value]) => labels.get(name) !== value)) return { status: [] }; // a run never has two values of one label
  return {
    ...((status ?? waiting) !== undefined && {
      status: statuses.filter((one) => waiting === undefined || waitingStatuses.includes(one) === waiting),
    }),
    ...(pairs !== undefined && { labels: Object.fromEntries(labels) }),
    ...(queue !== undefined && { queue }),
    ...(created_after !== undefined && { createdAfter: created_after }),
    ...(created_before !== undefined && { createdBefore: created_before }),
  };
}

async function findRuns(
  { runtime }: Pick<Server, "runtime">,
  { tenant, query }: ListRequest,
): Promise<{ readonly runs: readonly RunListing[]; readonly cursor: string | null }> {
  const { workflow_name: names, limit } = query;
  const filter = filterOf(query);
  const only = names?.length === 1 ? names[0] : undefined;
  const found: RunListing[] = [];
  let cursor = query.cursor ?? null;
  let lookedAt = 0;
  do {
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
  } while (cursor !== null && found.length < limit && lookedAt < mostLookedAt);
  return { runs: found, cursor };
}
