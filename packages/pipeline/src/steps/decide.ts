/** What containers decide: whether, which, and how often. */
import { WorkflowError } from "millrace";
import type { StepOutput } from "../data/step-output.types.js";
import {
  ask,
  completeTurn,
  endTurn,
  everyOf,
  frameOf,
  groupKey,
  isLastTurn,
  open,
  ownPlace,
} from "../interpreter/advance.js";
import { isolate } from "../interpreter/branch-state.js";
import type { ConditionNode, ContainerNode, LoopNode, RouterNode } from "../nodes/node.types.js";
import { lastIteration } from "../state/group-output.js";
import type { Step } from "../state/pipeline-state.types.js";
import { reviewAt } from "../state/review.js";
import type { PipelineCourse } from "./move.js";
import { stepInputAt } from "./step-input-at.js";
import type { Decided, StepTools } from "./visit.types.js";

export async function decide(node: ContainerNode, tools: StepTools): Promise<Decided> {
  const { place } = tools;
  const all = everyOf(node.children);
  switch (node.kind) {
    case "loop":
    case "steps":
      return (course) => open(course, { node, place, queue: all });
    case "parallel":
      return (course) => {
        const key = groupKey(course, place);
        const steps = open(course, { node, place, queue: all });
        if (node.state === "isolated") isolate(course, key);
        return steps;
      };
    case "condition": {
      const branch = (await holds(node, tools)) ? "if" : "else";
      const queue = branch === "if" ? all.slice(0, node.ifCount) : all.slice(node.ifCount);
      return (course) => open(course, { node, place, queue, branch });
    }
    case "router":
      return route(node, tools);
  }
}

async function holds({ evaluator, name }: ConditionNode, tools: StepTools): Promise<boolean> {
  if (reviewAt(tools.state, tools.place).usesElseBranch) return false;
  if (typeof evaluator === "boolean") return evaluator;
  const answer: unknown = await evaluator(stepInputAt(tools), tools.context);
  if (typeof answer === "boolean") return answer;
  throw wrongAnswer(`The evaluator of the condition "${name}"`, answer, "true or false");
}

async function route(node: RouterNode, tools: StepTools): Promise<Decided> {
  const { place, state } = tools;
  const names = node.children.map((child) => child.name);
  const picked = reviewAt(state, place).selected;
  const answer: unknown = picked ?? (await node.selector?.(stepInputAt(tools), tools.context, names));
  const picks = picksOf(node, answer);
  const queue = picks.map((pick: unknown) => {
    const position = typeof pick === "string" ? names.indexOf(pick) : node.givenAs.indexOf(pick);
    if (position >= 0) return position;
    throw wrongAnswer(`The selector of the router "${node.name}"`, pick, `one of ${names.join(", ")}`);
  });
  return (course) => open(course, { node, place, queue });
}

/** A list that was listed as one choice is that choice. */
function picksOf({ givenAs }: RouterNode, answer: unknown): readonly unknown[] {
  if (answer === undefined || answer === null) return [];
  return Array.isArray(answer) && !givenAs.includes(answer) ? answer : [answer];
}

export async function endIteration(node: LoopNode, { place, state, context }: StepTools): Promise<Decided> {
  const key = place.frame;
  const frame = frameOf(state, key);
  const results = lastIteration(frame);
  const inside = context as typeof context & { readonly iteration: number }; // it is asked between iterations of the loop
  const ends = isLastTurn(node, frame) || Boolean(await node.endCondition?.(results, inside));
  return (course) => {
    if (ends || node.human?.requiresIterationReview !== true) return endTurn(course, node, { key, ends });
    completeTurn(course, node, { key, ends });
    return askAboutIteration(course, node, { place, results });
  };
}

function askAboutIteration(
  course: PipelineCourse,
  node: LoopNode,
  { place, results }: { readonly place: StepTools["place"]; readonly results: readonly StepOutput[] },
): Step[] {
  const message = node.human?.iterationReviewMessage ?? `Review iteration of loop '${node.name}'?`;
  const output = results.at(-1) ?? null;
  const question = { kind: "iterationReview", message, details: { output } } as const;
  return ask(course, { node, place: ownPlace(place.frame), question });
}

/** Asking again would return the same. */
function wrongAnswer(who: string, answer: unknown, expected: string): Error {
  const error = new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `${who} returned ${typeof answer === "string" ? `"${answer}"` : typeof answer}, not ${expected}.`,
    hint: `Return ${expected}.`,
  });
  return Object.assign(error, { retryable: false });
}
