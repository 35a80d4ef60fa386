/** Checks the input of a pipeline with its schema before anything is stored or streamed, and its output at the end. */
import { type StandardSchema, WorkflowError } from "millrace";

/** A problem and its path in the value; `null` when the message contains the path. */
interface Issue {
  readonly path: readonly string[] | null;
  readonly message: string;
}

type Checked = { readonly value: unknown } | { readonly issues: readonly Issue[] };

/**
 * Text is parsed as JSON when there is a schema.
 *
 * @throws {WorkflowError} `INPUT_INVALID` with the problems that the schema reports.
 */
export function validateInput(pipeline: string, schema: StandardSchema | null, input: unknown): unknown {
  const checked = checkInput(schema, input);
  if ("value" in checked) return checked.value;
  const issues = textsOf(checked.issues, "the input");
  throw new WorkflowError({
    code: "INPUT_INVALID",
    message: `The input does not fit the pipeline "${pipeline}": ${issues.join("; ")}.`,
    hint: "Pass an input that fits its `inputSchema`.",
    details: { pipeline, issues },
  });
}

/** Checks like {@link validateInput}, and returns the problems instead of throwing. */
export function checkInput(schema: StandardSchema | null, input: unknown): Checked {
  if (schema === null) return { value: input };
  if (input === undefined) return whole("the pipeline has an input schema, and no input was given");
  const read = typeof input === "string" ? parsed(input) : { value: input };
  return "issues" in read ? read : check(schema, read.value, "the input");
}

function whole(message: string): Checked {
  return { issues: [{ path: null, message }] };
}

/**
 * Text that is invalid as it is, is parsed as JSON, because models write data as JSON.
 *
 * @throws {WorkflowError} `OUTPUT_INVALID` with the problems that the schema reports.
 */
export function validateOutput(pipeline: string, schema: StandardSchema, content: unknown): unknown {
  const checked = check(schema, content, "the content");
  if ("value" in checked) return checked.value;
  const read = typeof content === "string" ? parsed(content) : checked;
  const again = "value" in read ? check(schema, read.value, "the content") : checked;
  if ("value" in again) return again.value;
  const issues = textsOf(again.issues, "the content");
  throw new WorkflowError({
    code: "OUTPUT_INVALID",
    message: `The content does not fit the \`outputSchema\` of the pipeline "${pipeline}": ${issues.join("; ")}.`,
    hint: "Let its last step return what `outputSchema` asks for.",
    details: { pipeline, issues },
  });
}

function check(schema: StandardSchema, value: unknown, what: string): Checked {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) return whole(`the schema of ${what} answers with a promise`);
  if (!result.issues) return { value: result.value };
  return { issues: result.issues.map(({ message, path = [] }) => ({ path: path.map(keyOf), message })) };
}

function textsOf(issues: readonly Issue[], what: string): string[] {
  return issues.map(({ path, message }) => (path === null ? message : `${path.join(".") || what}: ${message}`));
}

function parsed(text: string): Checked {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return whole("the input is text that is not JSON, and the pipeline has an input schema");
  }
}

function keyOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
