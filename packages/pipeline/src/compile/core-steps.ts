/**
 * The core steps of a pipeline: what each takes, and where the run can go from it.
 *
 * @module
 */
import { collect, type EventClass, many, StopEvent } from "millrace";
import type { ParallelNode, PipelineNode } from "../nodes/node.types.js";
import { liveResources as resources } from "./live-run.js";
import { HumanAnswer, HumanPrompt, PipelineCancel, type PipelineEvents, Shown } from "./pipeline-events.js";
import { asked, finish, type PipelineTree, type Target } from "./pipeline-tree.js";

export interface Graph {
  readonly tree: PipelineTree;
  readonly events: PipelineEvents;
  /** What starts a run. */
  readonly start: EventClass;
}

const workers = 1_000;
const streams = [Shown];
const converse: Target = { to: "converse", node: "" };

function classes({ events }: Graph, targets: readonly Target[]): EventClass[] {
  return [...new Set(targets.map((target) => events.of(target)))];
}

function firstTargets({ tree }: Graph): Target[] {
  const [first] = tree.children;
  return first === undefined ? [finish] : tree.entries(first);
}

export function beginOptions(plan: Graph, isConversational: boolean): object {
  // As a step of another pipeline it runs without its agent.
  const targets = [...(isConversational ? [converse] : []), ...firstTargets(plan)];
  // Known also where nobody is asked any more: a run that waits for an answer can say then which step is gone.
  return { on: plan.start, emits: classes(plan, targets), streams: [Shown, HumanPrompt], resources };
}

export function converseOptions(plan: Graph): object {
  const emits = classes(plan, [...firstTargets(plan), finish]);
  return { on: plan.events.of(converse), emits, streams, resources };
}

export function optionsOf(plan: Graph, node: PipelineNode): object {
  const { tree } = plan;
  const inside = node.kind === "step" ? [] : node.children.flatMap((child) => tree.entries(child));
  const own: Target[] = node.kind === "step" && node.executorType === "workflow" ? [finish] : [];
  // The branches of a Parallel run at once.
  const branches = classes(plan, [...inside, { to: "gather", node: node.id }]);
  return {
    on: plan.events.of({ to: "enter", node: node.id }),
    emits:
      node.kind === "parallel"
        ? [many(...(branches as [never])), ...classes(plan, tree.exits(node))]
        : classes(plan, [...inside, ...own, ...tree.exits(node)]),
    streams,
    workers,
    resources,
    ...(node.kind === "step" && node.retry !== null && { retry: node.retry }),
    ...(node.kind === "step" && node.timeout !== null && { timeout: node.timeout }),
  };
}

export function againOptions(plan: Graph, node: PipelineNode): object {
  const { tree, events } = plan;
  const [first] = node.kind === "loop" ? node.children : [];
  const emits = classes(plan, [...(first === undefined ? [] : tree.entries(first)), ...tree.exits(node)]);
  return { on: events.of({ to: "again", node: node.id }), emits, streams, workers, resources };
}

/**
 * @param name Of the core step that runs the branches. They come together in its fan-out from wherever a failure inside has taken
 * them; that the same handler is there for the steps outside as well is no fault.
 */
export function gatherOptions(plan: Graph, node: ParallelNode, name: string): object {
  const { tree, events } = plan;
  const on = collect(events.of({ to: "gather", node: node.id }) as never, { of: name });
  return {
    on,
    emits: classes(plan, tree.leaving(node)),
    skipChecks: ["uncollected"],
    streams,
    workers,
    resources,
  };
}

export function askOptions(plan: Graph, node: PipelineNode): object {
  const { tree, events } = plan;
  const [first] = node.kind === "loop" ? node.children : [];
  const again = first === undefined ? [] : tree.entries(first);
  const targets: Target[] = [{ to: "enter", node: node.id }, ...again, ...tree.exits(node), finish];
  return {
    on: events.of(asked(node)),
    emits: classes(plan, targets),
    waits: [HumanAnswer],
    streams: [Shown, HumanPrompt],
    workers,
    resources,
  };
}

export function finishOptions({ events }: Graph): object {
  return { on: events.of(finish), emits: StopEvent, streams, resources };
}

export const cancelOptions: object = { on: PipelineCancel, emits: StopEvent, streams, resources };

export function caughtOptions(plan: Graph): object {
  const targets = plan.tree.all.flatMap((node) => plan.tree.exits(node));
  const isAsked = plan.tree.all.some((node) => plan.tree.canAsk(node));
  const emits = [...classes(plan, [...targets, finish]), ...(isAsked ? [HumanAnswer] : [])];
  return { emits, streams, maxRecoveries: 1_000_000, resources };
}

/** What the core steps of a node are called besides its name. */
const ASK = ": ask";
const suffixes = ["", ASK, ": again", ": gather"] as const;

/** Names of core steps, by the id of the node: those of the user's steps, told apart where any of them would be another's. */
export function coreNames(tree: PipelineTree): Map<string, string> {
  const taken = new Set(["begin", "converse", "finish", "cancel", "caught"]);
  const names = new Map<string, string>();
  for (const { id, name } of tree.all) {
    let free = name;
    for (let mark = ` (${id})`; suffixes.some((suffix) => taken.has(`${free}${suffix}`)); mark += "'")
      free = `${name}${mark}`;
    for (const suffix of suffixes) taken.add(`${free}${suffix}`);
    names.set(id, free);
  }
  return names;
}

/** The ids of nodes, by the names of all of their core steps. */
export function nodeIds(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].flatMap(([id, name]) => suffixes.map((suffix) => [`${name}${suffix}`, id] as const)));
}

/** The name of the core step that waits for what people say of this node. */
export function askStepOf(nodeIds: ReadonlyMap<string, string>, node: string): string {
  const [name] = [...nodeIds].find(([, id]) => id === node) ?? [];
  return `${name}${ASK}`;
}
