/** Routes of what has ended, and of runs over time. */
import type { Failures, Histogram, HistogramFilter, Statistics, StatisticsFilter } from "millrace/runtime";
import type { Identity } from "../guard/auth.js";
import { readableOf } from "../guard/rights.js";
import { filterOf } from "../runs/list-runs.js";
import { histogramQuery } from "../wire/schemas.js";
import { toFailures, toHistogram, toStatistics } from "../wire/statistics.js";
import { failures, failuresQuery, histogram, statistics, statisticsQuery } from "../wire/statistics-schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Statistics";
const needs = ["read", "some"] as const;

interface Asked {
  readonly identity: Identity;
  readonly query: {
    readonly workflow_name?: readonly string[] | undefined;
    readonly after?: number | undefined;
    readonly before?: number | undefined;
  };
}

export function mountStatistics(server: Server): void {
  const { runtime, catalog } = server;
  const ended = ({ identity, query: { workflow_name, after, before } }: Asked): StatisticsFilter => {
    const names = readableOf(identity, workflow_name, catalog.names);
    return {
      ...(names?.length === 1 ? { workflow: names[0] as string } : names && { workflows: names }),
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
    };
  };
  mount(server, {
    route: "GET /statistics",
    needs,
    operation: "readStatistics",
    summary: "How many runs have ended and failed, and how long they took; of one workflow, its steps, too",
    tag,
    query: statisticsQuery,
    answers: { 200: ["Figures of each workflow", statistics] },
    handle: async (call) => {
      const { by } = call.query;
      const read: Statistics = await runtime.statistics.figures({
        ...ended(call),
        tenant: call.tenant,
        ...(by !== undefined && { by }),
      });
      return json(toStatistics(read));
    },
  });
  mount(server, {
    route: "GET /statistics/failures",
    needs,
    operation: "listFailures",
    summary: "Failures of runs, grouped by step and message",
    tag,
    query: failuresQuery,
    answers: { 200: ["Groups, those with the most failures first", failures] },
    handle: async (call) => {
      const { version, limit } = call.query;
      const filter = { ...ended(call), tenant: call.tenant, limit, ...(version !== undefined && { version }) };
      const read: Failures = await runtime.statistics.failures(filter);
      return json(toFailures(read));
    },
  });
  mount(server, {
    route: "GET /statistics/histogram",
    needs,
    operation: "readHistogram",
    summary: "Counts the runs of a list by the time of their creation",
    tag,
    query: histogramQuery,
    answers: { 200: ["Bars, in order", histogram] },
    handle: async ({ query, tenant, identity }) => {
      const names = readableOf(identity, query.workflow_name, catalog.names);
      const filter: HistogramFilter = { ...filterOf(query), tenant, periods: query.periods };
      return json(toHistogram(await histogramOf(server, filter, names)));
    },
  });
}

/** A store counts one workflow, or all. */
async function histogramOf(
  { runtime }: Server,
  filter: HistogramFilter,
  names: readonly string[] | undefined,
): Promise<Histogram> {
  if (names === undefined) return runtime.statistics.histogram(filter);
  const none = names.length === 0;
  const parts = await Promise.all(
    (none ? [""] : names).map((workflow) =>
      runtime.statistics.histogram({ ...filter, workflow, ...(none && { status: [] }) }),
    ),
  );
  const [first] = parts as [Histogram];
  return { ...first, bars: parts.map(({ bars }) => bars).reduce(added) };
}

/** Bars of both, in order. */
function added(one: Histogram["bars"], other: Histogram["bars"]): Histogram["bars"] {
  const sums = new Map(one.map(({ atMs, counts }) => [atMs, counts]));
  for (const { atMs, counts } of other) {
    const sum: Record<string, number> = { ...sums.get(atMs) };
    for (const [status, count] of Object.entries(counts)) sum[status] = (sum[status] ?? 0) + count;
    sums.set(atMs, sum);
  }
  return [...sums].sort(([a], [b]) => a - b).map(([atMs, counts]) => ({ atMs, counts }));
}
