/**
 * What drawings show of a workflow. Mermaid, SVG, HTML and the studio all draw this.
 *
 * @module
 */
import { frameBranches } from "./frame-branches.js";
import type { Outline, OutlineGroup, OutlineSource } from "./outline.types.js";
import { isPipelineGraph, pipelineOutline } from "./pipeline-outline.js";

/**
 * The steps, events and groups that a drawing of the workflow shows. Of a pipeline these are the steps and groups that its author
 * wrote, those of nested pipelines included, in the order of the work. Any other workflow has all its nodes, and a group for each
 * branch that is called by its role, such as "then" and "else".
 *
 * @example
 * outlineOf(describeWorkflow(pipeline.workflow)).groups.map(titleOfGroup); // [ 'Condition · is it long?', 'then', 'else' ]
 */
export function outlineOf(source: OutlineSource): Outline {
  return isPipelineGraph(source) ? pipelineOutline(source) : { ...source, groups: frameBranches(source.groups) };
}

/** The title of a group in a drawing: `Loop · polish`, and `then` for a branch. */
export function titleOfGroup({ kind, label, asks }: Pick<OutlineGroup, "kind" | "label" | "asks">): string {
  const words = kind === "" || kind === "branch" ? label : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} · ${label}`;
  return asks ? `${words} · asks a person` : words;
}

/** Pairs of branches that stand next to each other, in the order in which they were written: "then" on the left of "else". */
export function branchOrder(groups: readonly Pick<OutlineGroup, "id" | "kind" | "parent">[]): LeftOf[] {
  const frames = groups.filter(({ kind }) => kind === "branch");
  return frames.flatMap(({ id, parent }, at) => {
    const next = frames.slice(at + 1).find((frame) => frame.parent === parent);
    return next === undefined ? [] : [{ left: id, right: next.id }];
  });
}

/** Ids of two groups. */
export interface LeftOf {
  readonly left: string;
  readonly right: string;
}
