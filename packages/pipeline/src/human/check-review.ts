/** Refuses review options that a node cannot honour, when the node is created. */
import { duration, flag, oneOf, type Rule, type Rules, ruleProblems, text, wholeNumber } from "millrace/engine";
import type { HumanReview, UserInputField } from "./human-review.types.js";
import { flagOrFunction } from "./option-rules.js";

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

const fieldType = oneOf("string", "integer", "number", "boolean", "array", "object");

const rules: Rules<HumanReview> = {
  requiresConfirmation: flag,
  confirmationMessage: text,
  requiresUserInput: flag,
  userInputMessage: text,
  userInputSchema: (fields = [], option) =>
    (fields as readonly UserInputField[]).flatMap(({ name, type }) => fieldType(type, `${option}: type of "${name}"`)),
  allowMultipleSelections: flag,
  requiresOutputReview: flagOrFunction,
  outputReviewMessage: text,
  requiresIterationReview: flag,
  iterationReviewMessage: text,
  onReject: oneOf("skip", "cancel", "retry", "else"),
  maxRetries: wholeNumber(0),
  timeout: duration,
  onTimeout: oneOf("cancel", "skip", "approve"),
};

/** The rule for the `humanReview` of such a node. */
export function reviewOf(kind: ReviewedKind): Rule {
  return (given) => {
    if (given === undefined) return [];
    const human = given as HumanReview;
    const { onReject, requiresUserInput = false, userInputSchema = [] } = human;
    const strange = Object.keys(human).filter((option) => !honoured[kind].includes(option));
    return [
      ...ruleProblems(human, rules, "humanReview."),
      ...strange.map((option) => `a ${kind} has no \`humanReview.${option}\``),
      ...(onReject === "else" && kind !== "condition"
        ? ['only a condition can have `humanReview.onReject: "else"`']
        : []),
      ...(onReject === "retry" && !canRetry(kind) ? [`a ${kind} has no \`humanReview.onReject: "retry"\``] : []),
      ...(kind === "step" && requiresUserInput !== userInputSchema.length > 0
        ? ["`humanReview.requiresUserInput` and a `userInputSchema` with fields go together"]
        : []),
    ];
  };
}

/** Only nodes that produce an output can produce it again. */
function canRetry(kind: ReviewedKind): boolean {
  return kind === "step" || kind === "loop" || kind === "router";
}
