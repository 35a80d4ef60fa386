/** A workflow behind a route of Next. */
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import type { Workflow } from "../workflow.js";
import { runWorkflow } from "./stream-run.js";

/** The exports of a `route.ts`: `GET` runs a workflow, and responds with the data of the stop event as JSON. */
export const createNextHandler = <Start, Stop, NextRequest extends Request = Request>(
  workflow: Workflow,
  getStart: (request: NextRequest) => WorkflowEventData<Start> | Promise<WorkflowEventData<Start>>,
  stop: WorkflowEvent<Stop>,
): { GET: (request: NextRequest) => Promise<Response> } => ({
  async GET(request) {
    const { data } = await runWorkflow(workflow, await getStart(request), stop);
    return Response.json(data);
  },
});
