/** The input of a run, checked before anything is stored or shown. */
import { type StandardSchema, WorkflowError } from "millrace";

/**
 * Text is read as JSON where a schema is given.
 *
 * @throws {WorkflowError} `INPUT_INVALID` with what the schema says.
 */
export function validateInput(pipeline: string, schema: StandardSchema | null, input: unknown): unknown {
  if (schema === null) return input;
  if (input === undefined) throw invalid(pipeline, ["the pipeline has an input schema, and no input was given"]);
  const result = schema["~standard"].validate(typeof input === "string" ? parsed(pipeline, input) : input);
  if (result instanceof Promise) throw invalid(pipeline, ["the input schema answers with a promise"]);
  if (!result.issues) return result.value;
  throw invalid(
    pipeline,
    result.issues.map(({ message, path = [] }) => `${path.map(keyOf).join(".") || "the input"}: ${message}`),
  );
}

function parsed(pipeline: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(pipeline, ["the input is text that is no JSON, and the pipeline has an input schema"]);
  }
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}

function invalid(pipeline: string, issues: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "INPUT_INVALID",
    message: `The input does not fit the pipeline "${pipeline}": ${issues.join("; ")}.`,
    hint: "Give what its `inputSchema` asks for.",
    details: { pipeline, issues },
  });
}
