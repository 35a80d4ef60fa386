/**
 * What the core store of a pipeline run holds: plain data, changed in place inside `editState` only.
 *
 * @module
 */

import type { ListRecord, MediaSet, StepMetricsData } from "@millrace/executor";
import type { ErrorRecord } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { HistoryRun } from "../data/history-text.js";
import type { RetryFeedback } from "../data/message.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { PagedList } from "../data/paged-list.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StoredOutput } from "../data/stored-output.js";
import type { AnsweredRequirement, RequirementData } from "../human/requirement.types.js";

/** A run as its places see it. */
export interface PipelineState extends OwnState, SharedState {
  /** Runs nested in it that are under way, where they are known. */
  readonly nested?: Record<string, OwnState>;
}

/** What the store holds: the outermost run, and all that are nested in it. See `run-state.ts`. */
export interface RunTreeState extends PipelineState {
  /** Runs under way, by their id. */
  readonly nested: Record<string, OwnState>;
}

/** What each run of the tree has for itself. */
export interface OwnState {
  /** Request of the run. */
  readonly request: RunRequest;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  /** What a conversational agent had the pipeline run with, in the place of the input. Null: the input. */
  query: string | null;
  /** What that agent did. */
  agentRun: AgentRunRecord | null;
  /** Why the run ends without a result. */
  failure: RunFailure | null;
  /** Groups of steps under way, by their key: `"0"` is the pipeline itself. */
  frames: Record<string, Frame>;
  /** Questions and answers about active places, by {@link placeKey}. */
  reviews: Record<string, Review>;
  /** Questions that were answered. */
  answered: AnsweredRequirement[];
  /** Executions whose output does not count: failed attempts, refused outputs. */
  discarded: DiscardedExecution[];
  /** Events, where they are kept. */
  events: RecordedEvent[];
  /** What agents, teams and nested pipelines did, where it is kept. */
  executorRuns: ExecutorRun[];
  /** Number of places that the run has visited. */
  visits: number;
  /** Nested runs that its steps have under way, by the visits of these. */
  childRuns?: Record<number, readonly string[]>;
  /** How a run ended that failed or was cancelled: it has no stop event that could carry its output. */
  end?: StoredEnd;
  /** Where the run continues when it is retried or resumed after its end, by the place of its end. */
  reopens?: Record<string, Reopening>;
}

export interface StoredEnd {
  /** A `PipelineRunOutput`. */
  readonly output: object;
  /** How often the run had ended before. */
  readonly continuations: number;
}

export interface Reopening {
  /** What runs again: the failed step, or what has ended the run. `null`: other steps, which were cut off, continue. */
  readonly step: Pick<Step, "to" | "node"> | null;
  /** How often the run had ended before. */
  readonly continuations: number;
}

/** An execution without an output. */
export interface DiscardedExecution extends StepExecutionData {
  /** Visit of a failed attempt: if it was the last one, the output of its step takes it over. */
  readonly visit?: number;
  /** Outputs inside a failed attempt at a nested pipeline. */
  readonly outputs?: readonly StoredOutput[];
}

/** What the outermost run has for all. */
export interface SharedState {
  /** Earlier runs of the session, oldest first. */
  readonly history: readonly HistoryRun[];
  /** The session state as this run has it. */
  session: Record<string, unknown>;
  /** What that was at the start: what the run has changed is the difference. */
  readonly sessionAtStart: Readonly<Record<string, unknown>>;
  /** Numbers of the session state that this run has only counted. See `keepChanges`. */
  counted: Record<string, true>;
  /** What this run has done to lists of the session state. Without it they are compared. */
  lists?: ListRecord;
  /** Usage that the session has from an earlier end of the run. */
  tallied?: StepMetricsData;
}

/** How a run begins: in its session, or inside another run. */
export type PreparedState = PreparedRun | PreparedInside;

export interface PreparedRun extends Omit<SharedState, "counted">, Pick<OwnState, "request" | "startedAtMs"> {}

export interface PreparedInside extends Pick<OwnState, "request" | "startedAtMs"> {
  /** What the session state has to have: what it lacks is taken from here. */
  readonly template: Readonly<Record<string, unknown>>;
}

/** What the agent of a conversational pipeline decided. */
export interface AgentRunRecord {
  readonly runId: string;
  readonly agentName: string;
  /** What it had the pipeline run with. Null: it answered by itself. */
  readonly query: string | null;
  readonly content: unknown;
  readonly metrics: StepMetricsData | null;
}

/** Why a run has failed. An error of Millrace has its hint and details, and any error its causes, without their stacks. */
export interface PipelineRunError extends Pick<ErrorRecord, "hint" | "details" | "cause" | "errors"> {
  /** The step that failed; `null` when the run itself failed. */
  readonly stepName: string | null;
  readonly message: string;
  /** Name of the error's class. */
  readonly name: string;
  /** Code such as `"AGENT_FAILED"`; `null` when the error has none. */
  readonly code: string | null;
  /** Whether the error may be retried; `null` when it does not say. */
  readonly retryable: boolean | null;
}

export interface RunFailure extends PipelineRunError {
  /** Whether a person has rejected it. */
  readonly isCancelled: boolean;
}

/** An event as it is kept with the run. */
export interface RecordedEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A place that people have a say in. */
export interface Review {
  /** What is asked now. */
  question: RequirementData | null;
  isConfirmed: boolean;
  userInput: Readonly<Record<string, unknown>> | null;
  /** Of a router. */
  selected: readonly string[] | null;
  /** Of a condition that was refused: the other branch, without asking the evaluator. */
  usesElseBranch: boolean;
  /** What is under review. */
  output: StepOutput | null;
  /** Usage of an executor when it last asked: its result, if any, includes it. */
  paused: StepExecutionData | null;
  feedback: RetryFeedback | null;
  retryCount: number;
}

export interface RunRequest {
  /** Absent: none was given. */
  readonly input?: unknown;
  readonly additionalData: Readonly<Record<string, unknown>>;
  readonly media: MediaSet;
  readonly sessionId: string;
  readonly userId: string | null;
  /** Of those that the run was given, what is plain data. See `run-dependencies.ts`. */
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether events of steps are shown. */
  readonly showsSteps: boolean;
  /** Whether events that executors say are shown. */
  readonly showsExecutors: boolean;
  /** Position of a nested pipeline in its parent. `null` for a top-level run, which has its own session. */
  readonly nesting: Nesting | null;
}

export interface Nesting {
  /** 1 in the first one inside. */
  readonly depth: number;
  /** The run around all. */
  readonly rootRunId: string;
  /** The step around it, and the visit of its run in which it was started. */
  readonly parentStepId: string;
  readonly parentStep: Pick<StepExecutionData, "stepName" | "executorType" | "executorName">;
  readonly parentRunId: string;
  readonly parentVisit: number;
  readonly parentPlace: Place;
  /** How long steps of one nested run may be at work: the least that the steps around it allow. Null: as long as they like. */
  readonly timeoutMs: number | null;
  /** The run around it keeps events. */
  readonly storesEvents: boolean;
}

/** A group of steps that is under way. */
export interface Frame {
  /** Of the container; null for the pipeline itself. */
  readonly node: string | null;
  /** The group around it, and which of its queue the container is. */
  readonly parent: string | null;
  readonly at: number;
  /** Positions of the children that run: one after the other, or all at once in a Parallel. */
  readonly queue: number[];
  /** Names of those steps: a process that resumes the run checks that they exist. */
  readonly names: readonly string[];
  /** Of the queue so far. In a Parallel null where a branch is not done. */
  readonly outputs: PagedList<StoredOutput | null>;
  /** Of a Loop: which of the outputs each of its iterations begins with. */
  readonly starts: PagedList<number>;
  readonly branch: "if" | "else" | null;
  /** Only of a Loop whose iterations see the outputs of those before. */
  readonly forwards?: true;
  /** Of an isolated Parallel. See `branch-state.ts`. */
  branchStates?: BranchStates;
}

/** The session state as each branch of an isolated Parallel has it. */
export interface BranchStates {
  /** What all of them began with. */
  readonly base: Readonly<Record<string, unknown>>;
  /** By their place in the queue, where they have changed something. */
  readonly branches: Record<number, BranchState>;
  readonly count: number;
}

export interface BranchState {
  readonly session: Record<string, unknown>;
  /** Numbers that it has only counted. */
  readonly counted: Record<string, true>;
  readonly lists?: ListRecord;
}

/** Where a node runs. */
export interface Place {
  readonly frame: string;
  readonly at: number;
}

/**
 * What comes next: a node is entered, an iteration or a branch of a Parallel is over, people are asked, or a question of theirs is
 * removed, the run has ended.
 */
export interface Step extends Place {
  readonly to: "enter" | "again" | "gather" | "ask" | "withdraw" | "converse" | "finish";
  readonly node: string;
}

export interface Move extends Step {
  /** Its own number; of a branch that is over, that of its last visit. */
  readonly visit: number;
}
