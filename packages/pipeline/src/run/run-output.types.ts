/**
 * What a pipeline run gives, and what of it is stored.
 *
 * @module
 */
import type { MediaSet } from "../data/media.types.js";
import type { StepOutput } from "../data/step-output.types.js";

export type PipelineStatus = "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR";

export interface PipelineRunOutput extends MediaSet {
  readonly runId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly status: PipelineStatus;
  /** As it was given, after the input schema. */
  readonly input: unknown;
  /** Of the last step; of a Parallel at the end, its branches joined. */
  readonly content: unknown;
  /** Of the top-level steps, in order. */
  readonly stepResults: readonly StepOutput[];
  /** A step has failed, and the run went on. */
  readonly hasFailures: boolean;
  /** Why the run has no result. */
  readonly error: { readonly stepName: string | null; readonly message: string } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The session state at the end of the run. */
  readonly sessionState: Readonly<Record<string, unknown>>;
}
