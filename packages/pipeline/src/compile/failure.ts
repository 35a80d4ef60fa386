/** What becomes of a run one of whose steps has failed for good: the policy of the step, else of the groups around it. */
import type { StepFailedEvent } from "millrace";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import { done } from "./advance.js";
import type { CompiledPlan } from "./compile-pipeline.js";
import type { Frame, PipelineState, Place, Step } from "./pipeline-state.types.js";

export interface Caught {
  readonly ev: StepFailedEvent;
  /** Names of core steps, by the id of the node. */
  readonly names: ReadonlyMap<string, string>;
}

export function failedMoves(state: PipelineState, plan: CompiledPlan, { ev, names }: Caught): Step[] {
  const { tree } = plan;
  const id = [...names].find(([, name]) => ev.stepName === name || ev.stepName?.startsWith(`${name}: `))?.[0];
  const { frame, at } = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as Partial<Place>;
  if (id === undefined || frame === undefined || at === undefined) return fail(state, ev);
  const taken = takenBy(plan, state, { node: tree.node(id), place: { frame, at } });
  if (taken === null) return fail(state, ev);
  return done(state, tree, { place: taken.place, output: failedOutput(taken.node, ev) });
}

interface Taken {
  readonly node: PipelineNode;
  readonly place: Place;
}

/** The innermost that lets the run go on. */
function takenBy(plan: CompiledPlan, state: PipelineState, from: Taken): Taken | null {
  for (let here: Taken | null = from; here !== null; here = around(plan, state, here)) {
    if (here.node.onError === "skip") return here;
  }
  return null;
}

function around({ tree }: CompiledPlan, state: PipelineState, { place }: Taken): Taken | null {
  const { node, parent, at } = state.frames[place.frame] as Frame;
  return node === null || parent === null ? null : { node: tree.node(node), place: { frame: parent, at } };
}

function fail(state: PipelineState, ev: StepFailedEvent): Step[] {
  state.failure = { stepName: ev.stepName, message: messageOf(ev) };
  return [{ to: "finish", node: "", frame: "", at: 0 }];
}

function failedOutput(node: PipelineNode, ev: StepFailedEvent): StepOutput {
  const message = messageOf(ev);
  return createOutput({
    stepName: node.name,
    stepId: node.id,
    stepType: failedType(node),
    ...(node.kind === "step" && { executorType: node.executorType, executorName: node.executorName }),
    content: `Step ${node.name} failed but skipped`,
    success: false,
    error: message,
    skipped: true,
  });
}

const failedTypes = {
  steps: "Steps",
  loop: "Loop",
  parallel: "Parallel",
  condition: "Condition",
  router: "Router",
} as const;

function failedType(node: PipelineNode): StepOutput["stepType"] {
  if (node.kind !== "step") return failedTypes[node.kind];
  return node.executorType === "workflow" ? "Workflow" : "Step";
}

export function messageOf({ error }: StepFailedEvent): string {
  return error instanceof Error ? error.message : String(error);
}
