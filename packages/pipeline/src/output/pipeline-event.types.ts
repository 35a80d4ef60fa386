/**
 * Events of a run by name: `switch (event.event)` narrows to the fields of each.
 *
 * @module
 */

import type { EventFacts, ExecutorEvent } from "@millrace/executor";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { RunMetricsData } from "../data/metrics.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepRequirement } from "../human/requirement.js";
import type { HumanDecision, RequirementData, RequirementKind } from "../human/requirement.types.js";
import type { PipelineStatus } from "./run-output.types.js";

/** Fields of every event. */
export type PipelineEventFacts = {
  /** Time of the event, in epoch seconds. */
  readonly createdAt: number;
  /** Time of the event, in epoch milliseconds. */
  readonly createdAtMs: number;
  /** Id of the run that the event is about: the pipeline's, or that of an agent, a team or a nested pipeline. */
  readonly runId: string;
  /** Run id of the outermost pipeline. */
  readonly pipelineRunId: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly sessionId: string;
  /** 0 for the pipeline that was run, 1 for a pipeline that is one of its steps, and so on. */
  readonly nestedDepth: number;
  /** Id of the enclosing group, or of the step of the enclosing pipeline. */
  readonly parentStepId?: string;
  /** Id of the step or group; absent in events of the run itself. */
  readonly stepId?: string;
  readonly stepName?: string | null;
  /** Positions from the root of the pipeline. */
  readonly stepIndex?: readonly number[];
  /** Grows from event to event; a reader can continue after it. In `output.events`, the index of the event. */
  readonly eventIndex: number;
};

/** Fields of events about a step or a group. */
type OfStep<Fields = unknown> = {
  readonly stepId: string;
  readonly stepName: string;
  readonly stepIndex: readonly number[];
} & Fields;

/**
 * Fields of events from an agent or a team, for the step that runs it, or for no step when it decides for a
 * conversational pipeline.
 */
type OfExecutor<Fields = unknown> = {
  /** Id of the team's run, in events of its members. */
  readonly parentRunId?: string | null;
  readonly agentId?: string;
  readonly agentName?: string;
  readonly teamId?: string;
  readonly teamName?: string;
} & Fields;

type ContentType = "text" | "object";

type OfRequirement = OfStep<{ readonly requirement: RequirementData }>;
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

/** Fields of each event besides {@link PipelineEventFacts}. */
interface OwnFields {
  WorkflowStarted: unknown;
  /** Last event of a run that has completed or was cancelled. */
  WorkflowCompleted: {
    readonly status: PipelineStatus;
    readonly content: unknown;
    readonly contentType: ContentType;
    readonly stepResults: readonly StepOutput[];
    readonly stepExecutorRuns: readonly ExecutorRun[];
    readonly metrics: RunMetricsData;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  /** Last event of a failed run. */
  WorkflowError: { readonly error: string; readonly stepName: string | null };
  WorkflowCancelled: { readonly status: "CANCELLED"; readonly reason: unknown; readonly content: unknown };
  /** The run waits for answers. The stream does not keep the event. */
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
   * The step begins again, after a failure or a crash of its process: its earlier text does not count. When the first
   * attempt has crashed, a `StepStarted` follows, and the run does not keep the event.
   */
  StepRetried: OfStep<{
    /** Number of earlier failures plus 1: so 1 for a first attempt that begins again after a crash. */
    readonly attempt: number;
  }>;
  /** The step has failed after all retries; its run may continue. */
  StepError: { readonly stepName: string; readonly error: string };
  /** Output of a function, before its `StepCompleted`. */
  StepOutput: OfStep<{
    readonly content: unknown;
    readonly success: boolean;
    readonly error: string | null;
    readonly stop: boolean;
    readonly stepOutput: StepOutput;
  }>;

  StepPaused: OfRequirement;
  StepContinued: Answered;
  StepExecutorPaused: OfRequirement;
  StepExecutorContinued: Answered;
  StepOutputReview: OfRequirement;
  ConditionPaused: OfRequirement;
  RouterPaused: OfRequirement;

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

  /** An event that a generator yields as `{ event: "CustomEvent", … }`, with its own fields. */
  CustomEvent: OfExecutor<{ readonly [field: string]: unknown }>;
}

type ExecutorName = ExecutorEvent["event"];
/** Names of all events. */
export type PipelineEventName = keyof OwnFields | ExecutorName;

type FieldsOf<Name extends PipelineEventName> = Name extends keyof OwnFields
  ? OwnFields[Name]
  : OfExecutor<Omit<ExecutorEventOf<Name>, "event" | keyof EventFacts>>;

type ExecutorEventOf<Name, Event = ExecutorEvent> = Event extends { readonly event: infer Names }
  ? Name extends Names
    ? Event
    : never
  : never;

type Flat<Fields> = { [Field in keyof Fields]: Fields[Field] };

/** Events with these names: `PipelineEventOf<"StepCompleted">`. */
export type PipelineEventOf<Name extends PipelineEventName> = Name extends Name
  ? Flat<{ readonly event: Name } & PipelineEventFacts & FieldsOf<Name>>
  : never;

/** An event that a step emits with `context.emit(name, data)`: the type of its name and its data. */
export interface OwnEvent {
  readonly event: string;
}

/**
 * An event of a run, discriminated by `event`.
 *
 * `Own` is the union of the events that your own steps emit, such as `{ readonly event: "Progress"; readonly percent:
 * number }`.
 */
export type PipelineEvent<Own extends OwnEvent = never> =
  | { [Name in PipelineEventName]: PipelineEventOf<Name> }[PipelineEventName]
  | (Own extends Own ? Flat<Own & PipelineEventFacts & OfStep> : never);
