import type { DoneBy, Log } from "millrace";
import type { RunHandle, Runtime } from "millrace/runtime";
import type { DoorCaller } from "../door/mounted-door.types.js";
import type { WorkflowCatalog, WorkflowFacts } from "../wire/workflow-facts.js";

/** What an MCP server offers to one tenant. */
export interface Offer {
  readonly runtime: Runtime;
  readonly catalog: WorkflowCatalog;
  /** Descriptions of the workflows, by name. */
  readonly tools: { readonly [workflow: string]: string };
  readonly tenant: string;
  readonly sender: ToolSender;
  readonly waitMs: number;
  readonly log: Log;
  /** `true`: no tool changes anything. */
  readonly readOnly: boolean;
  /** Who answers prompts; known once the client is connected. */
  answers(): "person" | "model";
  /** Waits for the run of a call, and makes the result of the call. */
  finish(running: Running, call: ToolCall): Promise<ToolResult>;
}

/** Who calls tools. */
export interface ToolSender extends Pick<DoorCaller, "may" | "assertMay" | "spendStart"> {
  /** Stored with all that it does. */
  readonly by: DoneBy;
}

export interface Running {
  /** Who starts it, answers its prompts and cancels it here. */
  readonly by: DoneBy;
  readonly handle: RunHandle;
  readonly facts: WorkflowFacts;
}

export interface ToolCall {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly requestId: string | number;
}

/** A result of a tool, as all versions of the protocol have it. */
export interface ToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [other: string]: unknown;
}

/** A tool in a list of tools. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  readonly outputSchema?: { readonly type: "object"; readonly [keyword: string]: unknown };
}
