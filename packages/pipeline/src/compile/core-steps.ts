/**
 * The core steps of a pipeline: what each takes, where the run can go from it, and what it does.
 *
 * @module
 */
import { collect, type EventClass, type Finished, many, StopEvent, type WorkflowEvent } from "millrace";
import { liveResources as resources } from "../attempts/live-run.js";
import type { LoopNode, ParallelNode, PipelineNode, StepNode } from "../nodes/node.types.js";
import {
  HumanAnswer,
  HumanPrompt,
  PipelineCancel,
  type PipelineCancelEvent,
  PipelineStreamEvent,
  type PlaceEvent,
} from "../plan/pipeline-events.js";
import { asked, finish, type Target } from "../plan/pipeline-tree.js";
import { askPeople } from "../steps/ask-step.js";
import { beginRun, converse } from "../steps/begin-step.js";
import { cancelRun, finishRun, gather } from "../steps/end-steps.js";
import type { CompiledPlan, PipelineStart, StepParts } from "../steps/plan.types.js";
import { runNode } from "../steps/visit-node.js";

export type Result = Promise<WorkflowEvent | WorkflowEvent[] | Finished | undefined>;

/** A core step; `run` gets the event that `settings` are for. */
export interface CoreStep {
  readonly name: string;
  readonly settings: object;
  readonly run: (event: never, parts: StepParts) => Result;
}

const workers = 1_000;
const streams = [PipelineStreamEvent];
const deciding: Target = { to: "converse", node: "" };

function classes({ events }: CompiledPlan, targets: readonly Target[]): EventClass[] {
  return [...new Set(targets.map((target) => events.of(target)))];
}

export function* coreSteps(plan: CompiledPlan, names: ReadonlyMap<string, string>): Generator<CoreStep> {
  const { agent, events, tree } = plan;
  const [first] = tree.children;
  const firstTargets = first === undefined ? [finish] : tree.entries(first);
  yield {
    name: "begin",
    settings: {
      on: plan.start,
      // As a step of another pipeline it runs without its agent.
      emits: classes(plan, [...(agent === null ? [] : [deciding]), ...firstTargets]),
      // Compiled even without questions: a run that waits for an answer can then report which step is missing.
      streams: [PipelineStreamEvent, HumanPrompt],
      resources,
    },
    run: (ev: PipelineStart, parts) => beginRun(plan, ev, parts),
  };
  if (agent !== null)
    yield {
      name: "converse",
      settings: { on: events.of(deciding), emits: classes(plan, [...firstTargets, finish]), streams, resources },
      run: (ev: PlaceEvent, parts) => converse(plan, ev, parts),
    };
  for (const node of tree.all) if (tree.isEntered(node)) yield* nodeSteps(plan, node, names.get(node.id) as string);
  yield {
    name: "finish",
    settings: { on: events.of(finish), emits: [StopEvent, ...classes(plan, endings(plan))], streams, resources },
    run: (ev: PlaceEvent, parts) => finishRun(plan, ev, parts),
  };
  yield {
    name: "cancel",
    settings: { on: PipelineCancel, emits: events.of(finish), streams, resources },
    run: (ev: PipelineCancelEvent, parts) => cancelRun(plan, ev, parts),
  };
}

/** The end itself, and what runs again when a failed run is retried. */
function endings({ tree }: CompiledPlan): Target[] {
  return [finish, ...tree.all.flatMap((node) => tree.ways(node))];
}

function* nodeSteps(plan: CompiledPlan, node: PipelineNode, name: string): Generator<CoreStep> {
  const { tree } = plan;
  yield enterStep(plan, node, name);
  if (tree.canAsk(node)) yield askStep(plan, node, name);
  if (node.kind === "loop" && node.children.length > 0 && !tree.turnsAtOnce(node)) yield againStep(plan, node, name);
  if (node.kind === "parallel") yield gatherStep(plan, node, name);
}

function enterStep(plan: CompiledPlan, node: PipelineNode, name: string): CoreStep {
  const { events, tree } = plan;
  const inside = firstOf(node).flatMap((child) => tree.entries(child));
  const own: Target[] = node.kind === "step" && canEndRun(node) ? [finish] : [];
  // The branches of a Parallel run at once.
  const branches = classes(plan, [...inside, { to: "gather", node: node.id }]);
  const settings = {
    on: events.of({ to: "enter", node: node.id }),
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
  return { name, settings, run: (ev: PlaceEvent, parts) => runNode(plan, { ...parts, node, ev }) };
}

/** A nested run may be cancelled, and the question of an executor may time out. */
function canEndRun({ executorType, human }: StepNode): boolean {
  return executorType === "workflow" || (executorType !== "function" && human?.timeout !== undefined);
}

/** The first nodes of a group: all of a Parallel, any of a Router, or the first of a row. */
function firstOf(node: PipelineNode): readonly PipelineNode[] {
  switch (node.kind) {
    case "step":
      return [];
    case "parallel":
    case "router":
      return node.children;
    case "condition":
      return node.children.filter((_, at) => at === 0 || at === node.ifCount);
    default:
      return node.children.slice(0, 1);
  }
}

function askStep(plan: CompiledPlan, node: PipelineNode, name: string): CoreStep {
  const { events, tree } = plan;
  const again = firstInside(plan, node);
  const targets: Target[] = [{ to: "enter", node: node.id }, ...again, ...tree.exits(node), finish];
  return {
    name: `${name}: ask`,
    settings: {
      on: events.of(asked(node)),
      emits: classes(plan, targets),
      waits: [HumanAnswer],
      streams: [PipelineStreamEvent, HumanPrompt],
      workers,
      resources,
    },
    run: (ev: PlaceEvent, parts) => askPeople(plan, { ...parts, node, ev }),
  };
}

function againStep(plan: CompiledPlan, node: LoopNode, name: string): CoreStep {
  const { events, tree } = plan;
  const emits = classes(plan, [...firstInside(plan, node), ...tree.exits(node)]);
  return {
    name: `${name}: again`,
    settings: { on: events.of({ to: "again", node: node.id }), emits, streams, workers, resources },
    run: (ev: PlaceEvent, parts) => runNode(plan, { ...parts, node, ev, isAgain: true }),
  };
}

/** Where another iteration of a loop begins. */
function firstInside({ tree }: CompiledPlan, node: PipelineNode): Target[] {
  const [first] = node.kind === "loop" ? node.children : [];
  return first === undefined ? [] : tree.entries(first);
}

/**
 * The branches come together in the fan-out of the core step that runs them, from wherever a failure inside has taken
 * them; that the same handler is there for the steps outside as well is no fault.
 */
function gatherStep(plan: CompiledPlan, node: ParallelNode, name: string): CoreStep {
  const { events, tree } = plan;
  const on = collect(events.of({ to: "gather", node: node.id }) as never, { of: name });
  const emits = classes(plan, tree.leaving(node));
  return {
    name: `${name}: gather`,
    settings: { on, emits, skipChecks: ["uncollected"], streams, workers, resources },
    run: (branches: readonly PlaceEvent[], parts) => gather(plan, branches, { ...parts, node }),
  };
}

/** What the handler of failures takes. */
export function caughtSettings(plan: CompiledPlan): object {
  const { all } = plan.tree;
  const targets = all.flatMap((node) => [...plan.tree.exits(node), ...plan.tree.ways(node)]);
  const isAsked = all.some((node) => plan.tree.canAsk(node));
  const emits = [...classes(plan, [...targets, finish]), ...(isAsked ? [HumanAnswer] : [])];
  return { emits, streams, maxRecoveries: 1_000_000, resources };
}
