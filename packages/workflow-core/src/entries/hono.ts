/** A workflow behind a route of Hono. */
import type { Context, Handler } from "hono";
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import type { Workflow } from "../workflow.js";
import { runWorkflow } from "./stream-run.js";

/**
 * Runs a workflow for each request.
 *
 * @param wrapStopEvent Makes the response. @default the data of the stop event as JSON
 */
export const createHonoHandler =
  // biome-ignore lint/complexity/useMaxParams: the signature of the original
    <Start, Stop>(
      workflow: Workflow,
      getStart: (c: Context) => WorkflowEventData<Start> | Promise<WorkflowEventData<Start>>,
      stopEvent: WorkflowEvent<Stop>,
      wrapStopEvent: (c: Context, stop: Stop) => Response = (c, stop) => c.json(stop as object),
    ): Handler =>
    async (c) => {
      const { data } = await runWorkflow(workflow, await getStart(c), stopEvent);
      return wrapStopEvent(c, data);
    };
