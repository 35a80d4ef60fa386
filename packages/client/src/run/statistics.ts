/** Requests for what has ended, and for runs over time. */
import { type FailureParams, fromWire, type HistogramParams, type Path, type StatisticsParams } from "millrace/wire";
import type { CallOptions } from "../call.types.js";
import type { Call } from "../http/transport.js";
import { checkOptions, type Rules } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import type { ClientStatistics, FailureFilter, StatisticsFilter } from "../statistics.types.js";
import type { Connection } from "./handler-calls.js";
import { isoTime, queryOf } from "./list-runs.js";

type Query = StatisticsParams & FailureParams & HistogramParams;

interface Asking<Filter> {
  readonly path: Path;
  /** A list that the answer has. */
  readonly field: string;
  readonly allowed: Rules;
  readonly query: (filter: Filter) => Query;
}

export function statisticsOf({ transport }: Connection): ClientStatistics<{ readonly [name: string]: never }> {
  const asks =
    <Filter extends CallOptions, Answer>({ path, field, allowed, query }: Asking<Filter>) =>
    async (filter: Filter = {} as Filter): Promise<Answer> => {
      checkOptions("the call", filter, allowed);
      const call: Call = { method: "GET", path, query: query(filter), signal: filter.signal };
      return transport.read<Readonly<Record<string, unknown>>, unknown>(call, field, fromRecord) as Promise<Answer>;
    };
  return {
    statistics: asks({ path: "/statistics", field: "workflows", allowed: rules.statistics, query: timeQuery }),
    failures: asks({ path: "/statistics/failures", field: "groups", allowed: rules.failures, query: timeQuery }),
    histogram: asks({
      path: "/statistics/histogram",
      field: "bars",
      allowed: rules.histogram,
      query: ({ periods, ...filter }) => ({ ...queryOf(filter), periods }),
    }),
  };
}

function timeQuery({ signal: _, after, before, workflow, ...filter }: StatisticsFilter & FailureFilter): Query {
  const { workflow_name } = queryOf(workflow === undefined ? {} : { workflow });
  return { ...filter, workflow_name, after: isoTime(after), before: isoTime(before) };
}

/** A record with the records inside of it. */
function fromRecord(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromRecord);
  if (typeof value !== "object" || value === null) return value;
  return fromWire(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromRecord(inner)])));
}
