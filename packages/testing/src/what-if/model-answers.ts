/**
 * What the record of a model call says: the tools that it called, its text, and what it used.
 *
 * Records of agents have messages; those of `recorded` have what the AI SDK made, whole or in parts; calls of others may have `usage`.
 *
 * @module
 */
import type { ReplayedCall } from "../replay/recorded-world.js";
import type { CallOutcome, PathItem } from "../replay/run-path.js";
import type { Used } from "./what-if.types.js";

/** A tool that a model has called. */
export interface ToolCall {
  /** What the model calls it; made up anew for each call. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Equal for calls of one tool with the same arguments. */
  readonly digest: string;
  /** What the ids of the calls begin with that answer it. */
  readonly place: string;
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** A model call of an agent or of `recorded`, whatever its model is. */
export function isModelCall({ key, label }: ReplayedCall): boolean {
  return label === "model" || key === "model" || (/^m\d+$/.test(key) && label?.includes("/") === true);
}

/** The tools that models have called in a work item, in their order. */
export function toolCallsIn({ calls }: PathItem): ToolCall[] {
  return [...calls].flatMap(([call, outcome]) => toolCallsOf(call, outcome));
}

export function toolCallsOf(call: string, outcome: CallOutcome): ToolCall[] {
  const [, scope, turn] = /^(.*)\/run=m(\d+)$/.exec(call) ?? [];
  if (scope === undefined || outcome.kind !== "value") return [];
  const isAgent = Array.isArray(fieldsOf(outcome.value)["messages"]);
  return partsOf(outcome.value)
    .filter(({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true)
    .map(({ toolName, input, toolCallId }, index) => {
      const [id, name, value] = [String(toolCallId), String(toolName), parsed(input)];
      const place = isAgent
        ? `${scope}/@m${turn}.c${index}`
        : `${scope}/run=${`call/${id}`.replace(/[%/]/g, encodeURIComponent)}`;
      return { id, name, input: value, digest: `${name} ${sortedText(value)}`, place };
    });
}

/** Text of an answer without tools; `null`: it is not the record of a model. */
export function textOf(value: unknown): string | null {
  const parts = partsOf(value);
  if (parts.length === 0) return null;
  return parts.map(({ type, text, delta }) => (/^text/.test(type) ? String(text ?? delta ?? "") : "")).join("");
}

/** JSON with sorted fields. */
export function sortedText(value: unknown): string {
  const sorted = (_name: string, part: unknown): unknown =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, sorted) ?? "undefined";
}

export const nothingUsed: Used = { calls: 0, inputTokens: 0, outputTokens: 0, cost: null, latencyMs: 0 };

export function usedBy(outcome: CallOutcome, latencyMs: number): Used {
  if (outcome.kind === "error") return { ...nothingUsed, calls: 1, latencyMs };
  const value = fieldsOf(outcome.value);
  const usage = fieldsOf(value["metrics"] ?? fieldsOf(value["made"])["usage"] ?? endOf(value) ?? value["usage"]);
  return {
    calls: 1,
    inputTokens: numberOf(usage["inputTokens"] ?? usage["prompt_tokens"] ?? usage["input_tokens"]) ?? 0,
    outputTokens: numberOf(usage["outputTokens"] ?? usage["completion_tokens"] ?? usage["output_tokens"]) ?? 0,
    cost: numberOf(usage["cost"]),
    latencyMs,
  };
}

export function sumOf(all: readonly Used[]): Used {
  return all.reduce(
    (sum, one) => ({
      calls: sum.calls + one.calls,
      inputTokens: sum.inputTokens + one.inputTokens,
      outputTokens: sum.outputTokens + one.outputTokens,
      cost: sum.cost === null ? one.cost : sum.cost + (one.cost ?? 0),
      latencyMs: sum.latencyMs + one.latencyMs,
    }),
    nothingUsed,
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function partsOf(value: unknown): readonly Part[] {
  const { messages, made, parts } = fieldsOf(value);
  if (Array.isArray(messages)) return messages.flatMap(({ content }: Fields) => contentOf(content));
  if (Array.isArray(parts)) return parts as readonly Part[];
  return contentOf(fieldsOf(made)["content"]);
}

function contentOf(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}

/** Usage in the last part of a stream. */
function endOf({ parts }: Fields): unknown {
  return Array.isArray(parts)
    ? (parts as readonly Part[]).findLast(({ type }) => type === "finish")?.["usage"]
    : undefined;
}

/** The AI SDK has arguments as text. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** A count, or the total of one that has parts. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  const { total } = fieldsOf(value);
  return typeof total === "number" ? total : null;
}
