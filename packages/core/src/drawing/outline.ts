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

/**
 * Pairs of branches that stand next to each other, in the order in which they were written: "then" on the left of "else", and the
 * branches of a parallel as they are listed.
 *
 * @param groups Of an outline.
 * @param idOf The id that the drawing uses for a group. @default that of the outline
 */
export function branchOrder(
  groups: readonly Pick<OutlineGroup, "branches">[],
  idOf: (group: string) => string = (group) => group,
): LeftOf[] {
  return groups.flatMap(({ branches }) => {
    const ids = branches.flatMap(
      ({ nodes: [node], groups: [group] }) => node ?? (group === undefined ? [] : idOf(group)),
    );
    return ids.slice(1).map((right, at) => ({ left: ids[at] as string, right }));
  });
}

/** Ids of two nodes or groups. */
export interface LeftOf {
  readonly left: string;
  readonly right: string;
}
