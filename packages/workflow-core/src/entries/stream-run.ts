/** Runs in one call. */
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import type { WorkflowStream } from "../stream.js";
import type { Workflow } from "../workflow.js";
import { find } from "./stream-find.js";

/** Begins a run with these events. @returns Its stream, which has no end of its own. */
export function run(
  workflow: Workflow,
  events: WorkflowEventData<any> | WorkflowEventData<any>[],
): WorkflowStream<WorkflowEventData<any>> {
  const { stream, sendEvent } = workflow.createContext();
  sendEvent(...[events].flat());
  return stream;
}

/** The first message of the output event. @deprecated Use `run(…).untilEvent(outputEvent)`. */
export function runWorkflow<Input, Output>(
  workflow: Workflow,
  inputEvent: WorkflowEventData<Input>,
  outputEvent: WorkflowEvent<Output>,
): Promise<WorkflowEventData<Output>> {
  return find(run(workflow, inputEvent), outputEvent);
}

/** All messages up to the first of the output event. @deprecated Use `run(…).until(outputEvent).toArray()`. */
export function runAndCollect<Input, Output>(
  workflow: Workflow,
  inputEvent: WorkflowEventData<Input>,
  outputEvent: WorkflowEvent<Output>,
): Promise<WorkflowEventData<any>[]> {
  return run(workflow, inputEvent).until(outputEvent).toArray();
}

/** The same, one by one. @deprecated Use `run(…).until(outputEvent)`. */
export function runStream<Input, Output>(
  workflow: Workflow,
  inputEvent: WorkflowEventData<Input>,
  outputEvent: WorkflowEvent<Output>,
): AsyncIterable<WorkflowEventData<any>> {
  return run(workflow, inputEvent).until(outputEvent);
}
