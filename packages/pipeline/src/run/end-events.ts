/** What the last event of a run says. */
import type { PipelineRunOutput } from "./run-output.types.js";

type Data = Readonly<Record<string, unknown>>;

export function completedFields(output: PipelineRunOutput): Data {
  const { status, content, stepResults, stepExecutorRuns, metrics, metadata } = output;
  const contentType = typeof content === "string" ? "text" : "object";
  return { status, content, contentType, stepResults, stepExecutorRuns, metrics, metadata };
}

export function errorFields({ error }: PipelineRunOutput): Data {
  return { error: error?.message ?? "", stepName: error?.stepName ?? null };
}
