import type { EventNode, GraphEdge, GraphGroup, OutsideNode, ResourceNode, StepNode } from "./describe.js";

/** What an outline is made of: a `WorkflowDescription`, or the graph that a server returns. */
export interface OutlineSource {
  readonly name: string;
  readonly nodes: readonly (StepNode | EventNode | ResourceNode | OutsideNode)[];
  readonly edges: readonly GraphEdge[];
  readonly groups: readonly GraphGroup[];
  /** Workflows that run as children, at any depth. @default none */
  readonly children?: readonly OutlineSource[];
}

/** A workflow as drawings show it. */
export interface Outline {
  readonly name: string;
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly OutlineEdge[];
  /** Outer groups before inner ones. */
  readonly groups: readonly OutlineGroup[];
}

export type OutlineNode = OutlineStep | OutlinePerson | EventNode | ResourceNode;

/** A step. One in a nested pipeline has a name of the form `outer step›step`. */
export interface OutlineStep extends StepNode {
  /** Names of the steps that work for this one and are not drawn, such as the step that asks people. @default none */
  readonly covers?: readonly string[];
}

/** Whoever answers prompts and sends events. */
export interface OutlinePerson extends OutsideNode {
  /** Name of the step that asks, if there is only one. */
  readonly askedBy?: string;
}

export interface OutlineEdge extends GraphEdge {
  /** Ids of the groups that the work skips on this edge: conditions that do not hold and have no "else". @default none */
  readonly past?: readonly string[];
}

/** Steps that belong together. `branches` has ids of the outline. The `kind` of a branch that is labelled with its role is `"branch"`. */
export interface OutlineGroup extends GraphGroup {
  /** Whether people are asked about the group as a whole. @default false */
  readonly asks?: boolean;
}
