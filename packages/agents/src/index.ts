/**
 * The public surface of `@millrace/agents`.
 *
 * @module
 */

// ---- agents and teams
export { Agent } from "./agent.js";
export type { AgentOptions, Instructions, ModelSettings, TeamOptions } from "./agent-options.types.js";
export { Team } from "./team.js";
export { PipelineAgent } from "./pipeline-agent.js";
export type { PipelineAgentOptions } from "./pipeline-agent.js";
export type { ModelExecutor, SessionChoice } from "./model-executor.js";
export type { AgentRun, AgentRunOptions, CallAnswer, ContinueOptions, PausedRun } from "./run-options.types.js";
export type { ReadFile } from "./run/media-part.js";

// ---- tools
export { tool } from "./tool.js";
export type { AgentTool, ConfirmationContext, ToolContext, ToolOptions } from "./tool.types.js";
export type { RunContext, SessionState } from "./run-context.types.js";

// ---- sessions
export { memorySessions } from "./sessions/memory-sessions.js";
export { storeSessions } from "./sessions/store-sessions.js";
export type { StoreSessionsOptions } from "./sessions/store-sessions.js";
export type {
  AgentSession,
  AgentSessionRun,
  AgentSessions,
  RunsQuery,
  SaveSession,
  SaveSessionResult,
} from "./sessions/sessions.types.js";

// ---- executors: what a pipeline calls
export type { Executor, ExecutorRequest, ExecutorResult, ExecutorStatus, MemberRun } from "./executor.types.js";
export type {
  EventFacts,
  ExecutorEvent,
  RunCancelledEvent,
  RunCompletedEvent,
  RunContentEvent,
  RunContinuedEvent,
  RunErrorEvent,
  RunPausedEvent,
  RunStartedEvent,
  ToolCallCompletedEvent,
  ToolCallStartedEvent,
  ToolExecution,
} from "@millrace/pipeline/executor";
export type {
  ExecutorPause,
  ExecutorResume,
  Media,
  MediaKind,
  MediaSet,
  ModelMetricsData,
  StepMetricsData,
  ToolAnswer,
  ToolRequirement,
} from "@millrace/pipeline/executor";
