/** A workflow of handlers that waits for a person, without a line of Millrace. */
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { createStatefulMiddleware } from "@llamaindex/workflow-core/middleware/state";

export const order = workflowEvent<string>({ debugLabel: "order" });
export const asked = workflowEvent<string>({ debugLabel: "asked" });
export const approved = workflowEvent<boolean>({ debugLabel: "approved" });
export const done = workflowEvent<string>({ debugLabel: "done" });

const { withState } = createStatefulMiddleware(() => ({ order: "" }));
export const workflow = withState(createWorkflow());

workflow.handle([order], async ({ state }, { data }) => {
  state.order = data;
  return asked.with(data);
});
workflow.handle([approved], async ({ state }, { data }) => done.with(`${state.order} ${data ? "shipped" : "refused"}`));
