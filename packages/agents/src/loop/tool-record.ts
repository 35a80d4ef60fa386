import type { Media, ToolExecution } from "@millrace/executor";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import { type ModelOutput, modelOutputOf, type ToolOutput } from "./tools.js";

/** What is stored of a call. */
export type ToolRecord = (ToolOutput & { readonly media?: readonly Media[] }) | Refusal;

/** A call that has failed or could not be made; or that a person, a guard or a deadline has not allowed, with a note. */
export type Refusal = { readonly error: string } | { readonly denied: string | null };

/** The call, for callers and readers. */
export function executionOf({ toolCallId, toolName, input }: ModelToolCall, record: ToolRecord): ToolExecution {
  const toolCallError = !("output" in record);
  const result = "output" in record ? record.output : "error" in record ? record.error : rejection(record.denied);
  return { toolCallId, toolName, toolArgs: input, result, toolCallError };
}

/** The call, for the model. */
export function modelRecord(record: ToolRecord): ModelOutput {
  if ("output" in record) return modelOutputOf(record);
  if ("error" in record) return { type: "error-text", value: record.error };
  return { type: "execution-denied", reason: rejection(record.denied) };
}

function rejection(note: string | null): string {
  return note === null || note === ""
    ? "A person has not allowed this call."
    : `A person has not allowed this call: ${note}`;
}
