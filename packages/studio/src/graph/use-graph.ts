import { client } from "../api/client.js";
import { type Reading, useRead } from "../api/use-read.js";
import type { WorkflowGraphData } from "./graph-data.js";

/** The graph of a workflow. */
export async function readGraph(workflow: string, signal: AbortSignal): Promise<WorkflowGraphData> {
  return (await client.representation(workflow, { signal })).graph;
}

/** @param workflow `null` reads nothing. */
export function useGraph(workflow: string | null): Reading<WorkflowGraphData> {
  const key = workflow === null ? null : `graph ${workflow}`;
  return useRead(key, (signal) => readGraph(workflow ?? "", signal));
}
