/** The runs of a job, in pages. */
import { nextTurn } from "../../system/system.js";
import type { BulkWhere, RunMatches } from "../api/bulk.types.js";
import type { RunListing } from "../api/runtime.types.js";
import { storeQuery, toListing } from "../client/run-lists.js";
import type { RunStore, StoredStatus } from "../store/run-store.types.js";
import { isEndedStatus } from "../store/store-kit.js";
import { bulkName } from "./bulk-name.js";
import { type BulkSet, fitting } from "./bulk-request.js";
import { cancelJob, cancelledIn, setOfJob } from "./cancelled-by.js";

export interface MatchRequest extends BulkSet {
  readonly tenant: string;
  /** Runs that were created, or have ended, at this time or later are not meant. */
  readonly beforeMs: number;
}

export interface MatchingPage {
  readonly runs: readonly RunListing[];
  /** Ids that were asked for, without a run. */
  readonly missing: readonly string[];
  /** Where the next page begins; `null` after the last one. */
  readonly cursor: string | null;
}

export interface PlaceInMatches {
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * The oldest come first. A page may be short, or empty, before the last one.
 *
 * The cursor is a place in the order of creation, which never changes: a run that is acted on meanwhile moves no other run to a page
 * that was read before.
 */
export async function matchingPage(store: RunStore, set: MatchRequest, at: PlaceInMatches): Promise<MatchingPage> {
  if (set.cancelledBy != null) return pageOfJob(store, set, at);
  if (set.runIds !== null) return pageOfIds(store, set, { ids: set.runIds, at });
  const { where, action, tenant, beforeMs } = set;
  const { workflows, workflow, status, createdBefore, ...filter } = where as BulkWhere;
  const wanted = fitting[action].filter((one) => status === undefined || [status].flat().includes(one));
  const names = workflow === undefined ? workflows : [workflow].filter((name) => workflows?.includes(name) ?? true);
  if (wanted.length === 0 || names?.length === 0) return { runs: [], missing: [], cursor: null };
  const page = await store.list(
    storeQuery({
      ...filter,
      ...(names?.length === 1 && { workflow: names[0] as string }),
      ...(wanted.length < fitting.delete.length && { status: wanted }),
      createdBefore: Math.min(Number(createdBefore ?? beforeMs), beforeMs),
      tenant,
      order: "oldest",
      limit: at.limit,
      ...(at.cursor !== null && { cursor: at.cursor }),
    }),
  );
  const isMeant = (run: RunListing): boolean =>
    (names === undefined ? run.workflow !== bulkName : names.includes(run.workflow)) && !isLater(run, wanted, beforeMs);
  return { runs: page.runs.map(toListing).filter(isMeant), missing: [], cursor: page.cursor };
}

async function pageOfJob(store: RunStore, set: MatchRequest, at: PlaceInMatches): Promise<MatchingPage> {
  const job = await cancelJob(store, { tenant: set.tenant, runId: set.cancelledBy as string });
  const page = await matchingPage(store, setOfJob(set, job), at);
  return { ...page, missing: [], runs: await cancelledIn(store, job, { runs: page.runs, where: set.where }) };
}

/** A run that has ended since had not matched by its status. */
function isLater({ endedAtMs }: RunListing, wanted: readonly StoredStatus[], beforeMs: number): boolean {
  return wanted.every(isEndedStatus) && endedAtMs !== null && endedAtMs >= beforeMs;
}

async function pageOfIds(
  store: RunStore,
  { tenant }: MatchRequest,
  { ids, at: { cursor, limit } }: { readonly ids: readonly string[]; readonly at: PlaceInMatches },
): Promise<MatchingPage> {
  const from = Number(cursor ?? 0);
  const wanted = ids.slice(from, from + limit);
  const rows = await Promise.all(wanted.map((runId) => store.run({ tenant, runId })));
  const runs = rows.flatMap((row) => (row === null ? [] : [toListing(row)]));
  const missing = wanted.filter((_, index) => rows[index] === null);
  return { runs, missing, cursor: from + limit < ids.length ? String(from + limit) : null };
}

const countedAtOnce = 1_000;

/** Counts page by page, with a turn of the host in between. Named runs count, whether they are there or not. */
export async function countMatching(store: RunStore, set: MatchRequest, most: number): Promise<RunMatches> {
  if (set.runIds !== null) return { count: Math.min(set.runIds.length, most), isAll: set.runIds.length <= most };
  let count = 0;
  for (let cursor: string | null = null; ; ) {
    const page = await matchingPage(store, set, { cursor, limit: countedAtOnce });
    count += page.runs.length;
    cursor = page.cursor;
    if (cursor === null || count > most) break;
    await new Promise<void>(nextTurn);
  }
  return count > most ? { count: most, isAll: false } : { count, isAll: true };
}
