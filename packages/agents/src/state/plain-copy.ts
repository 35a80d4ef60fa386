import { WorkflowError } from "millrace";
import type { SessionState } from "../run-context.types.js";

/**
 * A copy of a state that shares nothing with it.
 *
 * @throws {WorkflowError} `STATE_UNSTORABLE` for what would come back from a store as something else.
 */
export function plainCopy(state: SessionState): SessionState {
  return copy(state, "sessionState", new Set()) as SessionState;
}

function copy(value: unknown, path: string, above: Set<unknown>): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || above.has(value)) throw unstorable(value, path);

  above.add(value);
  const copied = Array.isArray(value) ? copyList(value, path, above) : copyObject(value, path, above);
  above.delete(value);
  return copied;
}

function copyList(list: readonly unknown[], path: string, above: Set<unknown>): unknown[] {
  return list.map((item, index) => copy(item, `${path}[${index}]`, above));
}

function copyObject(value: object, path: string, above: Set<unknown>): Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unstorable(value, path);
  const copied: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined && key !== "__proto__") copied[key] = copy(item, `${path}.${key}`, above);
  }
  return copied;
}

function unstorable(value: unknown, path: string): WorkflowError {
  const what = typeof value === "object" && value !== null ? `a ${value.constructor?.name ?? "object"}` : typeof value;
  return new WorkflowError({
    code: "STATE_UNSTORABLE",
    message: `\`${path}\` holds ${what}, which is not plain data or contains itself.`,
    hint: "Keep strings, finite numbers, booleans, null, arrays and plain objects in the session state.",
    details: { path },
  });
}
