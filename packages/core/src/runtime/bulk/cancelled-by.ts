/** The runs that a job has cancelled: they have a receipt for its key, and were not resumed since. */
import { wrongOption } from "../../value/options.js";
import type { BulkWhere } from "../api/bulk.types.js";
import type { RunListing } from "../api/runtime.types.js";
import type { RunKey, RunStore, StoredRun } from "../store/run-store.types.js";
import { parseJson } from "../text/journal-text.js";
import { scopedKey } from "../worker/run/messages.js";
import { readReceipt } from "../worker/run/posts.js";
import { bulkName } from "./bulk-name.js";
import type { BulkRequest, BulkSet } from "./bulk-request.js";

/** Clocks of processes differ, and a stopped job ends before the last of its runs. A run that ended later was cancelled by others. */
const lateMs = 60_000;

/** The key with which a job acts on each run. */
export function keyOfJob(jobId: string): string {
  return `bulk ${jobId}`;
}

export interface CancelJob {
  readonly row: StoredRun;
  readonly request: Pick<BulkRequest, "where" | "runIds">;
}

/** @throws {WorkflowError} `OPTION_INVALID` for what is no job that cancels. */
export async function cancelJob(store: Pick<RunStore, "run">, key: RunKey): Promise<CancelJob> {
  const row = await store.run(key);
  const request = row?.workflow === bulkName ? requestOf(row) : null;
  if (row === null || request?.action !== "cancel")
    throw wrongOption("cancelledBy", `is "${key.runId}", not a job of \`cancel\``, "Pass the id of such a job.");
  return { row, request };
}

function requestOf({ input, key }: StoredRun): BulkRequest {
  const start = parseJson(input, `run "${key.runId}"`) as {
    readonly event: { readonly data: { request: BulkRequest } };
  };
  return start.event.data.request;
}

/** The conditions of the job, but for what a cancellation changes. */
export function setOfJob<Set extends BulkSet>(set: Set, { request: { where, runIds } }: CancelJob): Set {
  if (where === null) return { ...set, cancelledBy: null, where: null, runIds };
  const { status: _status, version: _version, workflows: all, ...filter } = where;
  const { workflows } = set.where ?? {};
  const both = all === undefined ? workflows : all.filter((name) => workflows?.includes(name) ?? true);
  return {
    ...set,
    cancelledBy: null,
    runIds: null,
    where: { ...filter, ...(both !== undefined && { workflows: both }) },
  };
}

/** Those of the runs that the job has cancelled, and of these workflows. */
export async function cancelledIn(
  store: Pick<RunStore, "receipt">,
  { row: job }: CancelJob,
  { runs, where }: { readonly runs: readonly RunListing[]; readonly where: BulkWhere | null },
): Promise<RunListing[]> {
  const untilMs = job.endedAtMs === null ? Number.POSITIVE_INFINITY : job.endedAtMs + lateMs;
  const { tenant } = job.key;
  const cancelKey = scopedKey("cancel", keyOfJob(job.key.runId)) as string;
  const own = await Promise.all(
    runs.map(async ({ runId, workflow, status, endedAtMs }) => {
      if (status !== "cancelled" || endedAtMs === null || endedAtMs > untilMs) return false;
      if (where?.workflows?.includes(workflow) === false) return false;
      const receipt = await store.receipt({ tenant, runId }, cancelKey);
      return receipt !== null && readReceipt(receipt).status === "accepted";
    }),
  );
  return runs.filter((_, index) => own[index]);
}
