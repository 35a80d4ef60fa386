import { WorkflowError } from "millrace";
import { plainCopy } from "./plain-copy.js";

/**
 * What a function has given, as it can be stored with the run.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` in the words of whoever wrote the step. Another attempt would give the same.
 */
export function stepResult(step: string, value: unknown): unknown {
  const copy = plainCopy(value);
  const found = strangerIn(copy, "");
  if (found === null) return copy;
  const at = found.path === "" ? "" : ` at "${found.path}"`;
  throw hopeless(
    new WorkflowError({
      code: "VALUE_UNSERIALIZABLE",
      message: `The step "${step}" gave ${found.what}${at}, which cannot be stored.`,
      hint: "Return plain data: what a step gives is stored with the run.",
      details: { step, path: found.path },
    }),
  );
}

function hopeless(error: WorkflowError): WorkflowError {
  error.retryable = false;
  return error;
}

interface Stranger {
  readonly path: string;
  readonly what: string;
}

/** Of what plain copies leave as it is. */
function strangerIn(value: unknown, path: string): Stranger | null {
  if (typeof value === "function" || typeof value === "symbol") return { path, what: `a ${typeof value}` };
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype)
    return known.some((kind) => value instanceof kind) || ArrayBuffer.isView(value)
      ? null
      : { path, what: `an instance of ${value.constructor?.name || "a class"}` };
  for (const [key, part] of Object.entries(value)) {
    const found = strangerIn(part, path === "" ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

const known = [Date, Map, Set, URL, Error];
