/** What people are asked about a node, and what is kept of it. */
import { toMs } from "millrace/engine";
import type { StepOutput } from "../data/step-output.types.js";
import type { HumanReview } from "../human/human-review.types.js";
import type { RequirementData, RequirementKind } from "../human/requirement.types.js";
import type { PipelineNode, RouterNode } from "../nodes/node.types.js";
import { stepTypeOf } from "../nodes/node-facts.js";
import type { PipelineState, Place, Review } from "./pipeline-state.types.js";

export function placeKey({ frame, at }: Place): string {
  return `${frame}:${at}`;
}

export function placeOf(key: string): Place {
  const end = key.lastIndexOf(":");
  return { frame: key.slice(0, end), at: Number(key.slice(end + 1)) };
}

const nothingSaid: Review = {
  question: null,
  isConfirmed: false,
  userInput: null,
  selected: null,
  usesElseBranch: false,
  output: null,
  paused: null,
  feedback: null,
  retryCount: 0,
};

export function reviewAt({ reviews }: Pick<PipelineState, "reviews">, place: Place): Readonly<Review> {
  return reviews[placeKey(place)] ?? nothingSaid;
}

/** Changes what is kept of the place. */
export function updateReview({ reviews }: Pick<PipelineState, "reviews">, place: Place, said: Partial<Review>): void {
  const key = placeKey(place);
  reviews[key] = { ...(reviews[key] ?? nothingSaid), ...said };
}

/** What an executor has taken until it paused counts by itself: there is no result that has it. */
export function countPause(state: Pick<PipelineState, "reviews" | "discarded">, key: string): void {
  const paused = state.reviews[key]?.paused ?? null;
  if (paused === null) return;
  state.discarded.push(paused);
  (state.reviews[key] as Review).paused = null;
}

export interface Question {
  readonly kind: RequirementKind;
  readonly message: string;
  readonly details?: Partial<Pick<RequirementData, "fields" | "choices" | "output" | "tools" | "error">>;
}

/** The question to ask before a node runs; `null` if there is none, or it is answered. */
export function questionBefore(node: PipelineNode, said: Readonly<Review> = nothingSaid): Question | null {
  const { human, kind, name } = node;
  if (human === null) return null;
  if (!said.isConfirmed && kind === "step" && human.requiresUserInput === true)
    return {
      kind: "userInput",
      message: human.userInputMessage ?? `Input for step '${name}'?`,
      details: { fields: human.userInputSchema ?? [] },
    };
  if (!said.isConfirmed && human.requiresConfirmation === true)
    return { kind: "confirmation", message: human.confirmationMessage ?? confirmationText(node) };
  return kind === "router" && human.requiresUserInput === true && said.selected === null ? routeQuestion(node) : null;
}

const pausedNames: Partial<Readonly<Record<RequirementKind, string>>> = {
  route: "RouterPaused",
  executor: "StepExecutorPaused",
  outputReview: "StepOutputReview",
  iterationReview: "StepOutputReview",
};

/** The event for a question. */
export function pausedName({ kind }: PipelineNode, asked: RequirementKind): string {
  if (asked === "confirmation" && kind === "condition") return "ConditionPaused";
  return pausedNames[asked] ?? "StepPaused";
}

/** Which choices of a router, where people pick them. */
function routeQuestion({ human, children }: RouterNode): Question {
  const choices = children.map(({ name }) => name);
  const message = human?.userInputMessage ?? `Select a route from: ${choices.join(", ")}`;
  return { kind: "route", message, details: { choices } };
}

/** Whether a person has to review the output of a step or router. */
export function reviewQuestion({ human, name }: PipelineNode, output: StepOutput): Question | null {
  const wanted = human?.requiresOutputReview ?? false;
  if (!(typeof wanted === "function" ? wanted(output) : wanted)) return null;
  return {
    kind: "outputReview",
    message: human?.outputReviewMessage ?? `Review output of step '${name}'?`,
    details: { output },
  };
}

function confirmationText({ kind, name }: PipelineNode): string {
  if (kind === "condition") return `Execute condition '${name}'? (yes=if branch, no=else branch)`;
  if (kind === "steps") return `Execute steps pipeline '${name}'?`;
  return `Execute ${kind} '${name}'?`;
}

export function requirementOf(
  node: PipelineNode,
  { kind, message, details = {} }: Question,
  { retryCount, nowMs }: { readonly retryCount: number; readonly nowMs: number },
): RequirementData {
  const human: HumanReview = node.human ?? {};
  const { timeout, onTimeout = "cancel", maxRetries = 3 } = human;
  return {
    kind,
    stepId: node.id,
    stepName: node.name,
    stepIndex: node.path,
    stepType: stepTypeOf(node),
    message,
    fields: [],
    choices: [],
    output: null,
    tools: [],
    error: null,
    ...details,
    allowMultipleSelections: human.allowMultipleSelections ?? false,
    retryCount,
    maxRetries,
    onReject: human.onReject ?? (node.kind === "condition" ? "else" : "skip"),
    askedAtMs: nowMs,
    timeoutAtMs: timeout === undefined ? null : nowMs + toMs(timeout, "humanReview.timeout"),
    onTimeout,
  };
}
