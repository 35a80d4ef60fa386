/**
 * The events of agents and teams, as `@millrace/agents` emits them.
 *
 * @module
 */

import type { MediaSet } from "../media/media.types.js";
import type { StepMetricsData } from "../metrics/metrics.types.js";
import type { SessionState } from "../session/session-state.types.js";
import type { ToolRequirement } from "./executor.types.js";

/** Identifies the executor and the run of an event. */
export interface EventFacts {
  /** Time of the event, in epoch seconds. */
  readonly createdAt: number;
  readonly runId: string;
  /** Id of the team's run in the events of a member; otherwise `null`. */
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
  /** What the tool returned, or the text of what it threw. `null` while the tool runs. */
  readonly result: unknown;
  readonly toolCallError: boolean;
}

export interface RunStartedEvent extends EventFacts {
  readonly event: "RunStarted" | "TeamRunStarted";
  readonly model: string;
  readonly modelProvider: string;
}

/** A piece of the answer. With an output schema, a piece of its JSON text. */
export interface RunContentEvent extends EventFacts {
  readonly event: "RunContent" | "TeamRunContent";
  readonly content: string;
  readonly contentType: "text" | "object";
  /** A piece of the model's reasoning; `content` is then empty. */
  readonly reasoningContent?: string;
  /** With an output schema: what the answer so far says, unchecked. Left out where it is as before. */
  readonly partialOutput?: unknown;
  /** Set in events of a conversational pipeline's agent. */
  readonly workflowAgent?: true;
}

export interface ToolCallStartedEvent extends EventFacts {
  readonly event: "ToolCallStarted" | "TeamToolCallStarted";
  readonly tool: ToolExecution;
}

/** A tool call has ended. For a tool that threw, or a call that a person rejected, `tool.toolCallError` is true. */
export interface ToolCallCompletedEvent extends EventFacts {
  readonly event: "ToolCallCompleted" | "TeamToolCallCompleted";
  readonly tool: ToolExecution;
  readonly content: string;
}

/** The last event of a successful run. In a run outside of pipelines and teams, the session is saved by then. */
export interface RunCompletedEvent extends EventFacts, MediaSet {
  readonly event: "RunCompleted" | "TeamRunCompleted";
  readonly content: unknown;
  readonly contentType: "text" | "object";
  readonly metrics: StepMetricsData;
  /** A copy of the session state. `null` inside a pipeline or a team, whose state the run shares. */
  readonly sessionState: SessionState | null;
}

/** Why a run outside of pipelines has paused, and what it needs to continue. */
export interface ExecutorPause {
  readonly requirements: readonly ToolRequirement[];
  /** Progress of the executor: plain data that only the executor reads. */
  readonly state: unknown;
}

/**
 * A run outside of pipelines waits for a person to allow tool calls. It is the last event until the run is continued. In a run outside of
 * pipelines and teams, `continueRun` and `continueStream` accept it.
 */
export interface RunPausedEvent extends EventFacts {
  readonly event: "RunPaused" | "TeamRunPaused";
  readonly status: "PAUSED";
  readonly requirements: readonly ToolRequirement[];
  /** The open questions and the saved progress. `null` inside a pipeline or a team, which keeps them. */
  readonly pause: ExecutorPause | null;
  readonly userId: string | null;
  /** A copy of the session state. `null` inside a pipeline or a team, whose state the run shares. */
  readonly sessionState: SessionState | null;
}

/** The first event of a run that is continued after a pause. */
export interface RunContinuedEvent extends EventFacts {
  readonly event: "RunContinued" | "TeamRunContinued";
}

/** The last event of a run that failed. */
export interface RunErrorEvent extends EventFacts {
  readonly event: "RunError" | "TeamRunError";
  /** Message of the error. */
  readonly content: string;
  /** Code of the error. */
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
