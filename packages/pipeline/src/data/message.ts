import { isEmptyContent, toText } from "@millrace/executor";
import { type HistoryRun, historyText } from "./history-text.js";

/** Parts of a message. */
export interface MessageParts {
  /** Content of the previous step; empty content counts as absent. */
  readonly previous?: unknown;
  /** Input of the run: the message when there is no previous content. */
  readonly input: unknown;
  /** Earlier runs to put before the message. */
  readonly history?: readonly HistoryRun[] | undefined;
  /** Values of the fields that a person filled in. */
  readonly humanInput?: Readonly<Record<string, unknown>> | undefined;
  readonly retryFeedback?: RetryFeedback | undefined;
}

/**
 * Builds the input of an agent, a team or a nested pipeline.
 *
 * Structured content keeps its type when nothing is added to it: a nested pipeline checks it with its schema, and
 * agents convert it with `toText`.
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

/** The wishes of a person for a step that runs again. */
export interface RetryFeedback {
  readonly previousOutput?: unknown;
  readonly feedback?: string;
}

/** Answers of people to a step before it ran. */
export interface HumanInput {
  /** Values of the fields that the step asked for. */
  readonly userInput?: Readonly<Record<string, unknown>>;
  /** Present when the step runs again because its output was rejected. */
  readonly retryFeedback?: RetryFeedback;
}
