/** Checks what can be a step by itself. */
import { Workflow } from "millrace";

/** Describes a value that cannot run, for "… is …"; `null` when it can. */
export function unrunnable(given: unknown): string | null {
  if (typeof given === "function")
    return given.prototype instanceof Workflow ? `the class ${given.name}, not an instance of it` : null;
  if (typeof given === "object" && given !== null && ("execute" in given || "run" in given)) return null;
  return `${describe(given)}, not a function, an agent, a team, a pipeline or a workflow`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? `a ${value.constructor?.name ?? "object"}` : typeof value;
}
