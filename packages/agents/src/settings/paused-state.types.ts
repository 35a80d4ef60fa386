import type { ExecutorPause, Media, StepMetricsData, ToolAnswer, ToolExecution } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { MemberRun } from "./executor.types.js";

/** A call of the run's own tools that needs the permission of a person. */
export interface PausedCall {
  /** Id of the question in the AI SDK. */
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  /** `true` when the provider runs the tool and so gets the answer. */
  readonly isProviders: boolean;
}

/** The task that a leader has given to a member. */
export interface MemberCall {
  /** Id of the leader's tool call. */
  readonly toolCallId: string;
  readonly memberId: string;
  readonly task: string;
  readonly idempotencyKey: string;
}

/** A member that waits for a person. */
export interface PausedMember extends MemberCall {
  readonly pause: ExecutorPause;
  /** Metrics of the member so far. */
  readonly metrics: StepMetricsData;
}

/** Progress of a paused run, as plain data. */
export interface PausedState {
  readonly version: 1;
  /** Id of the agent or team. */
  readonly executorId: string;
  readonly runId: string;
  readonly createdAtMs: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  readonly media: readonly Media[];
  readonly history: readonly ModelMessage[];
  /** Messages after the input. */
  readonly messages: readonly ModelMessage[];
  readonly modelCalls: number;
  /** Metrics of the run's own model calls. */
  readonly metrics: StepMetricsData;
  /** Metrics that include those of members. */
  readonly totalMetrics: StepMetricsData;
  readonly madeMedia: readonly Media[];
  readonly tools: readonly ToolExecution[];
  readonly memberRuns: readonly MemberRun[];
  readonly keyCounts: Readonly<Record<string, number>>;
  readonly calls: readonly PausedCall[];
  readonly members: readonly PausedMember[];
  /** Earlier answers to some of `calls`, kept because members have paused again. */
  readonly answers: readonly ToolAnswer[];
}

/** A paused run and the answers to continue it with. */
export interface ResumedRun {
  readonly state: PausedState;
  /** Answers to all of `calls`, by tool call id. */
  readonly answers: ReadonlyMap<string, ToolAnswer>;
  /** Answers for each member, by the id of the leader's tool call. */
  readonly memberAnswers: ReadonlyMap<string, readonly ToolAnswer[]>;
}
