/** Refuses review options that a node cannot honour, when the node is created. */
import { typeProblems } from "../nodes/option-problems.js";
import type { HumanReview } from "./human-review.types.js";

export type ReviewedKind = "step" | "steps" | "loop" | "parallel" | "condition" | "router";

const everywhere = ["requiresConfirmation", "confirmationMessage", "onReject", "timeout", "onTimeout"];
const input = ["requiresUserInput", "userInputMessage"];
const review = ["requiresOutputReview", "outputReviewMessage", "maxRetries"];
const honoured: Readonly<Record<ReviewedKind, readonly string[]>> = {
  step: [...everywhere, ...input, "userInputSchema", ...review],
  steps: everywhere,
  loop: [...everywhere, "requiresIterationReview", "iterationReviewMessage", "maxRetries"],
  parallel: everywhere,
  condition: everywhere,
  router: [...everywhere, ...input, "allowMultipleSelections", ...review],
};

const types = {
  requiresConfirmation: "boolean",
  requiresUserInput: "boolean",
  requiresIterationReview: "boolean",
  requiresOutputReview: ["boolean", "function"],
  allowMultipleSelections: "boolean",
  timeout: "duration",
} as const;

export function reviewProblems(kind: ReviewedKind, human: HumanReview | undefined): string[] {
  if (human === undefined) return [];
  const strange = Object.keys(human).filter((option) => !honoured[kind].includes(option));
  const { onReject, maxRetries = 0, requiresUserInput = false, userInputSchema = [] } = human;
  return [
    ...typeProblems(human, types).map((problem) => problem.replace("`", "`humanReview.")),
    ...wordProblems("onReject", onReject, ["skip", "cancel", "retry", "else"]),
    ...wordProblems("onTimeout", human.onTimeout, ["cancel", "skip", "approve"]),
    ...userInputSchema.flatMap(({ name, type }) =>
      wordProblems(`userInputSchema: type of "${name}"`, type, fieldTypes),
    ),
    ...strange.map((option) => `a ${kind} has no \`humanReview.${option}\``),
    ...(onReject === "else" && kind !== "condition"
      ? ['only a condition can have `humanReview.onReject: "else"`']
      : []),
    ...(onReject === "retry" && !canRetry(kind) ? [`a ${kind} has no \`humanReview.onReject: "retry"\``] : []),
    ...(Number.isInteger(maxRetries) && maxRetries >= 0
      ? []
      : [`\`humanReview.maxRetries\` is ${String(maxRetries)}, not a whole number of at least 0`]),
    ...(kind === "step" && requiresUserInput !== userInputSchema.length > 0
      ? ["`humanReview.requiresUserInput` and a `userInputSchema` with fields go together"]
      : []),
  ];
}

const fieldTypes = ["string", "integer", "number", "boolean", "array", "object"];

function wordProblems(option: string, word: string | undefined, known: readonly string[]): string[] {
  if (word === undefined || known.includes(word)) return [];
  return [`\`humanReview.${option}\` is "${word}", not one of ${known.join(", ")}`];
}

/** Only nodes that produce an output can produce it again. */
function canRetry(kind: ReviewedKind): boolean {
  return kind === "step" || kind === "loop" || kind === "router";
}
