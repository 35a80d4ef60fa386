/**
 * The core steps of a pipeline: what each takes, and where the run can go from it.
 *
 * @module
 */
import { collect, type EventClass, StartEvent } from "millrace";
import type { PipelineNode } from "../nodes/node.types.js";
import type { PipelineEvents } from "./pipeline-events.js";
import { Shown } from "./pipeline-events.js";
import type { Step } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";

export interface Graph {
  readonly tree: PipelineTree;
  readonly events: PipelineEvents;
}

const workers = 1_000;

function classes({ events }: Graph, targets: readonly Pick<Step, "to" | "node">[]): EventClass[] {
  return targets.map((target) => events.of(target));
}

export function beginOptions(plan: Graph): object {
  const { tree } = plan;
  const [first] = tree.children;
  const emits = first === undefined ? classes(plan, [{ to: "finish", node: "" }]) : classes(plan, tree.entries(first));
  return { on: StartEvent, emits, streams: [Shown] };
}

/** @param resources What the step is given as its third argument. */
export function optionsOf(plan: Graph, node: PipelineNode, resources: object): object {
  const { tree } = plan;
  const inside = node.kind === "step" ? [] : node.children.flatMap((child) => tree.entries(child));
  const own = node.kind === "parallel" ? [{ to: "gather", node: node.id } as const] : [];
  return {
    on: plan.events.of({ to: "enter", node: node.id }),
    emits: classes(plan, [...inside, ...own, ...tree.exits(node)]),
    streams: [Shown],
    workers,
    resources,
    ...(node.kind === "step" && node.retry !== null && { retry: node.retry }),
    ...(node.kind === "step" && node.timeout !== null && { timeout: node.timeout }),
  };
}

export function againOptions(plan: Graph, node: PipelineNode, resources: object): object {
  const { tree, events } = plan;
  const [first] = node.kind === "loop" ? node.children : [];
  const emits = classes(plan, [...(first === undefined ? [] : tree.entries(first)), ...tree.exits(node)]);
  return { on: events.of({ to: "again", node: node.id }), emits, streams: [Shown], workers, resources };
}

export function gatherOptions(plan: Graph, node: PipelineNode): object {
  const { tree, events } = plan;
  return {
    on: collect(events.of({ to: "gather", node: node.id }) as never),
    emits: classes(plan, tree.exits(node)),
    workers,
  };
}

export function everywhere({ tree, events }: Graph): EventClass[] {
  const targets = tree.all.flatMap((node) => tree.exits(node));
  return [...new Set([...targets.map((target) => events.of(target)), events.of({ to: "finish", node: "" })])];
}

/** Names of core steps: those of the user's steps, told apart where they repeat. */
export function coreNames(tree: PipelineTree): Map<string, string> {
  const taken = new Set(["begin", "finish", "caught"]);
  const names = new Map<string, string>();
  for (const { id, name } of tree.all) {
    const free = taken.has(name) ? `${name} (${id})` : name;
    taken.add(free);
    names.set(id, free);
  }
  return names;
}
