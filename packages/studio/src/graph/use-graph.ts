import type { WorkflowGraphData } from "../api/contract.types.js";
import { get } from "../api/request.js";
import { type Reading, useRead } from "../api/use-read.js";

interface Representation {
  readonly graph: WorkflowGraphData;
}

/** The graph of a workflow. */
export async function readGraph(workflow: string, signal: AbortSignal): Promise<WorkflowGraphData> {
  const path = `/workflows/${encodeURIComponent(workflow)}/representation`;
  return (await get<Representation>(path, {}, signal)).graph;
}

/** @param workflow `null` reads nothing. */
export function useGraph(workflow: string | null): Reading<WorkflowGraphData> {
  const key = workflow === null ? null : `graph ${workflow}`;
  return useRead(key, (signal) => readGraph(workflow ?? "", signal));
}
