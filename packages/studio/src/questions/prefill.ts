/** What of an answer a question says already, and which answer is a plain yes. */
import type { PendingPrompt } from "@millrace/client";
import type { Json, JsonObject, JsonSchema } from "../api/json.types.js";
import { fieldsOf } from "../api/plain-json.js";
import { fieldsOfDecision, requirementOf } from "./requirement.js";

/** Fields of the question: of its details, for a question of `ctx.ask`. */
export function saidIn({ event }: PendingPrompt): JsonObject {
  const fields = fieldsOf(event);
  if (event.type !== "millrace.question") return fields;
  const details = fields["details"];
  return typeof details === "object" && details !== null && !Array.isArray(details) ? (details as JsonObject) : {};
}

/**
 * Fields of the question with the name of a field of the answer, whose value fits its type. Never a yes or no: nobody is to agree by
 * chance.
 */
export function prefillOf(prompt: PendingPrompt): JsonObject {
  const schema = (prompt.answer?.schema ?? {}) as JsonSchema;
  const said = saidIn(prompt);
  const filled = Object.entries(schema.properties ?? {}).filter(([name, property]) => fits(said[name], property));
  return Object.fromEntries(filled.map(([name]) => [name, said[name] as Json]));
}

function fits(value: Json | undefined, { type, enum: known }: JsonSchema): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return false;
  if (Array.isArray(known)) return known.includes(value);
  const types = [type].flat();
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value === "number")
    return types.includes("number") || (types.includes("integer") && Number.isInteger(value));
  return types.includes(typeof value);
}

/** The fields of a yes, where nothing else has to be said; `null` for a question that needs more. */
export function yesOf(prompt: PendingPrompt): JsonObject | null {
  const requirement = requirementOf(prompt);
  if (requirement !== null) {
    const isPlain = requirement.kind !== "userInput" && requirement.kind !== "route" && requirement.kind !== "error";
    return isPlain ? fieldsOfDecision(requirement, { decision: "confirm" }) : null;
  }
  const schema = prompt.answer?.schema as JsonSchema | undefined;
  if (schema === undefined) return null;
  const prefill = prefillOf(prompt);
  const properties = Object.entries(schema.properties ?? {});
  const needed = properties.filter(
    ([name, property]) =>
      schema.required?.includes(name) === true && !("default" in property) && !Object.hasOwn(prefill, name),
  );
  const [one, ...others] = needed;
  if (one === undefined || others.length > 0 || one[1].type !== "boolean") return null;
  return { ...prefill, [one[0]]: true };
}
