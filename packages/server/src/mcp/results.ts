/**
 * Results of tool calls. Once there is a run, an error result contains its record, so that a model can look the run up
 * and answer it by its id.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { HandlerRecord } from "millrace/wire";
import { answerError } from "../http/answer-error.js";
import { cleanJson } from "../http/clean-text.js";
import { HttpError } from "../http/http-error.js";
import { handlerRecord } from "../wire/handler-record.js";
import type { Offer, Running, ToolResult } from "./mcp-scope.types.js";

export function resultOf(value: object): ToolResult {
  const text = cleanJson(value);
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
}

export const declinedText =
  "The person has declined to answer. The prompt stays open for other people; do not ask again.";

export type KnownRecord = HandlerRecord | Pick<HandlerRecord, "handler_id">;

/** Reads the record of the run, or only its id where it cannot be read now. */
export async function recordOf({ catalog }: Offer, { handle }: Running): Promise<KnownRecord> {
  return handlerRecord(handle, catalog).catch(() => ({ handler_id: handle.runId }));
}

export interface FailedCall {
  readonly error: unknown;
  readonly tool: string;
  /** Record of the run of this call; `null` before there is one. */
  readonly record: KnownRecord | null;
}

/** A mistake of the model becomes a result that it can read; other errors go to the log. */
export async function failed({ log }: Offer, { error, tool, record }: FailedCall): Promise<ToolResult> {
  const said = answerError(error, { method: "POST", path: `tool ${tool}` }, log);
  const { detail, code, hint } = (await said.json()) as {
    readonly detail: string;
    readonly code: string;
    readonly hint?: string;
  };
  const isTheirs = said.status < 500 && (WorkflowError.is(error) || error instanceof HttpError);
  const text = `${isTheirs ? `${code}: ` : ""}${detail}${hint === undefined ? "" : ` ${hint}`}`;
  if (record === null) return { isError: true, content: [{ type: "text", text }] };
  const { content, structuredContent = {} } = resultOf(record);
  return { isError: true, content: [{ type: "text", text }, ...content], structuredContent };
}
