import type { GraphBranch, GraphGroup } from "./describe.js";

/**
 * The same groups with one for each branch on which a drawing writes its role, such as "then" and "else": whoever draws groups
 * draws these, too. A branch that is alone, or has a name, needs no frame.
 */
export function frameBranches(groups: readonly GraphGroup[]): readonly GraphGroup[] {
  const framed = groups.map((group) => ({ group, frames: framesOf(group) }));
  const parents = new Map(
    framed.flatMap(({ frames }) => frames.flatMap(({ id, inside }) => inside.map((group) => [group, id] as const))),
  );
  return framed.flatMap(({ group, frames }): GraphGroup[] => {
    const taken = new Set(frames.flatMap(({ nodes }) => nodes));
    const nodes = group.nodes.filter((node) => !taken.has(node));
    const branches = frames.length === 0 ? group.branches : frames.map(framedBranch);
    const own = { ...group, nodes, branches, parent: parents.get(group.id) ?? group.parent };
    return [own, ...frames.map(({ inside: _, ...frame }) => frame)];
  });
}

interface BranchFrame extends GraphGroup {
  /** Ids of the groups in it. */
  readonly inside: GraphBranch["groups"];
}

function framesOf({ id: parent, branches }: GraphGroup): BranchFrame[] {
  if (branches.length < 2) return [];
  return branches.flatMap(({ role, name, nodes, groups: inside }, at) =>
    name === null ? [{ ...branchFrame({ parent, at, role }), nodes, inside }] : [],
  );
}

/** The group of the branch at the place `at` of the group `parent`, without nodes. */
export function branchFrame({ parent, at, role }: BranchPlace): GraphGroup {
  const none = { nodes: [], enteredBy: null, workflow: null, branches: [] };
  return { ...none, id: `${parent}:${at}`, label: role, kind: "branch", parent };
}

/** A branch as the group around it has it in an outline: its frame. */
export function framedBranch({ id, label: role }: Pick<GraphGroup, "id" | "label">): GraphBranch {
  return { role, name: null, nodes: [], groups: [id] };
}

interface BranchPlace extends Pick<GraphBranch, "role"> {
  /** Id of the group. */
  readonly parent: string;
  readonly at: number;
}
