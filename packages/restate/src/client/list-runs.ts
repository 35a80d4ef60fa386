/**
 * Lists of runs, by SQL over the state of their virtual objects. For operators only: Restate reads the rows of all runs for every page.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import { hasIndexed, matchesSearch } from "millrace/engine";
import type { CountQuery, RunCount, RunOrder, RunPage, RunQuery, StoredRun, StoredStatus } from "millrace/runtime";
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
  const sign = query.order === "oldest" ? -1 : 1;
  const compare = (one: Place, other: Place): number => sign * newestFirst(one, other);
  const rows = (await rowsOf(admin, query.tenant)).filter(({ index }) => hasIndexed(index ?? {}, query.index));
  const runs = rows
    .map(({ run }) => run)
    .filter((run) => matches(run, query))
    .sort(compare);
  const after = query.cursor === undefined ? null : placeOf(query.cursor, query.order);
  const rest = after === null ? runs : runs.filter((run) => compare(after, run) < 0);
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return { runs: page, cursor: last !== undefined && rest.length > page.length ? cursorOf(last, query.order) : null };
}

export async function countRuns(admin: Ingress, { tenant, ...query }: CountQuery): Promise<RunCount[]> {
  const counts = new Map<string, { workflow: string; status: StoredStatus; count: number }>();
  for (const { run } of await rowsOf(admin, tenant)) {
    const { workflow, status } = run;
    if (!matches(run, query)) continue;
    const known = counts.get(`${status} ${workflow}`);
    if (known === undefined) counts.set(`${status} ${workflow}`, { workflow, status, count: 1 });
    else known.count++;
  }
  return [...counts.values()];
}

async function rowsOf(admin: Ingress, tenant: string): Promise<Row[]> {
  const prefix = `${encodeURIComponent(tenant)}/`.replaceAll("'", "''");
  const rows = await admin.query<StateRow>(
    `SELECT service_key, value_utf8 FROM state WHERE service_name = '${RUN}' AND key = '${ROW}' AND starts_with(service_key, '${prefix}')`,
  );
  return rows.map(({ value_utf8 }) => JSON.parse(value_utf8) as Row);
}

type Place = Pick<StoredRun, "createdAtMs" | "key">;

function newestFirst(one: Place, other: Place): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.key.runId < other.key.runId ? 1 : one.key.runId > other.key.runId ? -1 : 0;
}

function cursorOf({ createdAtMs, key }: StoredRun, order: RunOrder = "newest"): string {
  return `${order === "oldest" ? "o" : ""}${createdAtMs} ${key.runId}`;
}

/** @throws {WorkflowError} `OPTION_INVALID` for the cursor of a list in another order. */
function placeOf(cursor: string, order: RunOrder = "newest"): Place {
  const [, oldest, createdAtMs, runId] = /^(o?)(-?\d{1,16}) (.*)$/s.exec(cursor) ?? [];
  if (runId !== undefined && (oldest === "o") === (order === "oldest"))
    return { createdAtMs: Number(createdAtMs), key: { tenant: "", runId } };
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "`cursor` was issued for a list in another order.",
    hint: "Pass the `cursor` of the previous page unchanged, or leave it out.",
    details: { option: "cursor" },
  });
}

function matches(run: StoredRun, query: Omit<RunQuery, "tenant" | "limit">): boolean {
  const {
    workflow,
    version,
    status,
    labels = {},
    queue,
    createdAfterMs,
    createdBeforeMs,
    endedBeforeMs,
    search,
  } = query;
  return (
    (search === undefined || matchesSearch(run, search)) &&
    (workflow === undefined || run.workflow === workflow) &&
    (version === undefined || run.version === version) &&
    (queue === undefined || run.queue?.name === queue) &&
    (status === undefined || status.includes(run.status)) &&
    Object.entries(labels).every(([name, value]) => run.labels[name] === value) &&
    (createdAfterMs === undefined || run.createdAtMs > createdAfterMs) &&
    (createdBeforeMs === undefined || run.createdAtMs < createdBeforeMs) &&
    (endedBeforeMs === undefined || (run.endedAtMs !== null && run.endedAtMs < endedBeforeMs))
  );
}
