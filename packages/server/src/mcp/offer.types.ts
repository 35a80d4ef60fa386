import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Log } from "millrace";
import type { Runtime } from "millrace/runtime";
import type { WorkflowCatalog } from "../wire/workflow-facts.js";

/** What an MCP server offers to one tenant. */
export interface Offer {
  readonly runtime: Runtime;
  readonly catalog: WorkflowCatalog;
  /** Descriptions of the workflows, by name. */
  readonly tools: { readonly [workflow: string]: string };
  readonly server: Server;
  readonly tenant: string;
  readonly waitMs: number;
  readonly log: Log;
  /** `true`: no tool changes anything. */
  readonly readOnly: boolean;
  /** Who answers prompts; known once the client is connected. */
  answers(): "person" | "model";
  /** Prompts that the person has declined to answer. */
  readonly declined: Set<string>;
}

export interface ToolCall {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
}
