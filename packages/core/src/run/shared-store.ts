/** Children that work on the store of the run that started them. */
import { WorkflowError } from "../errors/workflow-error.js";
import type { CompiledWorkflow } from "../workflow/compile.js";

/**
 * The state is the parent's: its schema, its types and its version count. A child that would hold it to other rules cannot share it.
 *
 * @param name Of the child, among the children of the parent.
 * @throws {WorkflowError} `STORE_NOT_SHAREABLE`
 */
export function assertShareable(parent: CompiledWorkflow, child: CompiledWorkflow, name: string): void {
  const problems: string[] = [];
  if (child.state !== null && (parent.state === null || !child.state.equals(parent.state)))
    problems.push("it has a state schema of its own");
  const unknown = parent.types.filter((type) => !child.types.includes(type)).map((type) => type.name);
  if (unknown.length > 0) problems.push(`it does not register the types ${unknown.join(", ")}`);
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "STORE_NOT_SHAREABLE",
    message: `The child "${name}" cannot share the store of "${parent.name}": ${problems.join("; ")}.`,
    hint: "Leave its state schema out or let both extend one base class, and give it the `types` of the parent.",
    details: { workflow: parent.name, child: name, problems },
  });
}
