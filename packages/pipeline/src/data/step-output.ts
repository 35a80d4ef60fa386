/**
 * Outputs of steps: functions make them with `stepOutput`, and the pipeline completes them with `createOutput`.
 *
 * @module
 */

import { type MediaLists, type StepMetricsData, toMediaSet } from "@millrace/executor";
import { refuseOptions } from "millrace/engine";
import type { StepOutput, StepType } from "./step-output.types.js";

/** What a function can say about its result besides the content. */
export interface StepOutputFields extends MediaLists {
  /** Text or structured data. */
  readonly content?: unknown;
  /** Ends the pipeline after this step; its content becomes the content of the run. @default false */
  readonly stop?: boolean;
  /**
   * Ends the innermost enclosing loop after this step, without the rest of the iteration. Without a loop it does
   * nothing.
   * @default false
   */
  readonly breakLoop?: boolean;
  /** @default `true` without `error` */
  readonly success?: boolean;
  readonly error?: string | null;
  /** Tokens and time that the function has measured. The pipeline measures the time of every step itself. */
  readonly metrics?: StepMetricsData | null;
}

/**
 * Creates an output with more than content: media, failure, early stop.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every invalid media item.
 * @example
 * return stepOutput({ content: "Rejected by the security scan.", stop: true });
 */
export function stepOutput(fields: StepOutputFields = {}): StepOutput {
  if (typeof fields !== "object" || fields === null)
    refuseOptions("The output cannot be made", ["its fields are no object"]);
  return createOutput({ ...fields, ...toMediaSet(fields) });
}

/**
 * Completes an output with the fields of a plain success, and freezes it. Without content it has no `content` key, so
 * that JSON holds it as it is.
 */
export function createOutput(fields: Partial<StepOutput>): StepOutput {
  const { content, error = null, iterations = null } = fields;
  const output: Omit<StepOutput, "content"> = {
    stepName: fields.stepName ?? "",
    stepId: fields.stepId ?? "",
    stepType: fields.stepType ?? "Step",
    executorType: fields.executorType ?? null,
    executorName: fields.executorName ?? null,
    ...(content === undefined ? {} : { content }),
    stepRunId: fields.stepRunId ?? null,
    metrics: fields.metrics ?? null,
    success: fields.success ?? error === null,
    ...(fields.endedAtMs !== undefined && { endedAtMs: fields.endedAtMs }),
    error,
    stop: fields.stop ?? false,
    breakLoop: fields.breakLoop ?? false,
    skipped: fields.skipped ?? false,
    images: list(fields.images),
    videos: list(fields.videos),
    audio: list(fields.audio),
    files: list(fields.files),
    steps: list(fields.steps),
    ...(fields.executions !== undefined && { executions: fields.executions }),
    iterations: iterations && list(iterations.map(list)),
  };
  return Object.freeze(output as StepOutput);
}

const empty: readonly never[] = Object.freeze([]);

/** Copies a list that the caller may change later. */
function list<Item>(items: readonly Item[] = empty): readonly Item[] {
  if (items.length === 0) return empty;
  return Object.isFrozen(items) ? items : Object.freeze([...items]);
}

const stepTypes: ReadonlySet<unknown> = new Set<StepType>([
  "Function",
  "Step",
  "Steps",
  "Loop",
  "Parallel",
  "Condition",
  "Router",
  "Workflow",
]);

/**
 * Recognizes an output by its fields, so that one that was stored and read again, or spread into another object, is
 * still an output.
 */
export function isStepOutput(value: unknown): value is StepOutput {
  if (typeof value !== "object" || value === null) return false;
  const output = value as Partial<Record<keyof StepOutput, unknown>>;
  return (
    stepTypes.has(output.stepType) &&
    typeof output.stepName === "string" &&
    typeof output.stepId === "string" &&
    typeof output.success === "boolean" &&
    typeof output.stop === "boolean" &&
    typeof output.skipped === "boolean" &&
    Array.isArray(output.steps) &&
    Array.isArray(output.images)
  );
}
