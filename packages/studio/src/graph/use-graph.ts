import type { WorkflowGraphData } from "../api/contract.types.js";
import { get } from "../api/request.js";
import { type Reading, useRead } from "../api/use-read.js";

interface Representation {
  readonly graph: WorkflowGraphData;
}

/** The graph of a workflow. */
export function useGraph(name: string): Reading<WorkflowGraphData> {
  return useRead(`graph ${name}`, async (signal) => {
    const path = `/workflows/${encodeURIComponent(name)}/representation`;
    return (await get<Representation>(path, {}, signal)).graph;
  });
}
