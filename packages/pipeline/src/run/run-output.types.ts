/**
 * What a pipeline run gives, and what of it is stored.
 *
 * @module
 */
import type { AgentRunRecord, RecordedEvent } from "../compile/pipeline-state.types.js";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { MediaSet } from "../data/media.types.js";
import type { RunMetricsData } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepRequirement } from "../human/requirement.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import type { SessionState } from "../nodes/executor.types.js";

export type PipelineStatus =
  /** Stored, and nobody has begun with it. */
  | "PENDING"
  | "RUNNING"
  | "COMPLETED"
  /** Nothing is left to do until somebody has answered. */
  | "PAUSED"
  | "CANCELLED"
  | "ERROR";

export interface PipelineRunError {
  readonly stepName: string | null;
  readonly message: string;
  readonly name: string;
  /** As in `"AGENT_FAILED"`; null: the error has none. */
  readonly code: string | null;
  /** What the error says of trying again; null: nothing. */
  readonly retryable: boolean | null;
}

/** The output of a pipeline with an `outputSchema`: its content has that type where the run has completed. */
export type TypedOutput<Input, Output> = unknown extends Output
  ? PipelineRunOutput<Input>
  : PipelineRunOutput<Input> &
      (
        | { readonly status: "COMPLETED"; readonly content: Output }
        | { readonly status: Exclude<PipelineStatus, "COMPLETED">; readonly content: unknown }
      );

/** `Input`: as the pipeline's `inputSchema` gives it. */
export interface PipelineRunOutput<Input = unknown> extends MediaSet {
  readonly runId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly status: PipelineStatus;
  /** As it was given, after the input schema. */
  readonly input: Input;
  /** Of the last step; of a Parallel at the end, its branches joined. */
  readonly content: unknown;
  /** Of the top-level steps, in order. */
  readonly stepResults: readonly StepOutput[];
  /** A step has failed, and the run went on. */
  readonly hasFailures: boolean;
  /** Why the run has no result. */
  readonly error: PipelineRunError | null;
  /** Why it was cancelled, as far as somebody has said. */
  readonly cancelReason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The session state at the end of the run. */
  readonly sessionState: Readonly<SessionState>;
  /** Time and tokens, of every step and of all. Where the run has not ended: so far. */
  readonly metrics: RunMetricsData;
  /** What agents, teams and nested pipelines did in its steps, in the order in which they ended. Empty with `storeExecutorOutputs: false`. */
  readonly stepExecutorRuns: readonly ExecutorRun[];
  /** With `storeEvents`: the events of the run, whoever has read them. They do not repeat outputs that are in `stepResults`. */
  readonly events: readonly RecordedEvent[];
  /** Of a conversational pipeline: what its agent decided. */
  readonly agentRun: AgentRunRecord | null;
  /** Of a run that is `PAUSED`: what people are asked, to be answered with `pipeline.continueRun(output)`. */
  readonly requirements: readonly StepRequirement[];
  /** What people were asked before, and what they said. */
  readonly answered: readonly AnsweredRequirement[];
  /** Epoch seconds. */
  readonly createdAt: number;
}
