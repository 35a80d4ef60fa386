import type { Media, StepMetricsData } from "@millrace/executor";
import type { AssistantModelMessage } from "ai";
import type { RequestOverride } from "../run/overridden.js";
import type { AskedOfModel, ModelToolCall, ModelTurn } from "../settings/loop-options.types.js";
import { generatedMedia } from "../settings/media-part.js";

/** What is stored of one model call. */
export interface TurnRecord {
  readonly asked: AskedOfModel;
  /** What a fork put in the place of parts of the request, from this call on. */
  readonly override?: RequestOverride;
  /** The answer: text, reasoning, files and calls, with data that their provider expects back. */
  readonly messages: readonly AssistantModelMessage[];
  /** Calls whose arguments are no JSON, by id, with what is wrong. */
  readonly problems?: Readonly<Record<string, string>>;
  readonly finishReason: string;
  readonly metrics: StepMetricsData;
}

/** A question of a provider that runs the tool itself. */
export interface ProviderQuestion {
  readonly approvalId: string;
  readonly call: ModelToolCall;
}

/** One answer of the model, as the loop reads it. */
export interface Turn extends ModelTurn {
  readonly messages: readonly AssistantModelMessage[];
  readonly problems: Readonly<Record<string, string>>;
  readonly files: readonly Media[];
  readonly questions: readonly ProviderQuestion[];
}

type Part = Exclude<AssistantModelMessage["content"], string>[number];

export function turnOf({ messages, problems = {}, finishReason, metrics }: TurnRecord, place: string): Turn {
  const parts = messages.flatMap(({ content }): Part[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? part : []));
  const files = parts.flatMap((part) => (part.type === "file" && typeof part.data === "string" ? part : []));
  return {
    messages,
    problems,
    finishReason,
    metrics,
    text: textOf(parts),
    toolCalls: calls.filter(({ providerExecuted }) => providerExecuted !== true).map(callOf),
    files: files.map(({ data, mediaType }, index) =>
      generatedMedia({ base64: data as string, mediaType }, `${place}-${index}`),
    ),
    questions: parts.flatMap((part) => {
      if (part.type !== "tool-approval-request") return [];
      const call = calls.find(({ toolCallId }) => toolCallId === part.toolCallId);
      return call === undefined ? [] : { approvalId: part.approvalId, call: callOf(call) };
    }),
  };
}

function callOf({ toolCallId, toolName, input }: ModelToolCall): ModelToolCall {
  return { toolCallId, toolName, input };
}

/** The fields in which a request differs from the one before. */
export function changedFields<Fields extends object>(before: object, now: Fields): Partial<Fields> {
  const known = before as Record<string, unknown>;
  const changed = Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(known[key]));
  return Object.fromEntries(changed) as Partial<Fields>;
}

/** The texts among the parts of a message. */
export function textOf(parts: string | readonly { readonly type: string }[]): string {
  if (typeof parts === "string") return parts;
  return parts.map((part) => (part.type === "text" && "text" in part ? String(part.text) : "")).join("");
}
