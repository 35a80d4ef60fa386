/**
 * Outputs of steps: made by functions with `stepOutput`, completed by the pipeline with `createOutput`.
 *
 * @module
 */
import { type MediaLists, toMediaSet } from "./media.js";
import type { StepMetricsData } from "./metrics.types.js";
import type { StepOutput, StepType } from "./step-output.types.js";

/** What a function can say about its result besides the content. */
export interface StepOutputFields extends MediaLists {
  /** Text or structured data. */
  readonly content?: unknown;
  /** Ends the pipeline after this step; its content is the content of the run. @default false */
  readonly stop?: boolean;
  /** Ends the innermost loop around this step after it, without what is left of the iteration; without one, nothing. @default false */
  readonly breakLoop?: boolean;
  /** @default true without `error` */
  readonly success?: boolean;
  readonly error?: string | null;
  /** Tokens and time that the function knows of. The pipeline measures the time of every step itself. */
  readonly metrics?: StepMetricsData | null;
}

/**
 * What a function returns to say more than its content: media, failure, early stop.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every media item that is wrong.
 * @example
 * return stepOutput({ content: "Rejected by the security scan.", stop: true });
 */
export function stepOutput(fields: StepOutputFields = {}): StepOutput {
  return createOutput({ ...fields, ...toMediaSet(fields) });
}

/**
 * A complete output from the fields that differ from a plain success. Frozen. Without content it has no `content` key: plain
 * JSON holds it as it is.
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
    iterations: iterations && list(iterations.map(list)),
  };
  return Object.freeze(output as StepOutput);
}

/** A copy: the caller's list may change afterwards. */
function list<Item>(items: readonly Item[] = []): readonly Item[] {
  return Object.freeze([...items]);
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
 * Told by its fields, not by a mark: an output that was stored and read again, or spread into another one, is still an output.
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
