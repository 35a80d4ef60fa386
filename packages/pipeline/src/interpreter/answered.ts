/** Continues a run with the answer of a person. Pure, as `advance` is. */

import { executionsOf } from "../data/metrics.js";
import { sizeOf } from "../data/paged-list.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { HumanDecision, RequirementData } from "../human/requirement.types.js";
import type { LoopNode, PipelineNode } from "../nodes/node.types.js";
import { refusedOutput } from "../nodes/node-facts.js";
import { iterationStarted } from "../state/group-output.js";
import type { OwnState, Place, Review, Step } from "../state/pipeline-state.types.js";
import { reviewAt, updateReview } from "../state/review.js";
import {
  abandon,
  again,
  completeNode,
  emitGroupEvent,
  finish,
  frameOf,
  leave,
  scheduleNode,
  type Transition,
} from "./advance.js";

export type ReviewDecision = HumanDecision | { readonly decision: "timeout" };

export interface Answered {
  readonly node: PipelineNode;
  readonly place: Place;
  readonly question: RequirementData;
  readonly said: ReviewDecision;
}

interface AskedCourse extends Transition {
  readonly state: OwnState;
}

export function answered(course: AskedCourse, answer: Answered): Step[] {
  const { place, question, said } = answer;
  remember(course, answer);
  updateReview(course.state, place, { question: null });
  if (said.decision === "timeout") return timedOut(course, answer);
  if (question.kind === "error") return afterError(course, answer);
  return said.decision === "confirm" ? confirmed(course, { ...answer, said }) : rejected(course, answer);
}

function remember({ state, nowMs }: AskedCourse, { question, said }: Answered): void {
  const { kind, stepId, stepName, message, askedAtMs } = question;
  const feedback = said.decision === "reject" ? (said.feedback ?? null) : null;
  const { decision } = said;
  state.answered.push({ kind, stepId, stepName, message, decision, feedback, askedAtMs, answeredAtMs: nowMs });
}

function timedOut(course: AskedCourse, answer: Answered): Step[] {
  const { question, node } = answer;
  const why = `Step '${node.name}' was not answered in time`;
  if (question.onTimeout === "cancel") return cancel(course, node, why);
  if (question.onTimeout === "skip") return skip(course, answer, why);
  // A default approval has no fields, no route and no permission for tools: those need a person.
  if (question.kind === "error") return skip(course, answer, why);
  if (question.kind === "route" || (question.kind === "userInput" && question.fields.some(isRequired)))
    return cancel(course, node, `${why}, and its questions need a person`);
  return confirmed(course, { ...answer, said: { decision: "confirm" } });
}

function isRequired({ required = true }: RequirementData["fields"][number]): boolean {
  return required;
}

function afterError(course: AskedCourse, answer: Answered): Step[] {
  const { output } = answer.question;
  if (answer.said.decision === "retry") {
    if (output !== null) course.state.discarded.push(...executionsOf([output]));
    return enterAgain(answer, course, {});
  }
  return skip(course, answer, `Step ${answer.node.name} failed but skipped`);
}

function confirmed(
  course: AskedCourse,
  answer: Answered & { readonly said: Extract<HumanDecision, { decision: "confirm" }> },
): Step[] {
  const { question, place, said } = answer;
  switch (question.kind) {
    case "userInput":
      return enterAgain(answer, course, { isConfirmed: true, userInput: { ...said.values } });
    case "route":
      return enterAgain(answer, course, { selected: [...(said.choices ?? [])] });
    case "outputReview":
      return completeNode(course, { place, output: reviewed(question.output as StepOutput, said) });
    case "iterationReview":
      return leave(course, place.frame);
    default:
      return enterAgain(answer, course, { isConfirmed: true });
  }
}

function reviewed(output: StepOutput, said: object): StepOutput {
  return "output" in said && said.output !== undefined ? createOutput({ ...output, content: said.output }) : output;
}

function rejected(course: AskedCourse, answer: Answered): Step[] {
  const { node, question } = answer;
  const why = `Step '${node.name}' was rejected`;
  switch (question.onReject) {
    case "cancel":
      return cancel(course, node, why);
    case "else":
      return enterAgain(answer, course, { isConfirmed: true, usesElseBranch: true });
    case "retry":
      return retried(course, answer);
    case "skip":
      return skip(course, answer, why);
  }
}

function retried(course: AskedCourse, answer: Answered): Step[] {
  const { node, place, question, said } = answer;
  const { retryCount } = reviewAt(course.state, place);
  const feedback = said.decision === "reject" ? said.feedback : undefined;
  // A step that was rejected before it began has not run: the next execution is its first.
  const isAgain = question.kind !== "confirmation" && question.kind !== "userInput";
  if (isAgain && retryCount >= question.maxRetries)
    return cancel(course, node, `Max retries (${question.maxRetries}) reached for step '${node.name}'`);
  const { output } = question;
  const previous = output === null ? {} : { previousOutput: output.content };
  const retryFeedback = { ...previous, ...(feedback !== undefined && { feedback }) };
  if (question.kind === "iterationReview") {
    updateReview(course.state, place, { retryCount: retryCount + 1, feedback: retryFeedback });
    const iteration = sizeOf(frameOf(course.state, place.frame).starts) + 1;
    emitGroupEvent(course, node as LoopNode, iterationStarted(node as LoopNode, iteration));
    return again(course, place.frame);
  }
  if (output !== null) course.state.discarded.push(...executionsOf([output]));
  const before = question.kind === "outputReview" ? {} : { isConfirmed: true };
  return enterAgain(answer, course, {
    ...before,
    output: null,
    selected: null,
    retryCount: retryCount + Number(isAgain),
    feedback: retryFeedback,
  });
}

/** On behind it, as if it were not there. */
function skip(course: AskedCourse, { node, place, question }: Answered, why: string): Step[] {
  const { state } = course;
  if (question.kind === "iterationReview") {
    const { parent, at } = frameOf(state, place.frame);
    const loop = { frame: parent as string, at };
    abandon(course, loop);
    return completeNode(course, { place: loop, output: refusedOutput(node, why) });
  }
  const output = refusedOutput(node, why);
  if (question.kind === "error") return completeNode(course, { place, output: failedAnd(output, question) });
  if (question.output !== null) state.discarded.push(...executionsOf([question.output]));
  return completeNode(course, { place, output });
}

/** Of a group, with what was done in it. */
function failedAnd(output: StepOutput, { error, output: failed }: RequirementData): StepOutput {
  const { content, skipped } = output;
  return createOutput({ ...(failed ?? output), content, skipped, success: false, error });
}

function enterAgain({ node, place }: Answered, course: Transition, said: Partial<Review>): Step[] {
  updateReview(course.state, place, said);
  return scheduleNode(course, node, place);
}

export function cancel({ state }: { readonly state: OwnState }, node: PipelineNode, why: string): Step[] {
  const message = `Pipeline cancelled: ${why}`;
  state.failure = { stepName: node.name, message, name: "Cancelled", code: null, retryable: null, isCancelled: true };
  return [finish];
}
