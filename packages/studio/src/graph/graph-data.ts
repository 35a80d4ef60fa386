/** Graphs of workflows, with the fields of all kinds of nodes on each node. */
import type { WorkflowGraph } from "@millrace/client";
import type { GraphNode as Node, OutlinePerson, OutlineSource, OutlineStep } from "millrace/graph";

/** A node of any kind, with the fields that a step and a person have, and the role of an event. */
export type GraphNode = Pick<Node, "kind" | "id" | "name"> &
  Partial<Omit<OutlineStep, "kind" | "id" | "name">> &
  Pick<OutlinePerson, "askedBy"> & { readonly role?: string };

export interface WorkflowGraphData extends Omit<WorkflowGraph, "nodes" | "children"> {
  readonly nodes: readonly GraphNode[];
  readonly children?: readonly WorkflowGraphData[];
}

/** The same graph as the server described it: each node has the fields of its kind. */
export function outlineSourceOf(graph: WorkflowGraphData): OutlineSource {
  return graph as OutlineSource;
}
