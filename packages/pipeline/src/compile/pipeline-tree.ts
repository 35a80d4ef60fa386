/** The nodes of a pipeline, by id, and what follows what. */
import { WorkflowError } from "millrace";
import type { ContainerNode, PipelineNode } from "../nodes/node.types.js";
import type { Step } from "./pipeline-state.types.js";

type Target = Pick<Step, "to" | "node">;
const finish: Target = { to: "finish", node: "" };

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
      message: `The run has work for the step ${id}, which the pipeline does not have any more.`,
      hint: "Keep the steps of runs that have not ended, or finish those first.",
      details: { node: id },
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

  /** What a node can begin with: of a group, its first child. */
  entries(node: PipelineNode): Target[] {
    if (node.kind !== "steps") return [{ to: "enter", node: node.id }];
    const [first] = node.children;
    return first === undefined ? this.exits(node) : this.entries(first);
  }

  /** What can come after a node: the next one, or what comes after the group that it ends, also by stopping. */
  exits(node: PipelineNode): Target[] {
    const parent = this.parentOf(node);
    const siblings = parent === null ? this.children : parent.children;
    if (parent?.kind === "parallel") return [{ to: "gather", node: parent.id }];
    const next =
      parent?.kind === "router" ? siblings : siblings.slice((node.path.at(-1) ?? 0) + 1, (node.path.at(-1) ?? 0) + 2);
    const around: Target[] =
      parent === null ? [finish] : parent.kind === "loop" ? [{ to: "again", node: parent.id }] : this.exits(parent);
    return distinct([...next.flatMap((sibling) => this.entries(sibling)), ...around]);
  }
}

export function distinct(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [`${target.to} ${target.node}`, target])).values()];
}
