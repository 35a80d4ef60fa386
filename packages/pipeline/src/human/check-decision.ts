/** Checks whether a decision answers its requirement, and reports all problems at once. */
import { isObject, sameJson } from "@millrace/executor";
import type { UserInputField } from "./human-review.types.js";
import type { RequirementData } from "./requirement.types.js";

/** @param decision Untrusted value from outside. */
export function decisionProblems(requirement: RequirementData, decision: unknown): string[] {
  if (typeof decision !== "object" || decision === null) return ["the answer is not an object"];
  const answer = decision as Readonly<Record<string, unknown>>;
  const allowed = requirement.kind === "error" ? ["retry", "skip"] : ["confirm", "reject"];
  if (!allowed.includes(answer["decision"] as string))
    return [`\`decision\` is ${shown(answer["decision"])}, not ${allowed.map((word) => `"${word}"`).join(" or ")}`];
  if (answer["feedback"] !== undefined && typeof answer["feedback"] !== "string") return ["`feedback` is not a string"];
  if (answer["decision"] !== "confirm") return [];
  switch (requirement.kind) {
    case "userInput":
      return fieldProblems(requirement.fields, answer["values"]);
    case "route":
      return choiceProblems(requirement, answer["choices"]);
    case "executor":
      return answer["values"] === undefined
        ? toolProblems(requirement, answer["tools"])
        : valueProblems(answer["values"]);
    default:
      return [];
  }
}

function fieldProblems(fields: readonly UserInputField[], given: unknown): string[] {
  const values = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(values).filter((name) => !known.has(name));
  return [
    ...fields.flatMap((field) => problemOf(field, Object.hasOwn(values, field.name) ? values[field.name] : undefined)),
    ...unknown.map((name) => `there is no field "${name}"`),
  ];
}

function problemOf({ name, type, required = true, allowedValues }: UserInputField, value: unknown): string[] {
  if (value === undefined || value === null || value === "") return required ? [`"${name}" is missing`] : [];
  if (!isOfType(type, value)) return [`"${name}" is ${shown(value)}, not ${type === "integer" ? "an" : "a"} ${type}`];
  if (allowedValues === undefined || allowedValues.some((allowed) => allowed === value || sameJson(allowed, value)))
    return [];
  return [`"${name}" is ${shown(value)}, not one of ${allowedValues.map(shown).join(", ")}`];
}

export function isOfType(type: UserInputField["type"], value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function choiceProblems({ choices, allowMultipleSelections }: RequirementData, picked: unknown): string[] {
  if (!Array.isArray(picked) || picked.length === 0) return [`nothing is picked of ${choices.join(", ")}`];
  const unknown = picked.filter((name) => !choices.includes(name as string));
  return [
    ...unknown.map((name) => `there is no choice ${shown(name)}, only ${choices.join(", ")}`),
    ...(picked.length > 1 && !allowMultipleSelections ? [`${picked.length} choices are picked where one may be`] : []),
  ];
}

/** The question itself checks them. */
function valueProblems(values: unknown): string[] {
  return isObject(values) ? [] : ["`values` are not an object"];
}

function toolProblems({ tools }: RequirementData, answers: unknown): string[] {
  const given: readonly unknown[] = Array.isArray(answers) ? answers : [];
  const ids = given.map((answer) => (answer as { toolCallId?: unknown } | null)?.toolCallId);
  const isPlain = (answer: unknown) => typeof (answer as { approved?: unknown } | null)?.approved === "boolean";
  return [
    ...tools
      .filter(({ toolCallId }) => !ids.includes(toolCallId))
      .map(({ toolCallId, toolName }) => `the call ${toolCallId} of "${toolName}" has no answer`),
    ...ids
      .filter((id) => !tools.some(({ toolCallId }) => toolCallId === id))
      .map((id) => `there is no call ${shown(id)} to answer`),
    ...ids
      .filter((id, index) => ids.indexOf(id) < index)
      .map((id) => `the call ${shown(id)} is answered more than once`),
    ...given.filter((answer) => !isPlain(answer)).map(() => "an answer does not say whether the call is `approved`"),
  ];
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value.slice(0, 80)}"` : (JSON.stringify(value)?.slice(0, 80) ?? "undefined");
}
