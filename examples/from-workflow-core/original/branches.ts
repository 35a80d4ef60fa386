// `demo/node/basic.ts` of workflow-core 1.3.4, with `context` in the place of the deprecated `getContext()`.
import { pipeline } from "node:stream/promises";
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";

const startEvent = workflowEvent<string>();
const branchAEvent = workflowEvent<string>();
const branchBEvent = workflowEvent<string>();
const branchCEvent = workflowEvent<string>();
const branchCompleteEvent = workflowEvent<string>();
const allCompleteEvent = workflowEvent<string>();
const stopEvent = workflowEvent<string>();

const workflow = createWorkflow();
workflow.handle([startEvent], async ({ sendEvent, stream }) => {
  sendEvent(branchAEvent.with("Branch A"));
  sendEvent(branchBEvent.with("Branch B"));
  sendEvent(branchCEvent.with("Branch C"));

  const results = await stream.filter(branchCompleteEvent).take(3).toArray();

  return allCompleteEvent.with(results.map((one) => one.data).join(", "));
});

workflow.handle([branchAEvent], (_context, branchA) => branchCompleteEvent.with(branchA.data));
workflow.handle([branchBEvent], (_context, branchB) => branchCompleteEvent.with(branchB.data));
workflow.handle([branchCEvent], (_context, branchC) => branchCompleteEvent.with(branchC.data));
workflow.handle([allCompleteEvent], (_context, allComplete) => stopEvent.with(allComplete.data));

export async function runOriginal(): Promise<string> {
  const { stream, sendEvent } = workflow.createContext();
  sendEvent(startEvent.with("initial data"));

  return pipeline(stream, async (source) => {
    for await (const event of source) if (stopEvent.include(event)) return event.data;
    throw new Error("The stream ended without a stop event.");
  });
}
