import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Log } from "millrace";
import type { Runtime } from "millrace/runtime";
import type { WorkflowCatalog } from "../workflow-facts.js";

/** What an MCP server offers, and to whom. */
export interface Offer {
  readonly runtime: Runtime;
  readonly catalog: WorkflowCatalog;
  /** What each workflow is for, by its name. */
  readonly tools: { readonly [workflow: string]: string };
  readonly server: Server;
  readonly tenant: string;
  readonly waitMs: number;
  readonly log: Log;
}

export interface ToolCall {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
}
