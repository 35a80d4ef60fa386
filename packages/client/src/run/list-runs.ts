import type { RunFilter, RunPage } from "../client.types.js";
import type { Call } from "../http/transport.js";
import type { HandlerRecord } from "../wire/contract.types.js";
import { toSummary } from "../wire/handler-record.js";
import type { Connection } from "./handler-calls.js";

export async function listRuns({ transport, classes }: Connection, filter: RunFilter): Promise<RunPage> {
  const { workflow, status, limit, cursor, signal } = filter;
  // A list that matches nothing cannot be written as repeated parameters: without any, all match.
  if (isEmpty(workflow) || isEmpty(status)) return { runs: [], cursor: null };
  const call: Call = {
    method: "GET",
    path: "/handlers",
    query: { workflow_name: workflow, status, limit, cursor },
    signal,
  };
  const page = await transport.json<{ handlers: HandlerRecord[]; cursor?: string | null }>(call);
  const options = { classes, request: transport.requestFacts(call) };
  return {
    runs: await Promise.all(page.handlers.map((record) => toSummary(record, options))),
    cursor: page.cursor ?? null,
  };
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}
