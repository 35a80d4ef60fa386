/**
 * The output of a pipeline's run, and the stored part of it.
 *
 * @module
 */

import type { MediaSet, SessionState, SharedState } from "@millrace/executor";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { RunMetricsData } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepRequirement } from "../human/requirement.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import type { AgentRunRecord, PipelineRunError, RecordedEvent } from "../state/pipeline-state.types.js";

/** Status of a pipeline's run. */
export type PipelineStatus =
  /** Stored, but not begun. */
  | "PENDING"
  | "RUNNING"
  | "COMPLETED"
  /** Waits for answers, with no other work. */
  | "PAUSED"
  | "CANCELLED"
  | "ERROR";

/** The output of a pipeline with an `outputSchema`: the content of a completed run has its type. */
export type TypedOutput<Input, Output, State extends object = SessionState> = unknown extends Output
  ? PipelineRunOutput<Input, State>
  : PipelineRunOutput<Input, State> &
      (
        | { readonly status: "COMPLETED"; readonly content: Output }
        | { readonly status: Exclude<PipelineStatus, "COMPLETED">; readonly content: unknown }
      );

/** `Input` is what the pipeline's `inputSchema` returns, `State` its session state. */
export interface PipelineRunOutput<Input = unknown, State extends object = SessionState> extends MediaSet {
  readonly runId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly status: PipelineStatus;
  /** Input of the run, as the input schema returned it. */
  readonly input: Input;
  /** Content of the last step; for a Parallel at the end, its joined branches. */
  readonly content: unknown;
  /** Outputs of the top-level steps, in order. */
  readonly stepResults: readonly StepOutput[];
  /** `true` when a step has failed and the run went on. */
  readonly hasFailures: boolean;
  /** Why the run has no result. */
  readonly error: PipelineRunError | null;
  /** Reason of the cancellation, if one was given. */
  readonly cancelReason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Session state at the end of the run. */
  readonly sessionState: Readonly<SharedState<State>>;
  /** Time and tokens by step and in all. For a run that has not ended: so far. */
  readonly metrics: RunMetricsData;
  /**
   * Runs of agents, teams and nested pipelines in its steps, in the order in which they ended. Empty with
   * `storeExecutorOutputs: false`.
   */
  readonly stepExecutorRuns: readonly ExecutorRun[];
  /** With `storeEvents`: all events of the run. They do not repeat outputs that are in `stepResults`. */
  readonly events: readonly RecordedEvent[];
  /** Decision of a conversational pipeline's agent. */
  readonly agentRun: AgentRunRecord | null;
  /** Questions of a `PAUSED` run, to be answered with `pipeline.continueRun(output)`. */
  readonly requirements: readonly StepRequirement[];
  /** Earlier questions with their answers. */
  readonly answered: readonly AnsweredRequirement[];
  /** When the run was created, in epoch seconds. */
  readonly createdAt: number;
  /** When the run ended, in epoch milliseconds. Absent before that. */
  readonly endedAtMs?: number;
}
