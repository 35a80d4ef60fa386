/** Graphs of workflows, with the fields of all kinds of nodes on each node. */
import type { WorkflowGraph } from "@millrace/client";
import type { GraphNode as Node, StepNode } from "millrace/graph";

export type { GraphBranch, GraphGroup } from "millrace/graph";

/** A node of any kind, with the fields that a step has, and the role of an event. */
export type GraphNode = Pick<Node, "kind" | "id" | "name"> &
  Partial<Omit<StepNode, "kind" | "id" | "name">> & { readonly role?: string };

export interface WorkflowGraphData extends Omit<WorkflowGraph, "nodes" | "children"> {
  readonly nodes: readonly GraphNode[];
  readonly children?: readonly WorkflowGraphData[];
}
