import { type HistoryRun, historyText } from "./history-text.js";
import type { RetryFeedback } from "./human-input.types.js";
import { isEmptyContent, toText } from "./text.js";

/** What a message is made of. */
export interface MessageParts {
  /** The content of the step before; empty content counts as none. */
  readonly previous?: unknown;
  /** The input of the run: the message where there is no previous content. */
  readonly input: unknown;
  /** The runs to put in front, as far as they are wanted. */
  readonly history?: readonly HistoryRun[] | undefined;
  /** The fields that a person filled in. */
  readonly humanInput?: Readonly<Record<string, unknown>> | undefined;
  readonly retryFeedback?: RetryFeedback | undefined;
}

/**
 * What an agent, a team or a nested pipeline receives as its input.
 *
 * Structured content stays as it is while nothing is put around it: a nested pipeline checks it against its schema, agents turn
 * it into text with `toText`.
 */
export function prepareMessage(parts: MessageParts): unknown {
  const base = isEmptyContent(parts.previous) ? parts.input : parts.previous;
  const before = [historyText(parts.history ?? [])].filter((block) => block !== undefined);
  const after = [...preferences(parts.humanInput ?? {}), ...retryBlocks(parts.retryFeedback ?? {})];
  if (before.length + after.length === 0) return base;
  return [...before, ...(isEmptyContent(base) ? [] : [toText(base)]), ...after].join("\n\n");
}

function preferences(fields: Readonly<Record<string, unknown>>): string[] {
  const lines = Object.entries(fields).map(([key, value]) => `- ${key}: ${toText(value)}`);
  return lines.length > 0 ? [`User preferences:\n${lines.join("\n")}`] : [];
}

function retryBlocks({ previousOutput, feedback }: RetryFeedback): string[] {
  return [
    ...(isEmptyContent(previousOutput) ? [] : [`Your previous output:\n${toText(previousOutput)}`]),
    ...(isEmptyContent(feedback) ? [] : [`Feedback from reviewer:\n${feedback}`]),
  ];
}
