import type { ExecutorPause, Media, StepMetricsData, ToolRequirement } from "@millrace/pipeline/executor";
import type { SessionState } from "./run-context.types.js";

/** Which run of which executor an event is about. */
export interface EventFacts {
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly runId: string;
  /** The team's run, for a member's events. */
  readonly parentRunId: string | null;
  readonly sessionId: string | null;
  readonly agentId?: string;
  readonly agentName?: string;
  readonly teamId?: string;
  readonly teamName?: string;
}

/** One call of a tool, as events and results show it. */
export interface ToolExecution {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  /** What it returned, or the text of what it threw. `null` while it runs. */
  readonly result: unknown;
  readonly toolCallError: boolean;
}

export interface RunStartedEvent extends EventFacts {
  readonly event: "RunStarted" | "TeamRunStarted";
  readonly model: string;
  readonly modelProvider: string;
}

/** A piece of the answer. With an output schema: a piece of its JSON text. */
export interface RunContentEvent extends EventFacts {
  readonly event: "RunContent" | "TeamRunContent";
  readonly content: string;
  readonly contentType: "text" | "object";
  /** A piece of the model's reasoning; `content` is then empty. */
  readonly reasoningContent?: string;
}

export interface ToolCallStartedEvent extends EventFacts {
  readonly event: "ToolCallStarted" | "TeamToolCallStarted";
  readonly tool: ToolExecution;
}

/** Also for a tool that threw, and for a call that a person has not allowed: `tool.toolCallError` is then true. */
export interface ToolCallCompletedEvent extends EventFacts {
  readonly event: "ToolCallCompleted" | "TeamToolCallCompleted";
  readonly tool: ToolExecution;
  readonly content: string;
}

/** The last event of a run that went well. Standing alone, the session has been saved when it comes. */
export interface RunCompletedEvent extends EventFacts {
  readonly event: "RunCompleted" | "TeamRunCompleted";
  readonly content: unknown;
  readonly contentType: "text" | "object";
  readonly images: readonly Media[];
  readonly videos: readonly Media[];
  readonly audio: readonly Media[];
  readonly files: readonly Media[];
  readonly metrics: StepMetricsData;
  /** A copy. `null` inside a pipeline or team, which share theirs. */
  readonly sessionState: SessionState | null;
}

/**
 * A person has to allow calls of tools: the last event until the run goes on. Standing alone, it is what `continueRun` and
 * `continueStream` take.
 */
export interface RunPausedEvent extends EventFacts {
  readonly event: "RunPaused" | "TeamRunPaused";
  readonly status: "PAUSED";
  readonly requirements: readonly ToolRequirement[];
  /** `null` inside a pipeline or team, which keep it. */
  readonly pause: ExecutorPause | null;
  readonly userId: string | null;
  /** A copy. `null` inside a pipeline or team, which share theirs. */
  readonly sessionState: SessionState | null;
}

/** The first event of a run that goes on after a pause. */
export interface RunContinuedEvent extends EventFacts {
  readonly event: "RunContinued" | "TeamRunContinued";
}

/** The last event of a run that failed. */
export interface RunErrorEvent extends EventFacts {
  readonly event: "RunError" | "TeamRunError";
  /** The message. */
  readonly content: string;
  /** The error's code. */
  readonly errorType: string;
  readonly additionalData: Readonly<Record<string, unknown>>;
}

/** The last event of a run that was cancelled. */
export interface RunCancelledEvent extends EventFacts {
  readonly event: "RunCancelled" | "TeamRunCancelled";
  readonly reason: string;
}

export type ExecutorEvent =
  | RunStartedEvent
  | RunContentEvent
  | ToolCallStartedEvent
  | ToolCallCompletedEvent
  | RunPausedEvent
  | RunContinuedEvent
  | RunCompletedEvent
  | RunErrorEvent
  | RunCancelledEvent;
