import type { Workflow } from "../../authoring/workflow.types.js";
import { bulkName } from "./bulk-name.js";
import { bulkWorkflow } from "./bulk-workflow.js";

/**
 * A workflow of the runtimes themselves, whose runs are beside those of the given workflows: `millrace.bulk`. To be looked at; it runs
 * in a runtime only. `null` for any other name.
 */
export function ownWorkflow(name: string): Workflow | null {
  return name === bulkName ? bulkWorkflow(null) : null;
}
