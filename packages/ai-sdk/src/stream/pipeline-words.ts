/**
 * What agents of a pipeline say while it runs, and their usage, read from its events and its output.
 *
 * @module
 */
import type { Usage } from "@millrace/server/door";
import type { WorkflowEvent } from "millrace";

/** A piece of an answer. */
export interface PipelineWords {
  readonly text: string;
  readonly reasoning: string;
}

/** `null` for other events, and for members of a team, whose words their leader has. */
export function pipelineWords(event: WorkflowEvent): PipelineWords | null {
  if (event.type !== "pipeline.shown") return null;
  const { name, data } = event as { readonly name?: unknown; readonly data?: unknown };
  if (name !== "RunContent" && name !== "TeamRunContent") return null;
  const { content, contentType, reasoningContent, parentRunId = null } = Object(data) as Record<string, unknown>;
  if (parentRunId !== null || contentType !== "text") return null;
  return { text: textOf(content), reasoning: textOf(reasoningContent) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Tokens of the agents of a pipeline that has ended; `null` for another workflow. */
export function pipelineUsage(event: WorkflowEvent): Usage | null {
  const { stepExecutorRuns } = Object((event as { readonly result?: unknown }).result) as Record<string, unknown>;
  if (!Array.isArray(stepExecutorRuns)) return null;
  const sum = (field: string): number =>
    stepExecutorRuns.reduce((total: number, run) => total + (Number(Object(Object(run).metrics)[field]) || 0), 0);
  const [inputTokens, outputTokens] = [sum("inputTokens"), sum("outputTokens")];
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
