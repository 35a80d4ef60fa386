/**
 * The public surface of `@millrace/agents`.
 *
 * @module
 */

// ---- agents and teams
export { Agent } from "./agent.js";
export type { AgentOptions, AtBudget, Instructions, TeamOptions } from "./settings/agent-options.types.js";
export type {
  AskedOfModel,
  Guards,
  ModelSettings,
  ModelToolCall,
  ModelToolResult,
  ModelTurn,
  PreparedStep,
  PrepareStep,
  StepToPrepare,
  StopRule,
  Verdict,
} from "./settings/loop-options.types.js";
export type { AskedOfLoop, ModelPrice, ModelPrices, RecordMode, RecordOptions } from "./settings/record.types.js";
export { Team } from "./team.js";
export { PipelineAgent } from "./pipeline-agent.js";
export type { PipelineAgentOptions } from "./pipeline-agent.js";
export type { AgentOutcome, AgentWorkflow, AgentWorkflowInput } from "./loop/agent-workflow.js";
export { recorded } from "./loop/recorded.js";
export type { RequestOverride } from "./run/overridden.js";
export type { Recorded, RecordedOptions } from "./loop/recorded.js";
export type { PageTool } from "./loop/tools.js";
export { partialOutputs } from "./loop/partial-outputs.js";
export type { PartialOutput } from "./loop/partial-outputs.js";
export type { AgentPart, AgentQuestion } from "millrace/wire";
export type { ModelExecutor, SessionChoice } from "./model-executor.js";
export type {
  AgentRun,
  AgentRunOptions,
  CallAnswer,
  ContinueOptions,
  PausedRun,
  StepRunOptions,
} from "./settings/run-options.types.js";
export type { ReadFile } from "./settings/media-part.js";

// ---- tools
export { tool } from "./settings/tool.js";
export { withPolicies } from "./settings/with-policies.js";
export type {
  AgentTool,
  Confirmation,
  ConfirmationContext,
  ConfirmationRule,
  ToolContext,
  ToolOptions,
} from "./settings/tool.types.js";
export type { CallPolicies } from "./settings/call-policies.types.js";
export type { EditOptions, RunContext, SessionState } from "./settings/run-context.types.js";

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
} from "./settings/sessions.types.js";

// ---- executors: what a pipeline calls
export type {
  Executor,
  ExecutorRequest,
  ExecutorResult,
  ExecutorStatus,
  MemberRequest,
  MemberRun,
  StepRequest,
  StepResult,
} from "./settings/executor.types.js";
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
} from "@millrace/executor";
export type {
  ExecutorPause,
  Media,
  MediaKind,
  MediaSet,
  ModelMetricsData,
  StepMetricsData,
  ToolAnswer,
  ToolRequirement,
} from "@millrace/executor";
