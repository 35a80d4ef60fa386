/**
 * Lists of runs, by SQL over the state of their virtual objects. For operators: Restate reads the rows of all runs for every page.
 *
 * @module
 */
import type { RunPage, RunQuery, StoredRun } from "millrace/runtime";
import type { Row } from "../kept/kept-run.js";
import { ROW } from "../kept/keys.js";
import { RUN, runKeyOf } from "../names.js";
import type { Ingress } from "./ingress.js";

interface StateRow {
  readonly service_key: string;
  readonly value_utf8: string;
}

export async function tenantsOf(admin: Ingress): Promise<string[]> {
  const rows = await admin.query<Pick<StateRow, "service_key">>(
    `SELECT service_key FROM state WHERE service_name = '${RUN}' AND key = '${ROW}'`,
  );
  return [...new Set(rows.map(({ service_key }) => runKeyOf(service_key).tenant))].sort();
}

export async function listRuns(admin: Ingress, query: RunQuery): Promise<RunPage> {
  const prefix = `${encodeURIComponent(query.tenant)}/`.replaceAll("'", "''");
  const rows = await admin.query<StateRow>(
    `SELECT service_key, value_utf8 FROM state WHERE service_name = '${RUN}' AND key = '${ROW}' AND starts_with(service_key, '${prefix}')`,
  );
  const runs = rows
    .map(({ value_utf8 }) => (JSON.parse(value_utf8) as Row).run)
    .filter((run) => matches(run, query))
    .sort(newestFirst);
  const after = query.cursor === undefined ? null : placeOf(query.cursor);
  const rest = after === null ? runs : runs.filter((run) => newestFirst(after, run) < 0);
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return { runs: page, cursor: last !== undefined && rest.length > page.length ? cursorOf(last) : null };
}

type Place = Pick<StoredRun, "createdAtMs" | "key">;

function newestFirst(one: Place, other: Place): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.key.runId < other.key.runId ? 1 : one.key.runId > other.key.runId ? -1 : 0;
}

function cursorOf({ createdAtMs, key }: StoredRun): string {
  return `${createdAtMs} ${key.runId}`;
}

function placeOf(cursor: string): Place {
  const space = cursor.indexOf(" ");
  return { createdAtMs: Number(cursor.slice(0, space)), key: { tenant: "", runId: cursor.slice(space + 1) } };
}

function matches(run: StoredRun, query: RunQuery): boolean {
  const { workflow, status, labels = {}, queue, createdAfterMs, createdBeforeMs, endedBeforeMs } = query;
  return (
    (workflow === undefined || run.workflow === workflow) &&
    (queue === undefined || run.queue?.name === queue) &&
    (status === undefined || status.includes(run.status)) &&
    Object.entries(labels).every(([name, value]) => run.labels[name] === value) &&
    (createdAfterMs === undefined || run.createdAtMs > createdAfterMs) &&
    (createdBeforeMs === undefined || run.createdAtMs < createdBeforeMs) &&
    (endedBeforeMs === undefined || (run.endedAtMs !== null && run.endedAtMs < endedBeforeMs))
  );
}
