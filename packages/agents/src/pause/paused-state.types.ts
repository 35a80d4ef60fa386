import type { ExecutorPause, Media, StepMetricsData, ToolAnswer } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ToolExecution } from "../events.types.js";
import type { MemberRun } from "../executor.types.js";

/** A call of an own tool that a person has to allow. */
export interface PausedCall {
  /** The AI SDK's name for the question. */
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  /** The provider runs the tool; it gets the answer. */
  readonly isProviders: boolean;
}

/** How a leader gave a member its task. */
export interface MemberCall {
  /** The leader's call. */
  readonly toolCallId: string;
  readonly memberId: string;
  readonly task: string;
  readonly idempotencyKey: string;
}

/** A member that waits for a person. */
export interface PausedMember extends MemberCall {
  readonly pause: ExecutorPause;
  /** What the member took so far. */
  readonly metrics: StepMetricsData;
}

/** What a paused run has done so far. Plain data. */
export interface PausedState {
  readonly version: 1;
  /** The id of the agent or team. */
  readonly executorId: string;
  readonly runId: string;
  readonly createdAtMs: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  readonly media: readonly Media[];
  readonly history: readonly ModelMessage[];
  /** What followed the input. */
  readonly messages: readonly ModelMessage[];
  readonly modelCalls: number;
  /** Of its own model calls. */
  readonly metrics: StepMetricsData;
  /** Of its members, too. */
  readonly totalMetrics: StepMetricsData;
  readonly madeMedia: readonly Media[];
  readonly tools: readonly ToolExecution[];
  readonly memberRuns: readonly MemberRun[];
  readonly keyCounts: Readonly<Record<string, number>>;
  readonly calls: readonly PausedCall[];
  readonly members: readonly PausedMember[];
  /** To some of `calls`, given before: they wait for members that have paused again. */
  readonly answers: readonly ToolAnswer[];
}

/** A paused run with the answers to go on with. */
export interface ResumedRun {
  readonly state: PausedState;
  /** To all of `calls`, by the id of the call. */
  readonly answers: ReadonlyMap<string, ToolAnswer>;
  /** To the requirements of each member, by the id of the leader's call. */
  readonly memberAnswers: ReadonlyMap<string, readonly ToolAnswer[]>;
}
