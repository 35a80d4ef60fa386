/** The entry of a workflow in the list of workflows. */

import type { EventRole } from "millrace";
import type { WireEventRole, WorkflowRecord } from "millrace/wire";
import type { Identity } from "../guard/auth.js";
import { rightsFor } from "../guard/rights.js";
import { isoTime } from "../system.js";
import { shownStatus } from "../wire/handler-record.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import { noCounts } from "./count-runs.js";
import type { Served } from "./served.types.js";

/** Durable type of the start event of every pipeline. */
const pipelineStart = "pipeline.start";

export const shownRoles: Readonly<Record<EventRole, WireEventRole>> = {
  start: "start",
  stop: "stop",
  event: "event",
  inputRequired: "input_required",
  humanResponse: "human_response",
  external: "external",
  stepFailed: "step_failed",
  terminal: "terminal",
  notice: "engine",
};

/** Workflows of which the caller has a right; numbers and last run only where it may read. */
export async function workflowDetails(server: Served, identity: Identity): Promise<WorkflowRecord[]> {
  const { tenant = "" } = identity;
  const { workflows } = await server.counts.of(tenant);
  const countsOf = new Map(workflows.map(({ workflow_name: name, ...counts }) => [name, counts]));
  const shown = server.catalog.names.filter((name) => rightsFor(identity, name).length > 0);
  return Promise.all(
    shown.map(async (name) => {
      const isReadable = rightsFor(identity, name).includes("read");
      const { compiled } = server.catalog.get(name);
      const counts = isReadable ? countsOf.get(name) : undefined;
      return {
        name,
        kind: isPipeline(compiled) ? "pipeline" : "workflow",
        description: compiled.options.description,
        counts: counts ?? noCounts(),
        last_run: isReadable ? await lastRun(server, tenant, name) : null,
      };
    }),
  );
}

function isPipeline({ startClasses }: WorkflowFacts["compiled"]): boolean {
  return startClasses.some(({ type }) => type === pipelineStart);
}

async function lastRun({ runtime }: Served, tenant: string, workflow: string): Promise<WorkflowRecord["last_run"]> {
  const [run] = (await runtime.runs({ tenant, workflow, limit: 1 })).runs;
  if (run === undefined) return null;
  return { handler_id: run.runId, status: shownStatus(run.status), started_at: isoTime(run.createdAtMs) };
}
