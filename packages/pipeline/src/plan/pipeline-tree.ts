/** The nodes of a pipeline, by id, and what follows what. */
import { WorkflowError } from "millrace";
import type { ContainerNode, LoopNode, PipelineNode } from "../nodes/node.types.js";
import type { Step } from "../state/pipeline-state.types.js";
import { questionBefore } from "../state/review.js";

export type Target = Pick<Step, "to" | "node">;
export const finish: Target = { to: "finish", node: "" };

const trees = new WeakMap<object, PipelineTree>();

/** Remembers the tree of a compiled pipeline, for the pipeline around it. */
export function keepTree(workflow: object, tree: PipelineTree): void {
  trees.set(workflow, tree);
}

/** `null` for a pipeline that another copy of this package has compiled. */
export function treeOf(workflow: object): PipelineTree | null {
  return trees.get(workflow) ?? null;
}

export class PipelineTree {
  readonly children: readonly PipelineNode[];
  readonly #nodes: Map<string, PipelineNode> = new Map();

  constructor(children: readonly PipelineNode[]) {
    this.children = children;
    const add = (node: PipelineNode): void => {
      this.#nodes.set(node.id, node);
      if (node.kind !== "step") for (const child of node.children) add(child);
    };
    for (const child of children) add(child);
  }

  get all(): readonly PipelineNode[] {
    return [...this.#nodes.values()];
  }

  node(id: string): PipelineNode {
    const node = this.#nodes.get(id);
    if (node) return node;
    throw new WorkflowError({
      code: "SNAPSHOT_MISMATCH",
      message: `The run has work for the step ${id}, which the pipeline no longer has.`,
      hint: "Keep the steps of runs that have not ended, or finish those first.",
      details: { reason: "step", node: id },
    });
  }

  container(id: string): ContainerNode {
    return this.node(id) as ContainerNode;
  }

  childrenOf(id: string | null): readonly PipelineNode[] {
    return id === null ? this.children : this.container(id).children;
  }

  parentOf({ path }: PipelineNode): ContainerNode | null {
    return path.length < 2 ? null : this.container(path.slice(0, -1).join("."));
  }

  /** Whether the node has its own core step: a plain `Steps` has none. */
  isEntered(node: PipelineNode): boolean {
    return node.kind !== "steps" || node.children.length === 0 || node.human !== null || node.onError === "pause";
  }

  /** Whether people may be asked something about the node. */
  canAsk(node: PipelineNode): boolean {
    return node.human !== null || node.onError === "pause";
  }

  /** What leads to the core steps of a node, but for the one that gathers its branches. */
  ways(node: PipelineNode): Target[] {
    if (!this.isEntered(node)) return [];
    const turns = node.kind === "loop" && node.children.length > 0 && !this.turnsAtOnce(node);
    return [
      { to: "enter", node: node.id },
      ...(this.canAsk(node) ? [asked(node)] : []),
      ...(turns ? [{ to: "again", node: node.id } as const] : []),
    ];
  }

  /** What a node can begin with: a question to people, the node itself, or of plain steps one after the other the first of them. */
  entries(node: PipelineNode): Target[] {
    const [first] = node.kind === "steps" ? node.children : [];
    if (first !== undefined && !this.isEntered(node)) return this.entries(first);
    return [questionBefore(node) === null ? { to: "enter", node: node.id } : asked(node)];
  }

  /** What can come after the node itself: people are asked about it, or what comes after it. */
  exits(node: PipelineNode): Target[] {
    return distinct([...(this.canAsk(node) ? [asked(node)] : []), ...this.after(node)]);
  }

  /** What can come after a node: the next one, or what comes after the group that it ends, also by stopping. */
  after(node: PipelineNode): Target[] {
    const parent = this.parentOf(node);
    const siblings = parent === null ? this.children : parent.children;
    if (parent?.kind === "parallel") return [{ to: "gather", node: parent.id }];
    const position = node.path.at(-1) ?? 0;
    const isBranchEnd = parent?.kind === "condition" && position + 1 === parent.ifCount;
    const next = parent?.kind === "router" ? siblings : siblings.slice(position + 1, position + (isBranchEnd ? 1 : 2));
    return distinct([...next.flatMap((sibling) => this.entries(sibling)), ...this.#around(parent)]);
  }

  #around(parent: ContainerNode | null): Target[] {
    if (parent === null) return [finish];
    if (parent.kind !== "loop") return this.leaving(parent);
    const [first] = parent.children;
    if (first === undefined || !this.turnsAtOnce(parent)) return [{ to: "again", node: parent.id }];
    return [...this.entries(first), ...this.leaving(parent)];
  }

  /** Whether no question follows an iteration: then its last step leads to the next iteration. */
  turnsAtOnce({ endCondition, human, children }: LoopNode): boolean {
    return endCondition === null && human?.requiresIterationReview !== true && children.length > 0;
  }

  /** What can come when the last one inside a group is done. */
  leaving(group: ContainerNode): Target[] {
    const isReviewed = (group.human?.requiresOutputReview ?? false) !== false;
    return [...(isReviewed ? [asked(group)] : []), ...this.after(group)];
  }
}

export function asked({ id }: PipelineNode): Target {
  return { to: "ask", node: id };
}

export function distinct(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [`${target.to} ${target.node}`, target])).values()];
}
