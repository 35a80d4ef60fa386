/** A workflow as a tool of an MCP server. */
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { WorkflowEvent } from "../event.js";
import type { Workflow } from "../workflow.js";
import { AsyncContext } from "./async-context.js";
import { runWorkflow } from "./stream-run.js";

const current = new AsyncContext.Variable<RequestHandlerExtra<any, any>>();

/** What the MCP server knows of the request, inside of a workflow that `mcpTool` runs. */
export const getReqHandlerExtra = (): RequestHandlerExtra<any, any> => {
  const extra = current.get();
  if (!extra) throw new Error("Request handler extra not set");
  return extra;
};

/** The callback of a tool: it runs the workflow with the arguments, and returns the data of the stop event. */
export function mcpTool<Start extends { [x: string]: any }, Stop extends CallToolResult>(
  workflow: Workflow,
  start: WorkflowEvent<Start>,
  stop: WorkflowEvent<Stop>,
): (args: Start, extra: RequestHandlerExtra<any, any>) => CallToolResult | Promise<CallToolResult> {
  return (args, extra) =>
    current.run(extra, async () => (await runWorkflow(workflow, start.with(args), stop)).data as CallToolResult);
}
