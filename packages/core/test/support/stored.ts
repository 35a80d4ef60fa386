/** What was stored, and what refuses it. */
import { type ContextDict, type Workflow, WorkflowError } from "../../src/index.js";
import { waiting } from "./runs.js";

/** As another process would get it. */
export function stored<Data>(data: Data): Data {
  return JSON.parse(JSON.stringify(data)) as Data;
}

/** The snapshot of a run of the workflow, once it waits. */
export async function pausedOf(workflow: Workflow): Promise<ContextDict & Record<string, unknown>> {
  const handler = workflow.run();
  await waiting(handler);
  return stored(handler.context.toDict()) as ContextDict & Record<string, unknown>;
}

/** What the work throws. */
export function refusal(work: () => unknown): WorkflowError {
  try {
    work();
  } catch (error) {
    if (WorkflowError.is(error)) return error;
    throw error;
  }
  throw new Error("It was taken.");
}
