/** Requests about many runs. */

import type { BulkResult, RunMatches } from "millrace/runtime";
import type { BulkBody, Path } from "millrace/wire";
import type { Call } from "../http/transport.js";
import type { ClientRun } from "../run.types.js";
import type { BulkOptions, MatchOptions } from "../run-list.types.js";
import { createClientRun } from "./client-run.js";
import type { Connection } from "./handler-calls.js";
import { queryOf } from "./list-runs.js";
import { begin, namesOf } from "./start-run.js";

/** Returns synchronously; errors appear when the job is awaited. */
export function startBulk(connection: Connection, options: BulkOptions): ClientRun<BulkResult> {
  const { action, where = {}, cancelledBy, handlerIds, perSecond, reason, fields, prompt, signal } = options;
  const { handlerId, key, isOurs } = namesOf(options, "bulk");
  const body: BulkBody = {
    action,
    cancelled_by: cancelledBy,
    handler_ids: handlerIds,
    handler_id: handlerId,
    per_second: perSecond,
    reason,
    fields: fields as BulkBody["fields"],
    prompt,
  };
  const query = queryOf(where);
  const call: Call = { method: "POST", path: "/handlers/bulk" satisfies Path, query, body, key, signal };
  const started = begin(connection, call, { handlerId, isOurs });
  return createClientRun({ connection, handlerId, started, signal }) as ClientRun<BulkResult>;
}

export function countMatching(
  { transport }: Connection,
  { action, where = {}, cancelledBy, most, signal }: MatchOptions,
): Promise<RunMatches> {
  const query = { action, cancelled_by: cancelledBy, most, ...queryOf(where) };
  const call: Call = { method: "GET", path: "/handlers/matching" satisfies Path, query, signal };
  return transport.read<{ count: number; all: boolean }, RunMatches>(call, "count", ({ count, all: isAll }) => ({
    count,
    isAll,
  }));
}
