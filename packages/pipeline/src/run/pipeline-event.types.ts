/**
 * The events of a run, by their names: `switch (event.event)` knows the fields of each.
 *
 * @module
 */
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { MediaSet } from "../data/media.types.js";
import type { RunMetricsData, StepMetricsData } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepRequirement } from "../human/requirement.js";
import type { HumanDecision, RequirementData, RequirementKind } from "../human/requirement.types.js";
import type { ExecutorPause, SessionState, ToolRequirement } from "../nodes/executor.types.js";
import type { PipelineStatus } from "./run-output.types.js";

/** What every event says. */
export type PipelineEventFacts = {
  /** Epoch seconds. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
  /** Whose event it is: the pipeline's run, or the run of an agent, a team or a nested pipeline in it. */
  readonly runId: string;
  /** The run of the outermost pipeline. */
  readonly pipelineRunId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly sessionId: string;
  /** 0: of the pipeline that was run; 1: of one that is a step of it; and so on. */
  readonly nestedDepth: number;
  /** The group, or the step of the pipeline around, that it is in. */
  readonly parentStepId?: string;
  /** The step, or group of steps, that it is of; absent where it is of the run. */
  readonly stepId?: string;
  readonly stepName?: string | null;
  /** Positions from the root of its pipeline. */
  readonly stepIndex?: readonly number[];
  /** Grows from event to event; where a reader can go on. In `output.events`: its place among them. */
  readonly eventIndex: number;
};

/** Of a step or a group of steps. */
type OfStep<Fields = unknown> = {
  readonly stepId: string;
  readonly stepName: string;
  readonly stepIndex: readonly number[];
} & Fields;

/** Of an agent or a team, for the step that it is of, or for none where it decides for a conversational pipeline. */
type OfExecutor<Fields = unknown> = {
  /** The team's run, for a member's events. */
  readonly parentRunId?: string | null;
  readonly agentId?: string;
  readonly agentName?: string;
  readonly teamId?: string;
  readonly teamName?: string;
} & Fields;

type ContentType = "text" | "object";

interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  /** What it returned, or the text of what it threw. `null` while it runs. */
  readonly result: unknown;
  readonly toolCallError: boolean;
}

type Asked = OfStep<{ readonly requirement: RequirementData }>;
type Answered = OfStep<{
  readonly kind: RequirementKind;
  readonly decision: HumanDecision["decision"] | "timeout";
}>;
type Iteration = { readonly iteration: number; readonly maxIterations: number };
type GroupResults = {
  readonly content: unknown;
  readonly executedSteps: number;
  readonly stepResults: readonly StepOutput[];
};

/** What the events of agents and teams say, as `@millrace/agents` tells them; those of teams have `Team` in front. */
interface ExecutorFields {
  RunStarted: { readonly model: string; readonly modelProvider: string };
  RunContent: {
    readonly content: string;
    readonly contentType: ContentType;
    /** A piece of the model's reasoning; `content` is then empty. */
    readonly reasoningContent?: string;
    /** By the agent of a conversational pipeline. */
    readonly workflowAgent?: true;
  };
  ToolCallStarted: { readonly tool: ToolCall };
  ToolCallCompleted: { readonly tool: ToolCall; readonly content: string };
  RunCompleted: {
    readonly content: unknown;
    readonly contentType: ContentType;
    readonly metrics: StepMetricsData;
    readonly sessionState: SessionState | null;
  } & MediaSet;
  RunPaused: {
    readonly status: "PAUSED";
    readonly requirements: readonly ToolRequirement[];
    readonly pause: ExecutorPause | null;
    readonly userId: string | null;
    readonly sessionState: SessionState | null;
  };
  RunContinued: unknown;
  RunError: {
    readonly content: string;
    readonly errorType: string;
    readonly additionalData: Readonly<Record<string, unknown>>;
  };
  RunCancelled: { readonly reason: string };
}

/** What each event says besides {@link PipelineEventFacts}. */
interface OwnFields {
  WorkflowStarted: unknown;
  /** The last event of a run that has ended well, and of one that was cancelled. */
  WorkflowCompleted: {
    readonly status: PipelineStatus;
    readonly content: unknown;
    readonly contentType: ContentType;
    readonly stepResults: readonly StepOutput[];
    readonly stepExecutorRuns: readonly ExecutorRun[];
    readonly metrics: RunMetricsData;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  /** The last event of a run that has failed. */
  WorkflowError: { readonly error: string; readonly stepName: string | null };
  WorkflowCancelled: { readonly status: "CANCELLED"; readonly reason: unknown; readonly content: unknown };
  /** Nothing is left to do until somebody has answered. The stream does not keep it. */
  WorkflowPaused: {
    readonly status: "PAUSED";
    readonly content: unknown;
    readonly requirements: readonly StepRequirement[];
    readonly stepResults: readonly StepOutput[];
  };
  WorkflowAgentStarted: { readonly agentName: string };
  WorkflowAgentCompleted: { readonly agentName: string; readonly content: unknown };

  StepStarted: OfStep;
  StepCompleted: OfStep<{ readonly content: unknown; readonly success: boolean; readonly stepResponse: StepOutput }>;
  /**
   * It begins again, after a failure or after its process died: what it has said so far does not count. Where the first attempt
   * has died, a `StepStarted` follows, and the run does not keep the event.
   */
  StepRetried: OfStep<{
    /** Failures before it, and 1: so 1 for a first attempt that begins again because its process has died. */
    readonly attempt: number;
  }>;
  /** It has failed for good, whatever becomes of the run. */
  StepError: { readonly stepName: string; readonly error: string };
  /** Of a function, before its `StepCompleted`. */
  StepOutput: OfStep<{
    readonly content: unknown;
    readonly success: boolean;
    readonly error: string | null;
    readonly stop: boolean;
    readonly stepOutput: StepOutput;
  }>;

  StepPaused: Asked;
  StepContinued: Answered;
  StepExecutorPaused: Asked;
  StepExecutorContinued: Answered;
  StepOutputReview: Asked;
  ConditionPaused: Asked;
  RouterPaused: Asked;

  StepsExecutionStarted: OfStep<{ readonly stepsCount: number }>;
  StepsExecutionCompleted: OfStep<{ readonly stepsCount: number } & GroupResults>;
  ParallelExecutionStarted: OfStep<{ readonly parallelStepCount: number }>;
  ParallelExecutionCompleted: OfStep<{ readonly parallelStepCount: number } & GroupResults>;
  ConditionExecutionStarted: OfStep<{ readonly conditionResult: boolean }>;
  ConditionExecutionCompleted: OfStep<
    { readonly conditionResult: boolean; readonly branch: "if" | "else" | null } & GroupResults
  >;
  RouterExecutionStarted: OfStep<{ readonly selectedSteps: readonly string[] }>;
  RouterExecutionCompleted: OfStep<{ readonly selectedSteps: readonly string[] } & GroupResults>;
  LoopExecutionStarted: OfStep<{ readonly maxIterations: number }>;
  LoopExecutionCompleted: OfStep<{
    readonly maxIterations: number;
    readonly content: unknown;
    readonly totalIterations: number;
    readonly allResults: readonly (readonly StepOutput[])[];
  }>;
  LoopIterationStarted: OfStep<Iteration>;
  LoopIterationCompleted: OfStep<
    Iteration & { readonly iterationResults: readonly StepOutput[]; readonly shouldContinue: boolean }
  >;

  /** What a generator yields as `{ event: "CustomEvent", … }`, with fields of its own. */
  CustomEvent: OfExecutor<{ readonly [field: string]: unknown }>;
}

type ExecutorName = keyof ExecutorFields;
/** The names of the catalogue. */
export type PipelineEventName = keyof OwnFields | ExecutorName | `Team${ExecutorName}`;

type FieldsOf<Name extends PipelineEventName> = Name extends keyof OwnFields
  ? OwnFields[Name]
  : Name extends `Team${infer Executor extends ExecutorName}`
    ? OfExecutor<ExecutorFields[Executor]>
    : Name extends ExecutorName
      ? OfExecutor<ExecutorFields[Name]>
      : never;

type Flat<Fields> = { [Field in keyof Fields]: Fields[Field] };

/** The events of these names. `PipelineEventOf<"StepCompleted">` */
export type PipelineEventOf<Name extends PipelineEventName> = Name extends Name
  ? Flat<{ readonly event: Name } & PipelineEventFacts & FieldsOf<Name>>
  : never;

/** An event that a step of yours says with `context.emit(name, data)`: the type of its name and its data. */
export interface OwnEvent {
  readonly event: string;
}

/**
 * One event of a run: of the catalogue, told apart by `event`.
 *
 * Names that steps of yours say are of `Own`: a union of `{ readonly event: "Progress"; readonly percent: number }` and its like.
 */
export type PipelineEvent<Own extends OwnEvent = never> =
  | { [Name in PipelineEventName]: PipelineEventOf<Name> }[PipelineEventName]
  | (Own extends Own ? Flat<Own & PipelineEventFacts & OfStep> : never);
