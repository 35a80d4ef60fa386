/** The entry of a workflow in the list of workflows. */

import type { EventRole } from "millrace";
import type { WireEventRole, WorkflowRecord } from "millrace/wire";
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

export async function workflowDetails(server: Served, tenant: string): Promise<WorkflowRecord[]> {
  const { workflows } = await server.counts.of(tenant);
  const countsOf = new Map(workflows.map(({ workflow_name: name, ...counts }) => [name, counts]));
  return Promise.all(
    server.catalog.names.map(async (name) => {
      const { compiled } = server.catalog.get(name);
      const counts = countsOf.get(name);
      return {
        name,
        kind: isPipeline(compiled) ? "pipeline" : "workflow",
        description: compiled.options.description,
        counts: counts ?? noCounts(),
        last_run: await lastRun(server, tenant, name),
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
