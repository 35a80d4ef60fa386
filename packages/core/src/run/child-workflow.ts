/** The children of a workflow: each class has one instance, made when it is first needed. */
import { WorkflowError } from "../errors/workflow-error.js";
import type { CompiledWorkflow } from "../workflow/compile.js";
import type { Workflow } from "../workflow/workflow.js";

const instances = new WeakMap<object, Workflow>();

export function childWorkflow({ children, name: workflow }: CompiledWorkflow, name: string, where: string): Workflow {
  const source = children.get(name);
  if (source === undefined) {
    throw new WorkflowError({
      code: "CHILD_UNKNOWN",
      message: `${where} is the child "${name}", which is not among the children of "${workflow}": ${[...children.keys()].join(", ") || "it has none"}.`,
      hint: "List it: `static children = { digest: Digest }`.",
      details: { workflow, child: name },
    });
  }
  if (typeof source !== "function") return source;
  let instance = instances.get(source);
  if (!instance) instances.set(source, (instance = new source()));
  return instance;
}
