import type { GraphBranch, GraphGroup, WorkflowDescription } from "./describe.js";

/**
 * The same graph with a group for each branch on which a drawing writes its role, such as "then" and "else": whoever draws groups
 * draws these, too. A branch that is alone, or has a name, needs no frame.
 *
 * @example
 * frameBranches(describeWorkflow(pipeline.workflow)).groups.map(({ label }) => label); // [ 'is it long?', 'then', 'else' ]
 */
export function frameBranches(description: WorkflowDescription): WorkflowDescription {
  const framed = description.groups.map((group) => ({ group, frames: framesOf(group) }));
  const parents = new Map(
    framed.flatMap(({ frames }) => frames.flatMap(({ id, inside }) => inside.map((group) => [group, id] as const))),
  );
  const groups = framed.flatMap(({ group, frames }): GraphGroup[] => {
    const taken = new Set(frames.flatMap(({ nodes }) => nodes));
    const nodes = group.nodes.filter((node) => !taken.has(node));
    const own = { ...group, nodes, parent: parents.get(group.id) ?? group.parent };
    return [own, ...frames.map(({ inside: _, ...frame }) => frame)];
  });
  return { ...description, groups };
}

interface BranchFrame extends GraphGroup {
  /** Ids of the groups in it. */
  readonly inside: GraphBranch["groups"];
}

function framesOf({ id: parent, branches }: GraphGroup): BranchFrame[] {
  if (branches.length < 2) return [];
  const none = { enteredBy: null, workflow: null, branches: [] };
  return branches.flatMap(({ role, name, nodes, groups: inside }, at) =>
    name === null ? [{ ...none, id: `${parent}:${at}`, label: role, kind: "branch", parent, nodes, inside }] : [],
  );
}
