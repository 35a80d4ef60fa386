import type { StandardSchema } from "millrace";
import type { Fields } from "../wire/parts.js";

/** The JSON Schema of another agent as the schema of a question. The other agent checks the answer. */
export function questionSchema(schema: Fields): StandardSchema<object, object> {
  const jsonSchema = { input: () => schema, output: () => schema };
  const validate = (value: unknown) =>
    typeof value === "object" && value !== null
      ? { value: value as object }
      : { issues: [{ message: "The answer is not an object." }] };
  return { "~standard": { version: 1, vendor: "millrace-a2a", validate, jsonSchema } } as StandardSchema<
    object,
    object
  >;
}

/** Of a question that is answered with a text. */
export const textSchema: Fields = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
};
