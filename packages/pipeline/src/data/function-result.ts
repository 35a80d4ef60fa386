/**
 * Converts what a function returned or yielded to an output.
 *
 * @module
 */
import {
  emptyMetrics,
  type MediaLists,
  type StepMetricsData,
  sumMetrics,
  toMediaSet,
  toText,
} from "@millrace/executor";
import type { RunMetricsData } from "./metrics.types.js";
import { createOutput, isStepOutput } from "./step-output.js";
import type { StepOutput } from "./step-output.types.js";

/** The result of a run of an agent, a team or a pipeline, as far as a step needs it. */
export interface ExecutorResult extends MediaLists {
  readonly runId: string;
  readonly content?: unknown;
  readonly metrics?: unknown;
  readonly status?: string;
  readonly error?: unknown;
  /** Outputs of a pipeline's steps, so that they can be looked up by name. */
  readonly stepResults?: unknown;
}

/** An event of a run, as an agent or a nested pipeline streams it. */
export interface RunEventLike {
  readonly event: string;
  readonly runId?: string;
  /** Id of the enclosing run: the team's for its members, the pipeline's for what it runs. */
  readonly parentRunId?: string | null;
  readonly workflowRunId?: string | null;
  readonly content?: unknown;
}

const statuses: ReadonlySet<unknown> = new Set(["COMPLETED", "ERROR", "CANCELLED", "PAUSED"]);

/** Recognizes the result of a run: it has a `runId`, content, and the status or the metrics of a run. */
export function isExecutorResult(value: unknown): value is ExecutorResult {
  return (
    isObject(value) &&
    typeof value["runId"] === "string" &&
    !("event" in value) &&
    "content" in value &&
    (statuses.has(value["status"]) || metricsOf(value["metrics"]) !== null)
  );
}

/** Recognizes an event of a run, and a `CustomEvent`. Other objects with a field `event` are data. */
export function isRunEvent(value: unknown): value is RunEventLike {
  if (!isObject(value) || typeof value["event"] !== "string") return false;
  return (
    value["event"] === "CustomEvent" || typeof value["runId"] === "string" || typeof value["createdAt"] === "number"
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * Converts the result of a function: a step output stays as it is; the result of a run brings its media, metrics and
 * run id; any other value becomes the content.
 */
export function toOutput(value: unknown): StepOutput {
  return createOutput(outputFields(value));
}

/** The fields of {@link toOutput}; the step may override some of them. */
export function outputFields(value: unknown): Partial<StepOutput> {
  if (isStepOutput(value)) {
    const { executions: _, ...fields } = value; // usage of another step
    return fields;
  }
  return isExecutorResult(value) ? resultOutput(value) : { content: value };
}

/** Makes the output of a step from the result of its executor's run. */
export function resultOutput(result: ExecutorResult): StepOutput {
  const { content, status, error } = result;
  const failed = status === "ERROR" || status === "CANCELLED";
  return createOutput({
    content,
    stepRunId: result.runId,
    metrics: metricsOf(result.metrics),
    success: !failed,
    error: failed ? errorText(error) || toText(content) || `The run ended with ${status}.` : null,
    ...toMediaSet(result),
    steps: Array.isArray(result.stepResults) ? result.stepResults.filter(isStepOutput) : [],
  });
}

function errorText(error: unknown): string {
  if (!isObject(error)) return error === null ? "" : toText(error);
  return typeof error["message"] === "string" ? error["message"] : toText(error);
}

/** The metrics of a pipeline's run are listed by step: they are summed, with the duration of the whole run. */
function metricsOf(metrics: unknown): StepMetricsData | null {
  if (!isObject(metrics) || typeof metrics["duration"] !== "number") return null;
  if (typeof metrics["totalTokens"] === "number") return metrics as unknown as StepMetricsData;
  if (!isObject(metrics["steps"])) return null;
  const sum = sumMetrics(Object.values((metrics as unknown as RunMetricsData).steps).map((step) => step.metrics));
  return { ...(sum ?? emptyMetrics), duration: metrics["duration"] };
}

// ---- the event that ends a run

const endStatus: Readonly<Record<string, string>> = {
  RunCompleted: "COMPLETED",
  TeamRunCompleted: "COMPLETED",
  WorkflowCompleted: "COMPLETED",
  RunError: "ERROR",
  TeamRunError: "ERROR",
  WorkflowError: "ERROR",
  RunCancelled: "CANCELLED",
  TeamRunCancelled: "CANCELLED",
};

/** Returns `true` for the last event of a run. */
export function isEndEvent({ event }: RunEventLike): boolean {
  return Object.hasOwn(endStatus, event);
}

/** Reads the result from the last event of a run. */
export function resultOfEvent(event: RunEventLike & { readonly runId: string }): ExecutorResult {
  const status = endStatus[event.event] as string;
  if (status === "COMPLETED") return { ...event, status };
  const { error, reason } = event as { readonly error?: unknown; readonly reason?: unknown };
  return { runId: event.runId, status, error: error ?? event.content ?? reason };
}
