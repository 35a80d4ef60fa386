/** What a pipeline takes and gives, checked against its schemas: the input before anything is stored or shown, the output at the end. */
import { type StandardSchema, WorkflowError } from "millrace";

type Checked = { readonly value: unknown } | { readonly issues: readonly string[] };

/**
 * Text is read as JSON where a schema is given.
 *
 * @throws {WorkflowError} `INPUT_INVALID` with what the schema says.
 */
export function validateInput(pipeline: string, schema: StandardSchema | null, input: unknown): unknown {
  if (schema === null) return input;
  const read: Checked = typeof input === "string" ? parsed(input) : { value: input };
  const checked = input === undefined ? missing : "issues" in read ? read : check(schema, read.value, "the input");
  if ("value" in checked) return checked.value;
  throw new WorkflowError({
    code: "INPUT_INVALID",
    message: `The input does not fit the pipeline "${pipeline}": ${checked.issues.join("; ")}.`,
    hint: "Give what its `inputSchema` asks for.",
    details: { pipeline, issues: checked.issues },
  });
}

const missing: Checked = { issues: ["the pipeline has an input schema, and no input was given"] };

/**
 * Text that does not fit as it is is read as JSON: that is how models write data.
 *
 * @throws {WorkflowError} `OUTPUT_INVALID` with what the schema says.
 */
export function validateOutput(pipeline: string, schema: StandardSchema, content: unknown): unknown {
  const checked = check(schema, content, "the content");
  if ("value" in checked) return checked.value;
  const read = typeof content === "string" ? parsed(content) : checked;
  const again = "value" in read ? check(schema, read.value, "the content") : checked;
  if ("value" in again) return again.value;
  throw new WorkflowError({
    code: "OUTPUT_INVALID",
    message: `The content does not fit what the pipeline "${pipeline}" gives: ${again.issues.join("; ")}.`,
    hint: "Have its last step give what `outputSchema` asks for.",
    details: { pipeline, issues: again.issues },
  });
}

function check(schema: StandardSchema, value: unknown, what: string): Checked {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) return { issues: [`the schema of ${what} answers with a promise`] };
  if (!result.issues) return { value: result.value };
  return {
    issues: result.issues.map(({ message, path = [] }) => `${path.map(keyOf).join(".") || what}: ${message}`),
  };
}

function parsed(text: string): Checked {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { issues: ["the input is text that is no JSON, and the pipeline has an input schema"] };
  }
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
