/** Refuses review options that a node cannot honour, when the node is created. */

import { isObject } from "@millrace/executor";
import { duration, flag, oneOf, type Rule, type Rules, ruleProblems, text, wholeNumber } from "millrace/engine";
import { isOfType } from "./check-decision.js";
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

/** A question that no answer fits would never end. */
const fields: Rule = (given, option) => {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return [`\`${option}\` is not a list`];
  const names = given.map((field: Partial<UserInputField> | null | undefined) => field?.name);
  return [...given].flatMap((field: unknown, index) => {
    if (!isObject(field)) return [`\`${option}\` has a field that is not an object`];
    const { name, type = null, required, description, allowedValues } = field;
    if (typeof name !== "string" || name === "") return [`\`${option}\` has a field without a \`name\``];
    const at = (what: string) => `${option}: ${what} of "${name}"`;
    return [
      ...(names.indexOf(name) < index ? [`\`${option}\` has two fields "${name}"`] : []),
      ...fieldType(type, at("type")),
      ...flag(required, at("required")),
      ...text(description, at("description")),
      ...allowed(allowedValues, at("allowedValues"), type),
    ];
  });
};

function allowed(values: unknown, option: string, type: unknown): readonly string[] {
  if (values === undefined) return [];
  if (!Array.isArray(values) || values.length === 0) return [`\`${option}\` is not a list of values`];
  const isRight = (value: unknown) => isOfType(type as UserInputField["type"], value);
  return values.every(isRight) ? [] : [`\`${option}\` has values of another type`];
}

const rules: Rules<HumanReview> = {
  requiresConfirmation: flag,
  confirmationMessage: text,
  requiresUserInput: flag,
  userInputMessage: text,
  userInputSchema: fields,
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

/** The rule for the `humanReview` of a node. */
export function reviewOf(kind: ReviewedKind): Rule {
  return (given) => {
    if (given === undefined) return [];
    if (!isObject(given)) return ["its `humanReview` is not an object"];
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
      ...(kind === "step" && Array.isArray(userInputSchema) && requiresUserInput !== userInputSchema.length > 0
        ? ["`humanReview.requiresUserInput` and a `userInputSchema` with fields go together"]
        : []),
    ];
  };
}

/** Only nodes that produce an output can produce it again. */
function canRetry(kind: ReviewedKind): boolean {
  return kind === "step" || kind === "loop" || kind === "router";
}
