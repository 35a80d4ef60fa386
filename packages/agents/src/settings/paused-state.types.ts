import type { Media, StepMetricsData, ToolAnswer, ToolRequirement } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ContextDict } from "millrace";

/** A question of a paused run. */
export interface PausedQuestion extends ToolRequirement {
  readonly promptId: string;
}

/** Progress of a paused run, as plain data: the snapshot of its calls, and what it was given. */
export interface PausedState {
  readonly version: 2;
  /** Id of the agent or team. */
  readonly executorId: string;
  readonly runId: string;
  readonly createdAtMs: number;
  readonly idempotencyKey: string;
  readonly input: unknown;
  readonly media: readonly Media[];
  readonly history: readonly ModelMessage[];
  readonly context: ContextDict;
  readonly questions: readonly PausedQuestion[];
  /** Metrics until the pause, members included. */
  readonly metrics: StepMetricsData;
}

/** The answer of a person, with what agents take besides. */
export interface PausedAnswer extends ToolAnswer {
  readonly input?: unknown;
  readonly output?: unknown;
}

/** What a paused run is continued with. */
export interface ExecutorResume {
  readonly state: unknown;
  /** One answer for each question. */
  readonly answers: readonly ToolAnswer[];
}

/** A paused run and the answers to continue it with. */
export interface ResumedRun {
  readonly state: PausedState;
  /** One for each question, by the id of its prompt. */
  readonly answers: ReadonlyMap<string, PausedAnswer>;
}
