/**
 * Idempotency keys for the tool calls of a run in memory.
 *
 * A key is made from the tool and its arguments, not from the ids that the model invents: when a retried run asks for the same call again,
 * the key is the same. The second identical call of one run gets another key than the first.
 *
 * @module
 */
import { sortedJson } from "@millrace/executor";
import { digest } from "millrace/engine";
import type { ModelToolCall, ModelTurn } from "../settings/loop-options.types.js";

/** @param turns The answers of the model, that with the call included. */
export function callKey(runKey: string, call: ModelToolCall, turns: readonly ModelTurn[]): string {
  const all = turns.flatMap(({ toolCalls }) => toolCalls);
  const made = all.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call;
  const before = all.slice(0, all.indexOf(made)).filter((other) => nameOf(other) === nameOf(made)).length;
  return `${runKey}:${nameOf(call)}:${before}`;
}

function nameOf({ toolName, input }: ModelToolCall): string {
  return `${toolName}:${digest(`${toolName} ${sortedJson(input)}`)}`;
}
