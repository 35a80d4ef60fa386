/** Runs in a list of a server, and their statuses. */
import type { Client, Flows, RunSelection, RunSummary } from "@millrace/client";
import type { RunListQuery, RunRow, RunRows, RunStatus } from "./target.types.js";

export function fromSummary(run: RunSummary): RunRow {
  return {
    runId: run.handlerId,
    workflow: run.workflow,
    version: run.version,
    status: run.status,
    createdAtMs: run.startedAtMs,
    updatedAtMs: run.updatedAtMs,
    endedAtMs: "endedAtMs" in run ? run.endedAtMs : null,
    wakeAtMs: "wakeAtMs" in run ? run.wakeAtMs : null,
    labels: run.labels,
    forkedFrom: run.forkedFrom && { runId: run.forkedFrom.handlerId, tick: run.forkedFrom.at },
    ticks: run.ticks?.last ?? null,
    error: "error" in run ? run.error.message : null,
  };
}

type ServerStatus = "running" | "waiting" | "queued" | "completed" | "failed" | "cancelled";

const ofServer: Readonly<Record<RunStatus, ServerStatus>> = {
  scheduled: "waiting",
  queued: "queued",
  running: "running",
  waiting: "waiting",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timedOut: "failed",
};

export const runStatuses = Object.keys(ofServer) as RunStatus[];

/** A server has fewer statuses, and its `running` holds all runs that have not ended. */
export function serverFilter({ status, ...rest }: Omit<RunListQuery, "limit" | "cursor">): RunSelection {
  if (status === undefined) return rest;
  const wanted = new Set(status.map((one) => ofServer[one]));
  const isApart = (one: "waiting" | "queued"): boolean => wanted.has("running") && !wanted.has(one);
  return {
    ...rest,
    status: [...wanted],
    ...(isApart("waiting") && { waiting: false }),
    ...(isApart("queued") && { queued: false }),
  };
}

export async function listOfServer(
  client: Client<Flows>,
  { limit, cursor, ...filter }: RunListQuery,
): Promise<RunRows> {
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  const { runs, cursor: next } = await client.runs({ ...serverFilter(filter), ...page });
  return { runs: runs.map(fromSummary), cursor: next };
}
