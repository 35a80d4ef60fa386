/** What containers decide: whether, which, and how often. */
import { type NonRetryableError, WorkflowError } from "millrace";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { ConditionNode, LoopNode, PipelineNode, RouterNode } from "../nodes/node.types.js";
import { again, everyOf, leave, open } from "./advance.js";
import type { CompiledPlan, StepTools } from "./compile-pipeline.js";
import type { Frame, PipelineState, Place, Step } from "./pipeline-state.types.js";
import { stepInputAt } from "./step-input-at.js";

/** Changes the frames, and says where the run goes on. */
export type Decided = (state: PipelineState) => Step[];

export interface Decision extends StepTools {
  readonly place: Place;
  /** An iteration of a loop is over. */
  readonly isAgain?: true;
}

export async function decide(plan: CompiledPlan, node: PipelineNode, decision: Decision): Promise<Decided> {
  const { place, isAgain } = decision;
  const { tree } = plan;
  switch (node.kind) {
    case "loop":
      if (isAgain) return endIteration(plan, node, decision);
      return (state) => open(state, tree, { node, place, queue: everyOf(node.children) });
    case "parallel":
      return (state) => open(state, tree, { node, place, queue: everyOf(node.children) });
    case "condition": {
      const branch = (await holds(plan, node, decision)) ? "if" : "else";
      const all = everyOf(node.children);
      const queue = branch === "if" ? all.slice(0, node.ifCount) : all.slice(node.ifCount);
      return (state) => open(state, tree, { node, place, queue, branch });
    }
    case "router": {
      const queue = await selected(plan, node, decision);
      return (state) => open(state, tree, { node, place, queue });
    }
    default:
      throw new TypeError(`a ${node.kind} decides nothing`);
  }
}

async function holds(plan: CompiledPlan, { evaluator, name }: ConditionNode, decision: Decision): Promise<boolean> {
  if (typeof evaluator === "boolean") return evaluator;
  const answer: unknown = await evaluator(inputOf(plan, decision), decision.context);
  if (typeof answer === "boolean") return answer;
  throw wrongAnswer(`The evaluator of the condition "${name}"`, answer, "true or false");
}

async function selected(plan: CompiledPlan, node: RouterNode, decision: Decision): Promise<number[]> {
  const names = node.children.map((child) => child.name);
  const answer: unknown = await node.selector(inputOf(plan, decision), decision.context, names);
  const picks = answer === undefined || answer === null ? [] : Array.isArray(answer) ? answer : [answer];
  return picks.map((pick: unknown) => {
    const position = typeof pick === "string" ? names.indexOf(pick) : node.givenAs.indexOf(pick as never);
    if (position >= 0) return position;
    throw wrongAnswer(`The selector of the router "${node.name}"`, pick, `one of ${names.join(", ")}`);
  });
}

async function endIteration(plan: CompiledPlan, node: LoopNode, { place, state, context }: Decision): Promise<Decided> {
  const { outputs, iterations } = state.frames[place.frame] as Frame;
  const done = outputs as StepOutput[];
  const iteration = iterations.length + 1;
  const isLast = iteration >= node.maxIterations || done.some((output) => output.stop);
  const ends = isLast || Boolean(await node.endCondition?.(done, Object.assign(Object.create(context), { iteration })));
  return (draft) => {
    const frame = draft.frames[place.frame] as Frame;
    frame.iterations.push(frame.outputs as StepOutput[]);
    frame.outputs = [];
    return ends ? leave(draft, plan.tree, place.frame) : again(draft, plan.tree, place.frame);
  };
}

function inputOf(plan: CompiledPlan, { state, place }: Decision): StepInput {
  return stepInputAt(plan.tree, state, place);
}

/** Asking again would give the same. */
function wrongAnswer(who: string, answer: unknown, expected: string): Error {
  const error = new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `${who} gave ${typeof answer === "string" ? `"${answer}"` : typeof answer}, not ${expected}.`,
    hint: `Give ${expected}.`,
  });
  return Object.assign(error, { retryable: false }) satisfies Error & { retryable: boolean } as InstanceType<
    typeof NonRetryableError
  >;
}
