/**
 * What can do the work of a step.
 *
 * @module
 */
import type { Workflow } from "millrace";
import type { Media, MediaSet } from "../data/media.types.js";
import type { StepMetricsData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";

/** What the steps, agents and tools of a session share: plain data. */
export type SessionState = Record<string, any>;

/**
 * What a step knows of its run besides its input. State that functions, evaluators, selectors, agents and tools share is
 * `sessionState`: one live object, in which a change is seen at once by all of them and stored with the step's result.
 */
export interface RunContext<State extends object = SessionState> {
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  /** Assigning another object replaces the content of the shared one. */
  sessionState: State;
  /**
   * Changes the state alone: nobody reads or writes it in between, also where the callback awaits. For values that parallel
   * branches share.
   */
  editState<Result>(edit: (state: State) => Result | Promise<Result>): Promise<Result>;
  /** A plain copy of the state as it is now: for `structuredClone`, workers, and whatever else takes no live objects. */
  snapshot(): State;
  /** Those of the pipeline, and over them those of the run: the objects themselves. */
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of the innermost loop around, from 0. Null: there is none in this pipeline. */
  readonly iteration: number | null;
  /** Aborts when the run is cancelled, or the step has failed or timed out. */
  readonly signal: AbortSignal;
  /** The same in every attempt at this piece of work, also in another process; a new one each time a loop comes to it again. */
  readonly idempotencyKey: string;
  /**
   * Shows an event of your own to readers of the stream.
   *
   * @throws {WorkflowError} `EVENT_TYPE_TAKEN` for a name of the pipeline's own events; `OPTION_INVALID` for data that is no object.
   */
  emit(name: string, data?: Readonly<Record<string, unknown>>): void;
}

/** A function may name the type of the state that it shares. */
export type AnyRunContext = RunContext<any>;

/** May be a generator: text it yields becomes the content, piece by piece. */
export type StepFunction = (input: StepInput, context: AnyRunContext) => unknown;

export interface ExecutorRequest {
  readonly input: unknown;
  readonly images: readonly Media[];
  readonly videos: readonly Media[];
  readonly audio: readonly Media[];
  readonly files: readonly Media[];
  readonly sessionId: string;
  readonly userId: string | null;
  readonly sessionState: SessionState;
  readonly runContext: RunContext;
  readonly stream?: (event: { readonly event: string }) => void;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  /** The run that an earlier call has paused goes on. */
  readonly resume?: ExecutorResume;
}

/** A call of a tool that a person has to allow. */
export interface ToolRequirement {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
}

export interface ToolAnswer {
  readonly toolCallId: string;
  readonly approved: boolean;
  /** Why; the model is told. */
  readonly note: string | null;
}

/** Why an executor has paused, and what it needs to go on. */
export interface ExecutorPause {
  readonly requirements: readonly ToolRequirement[];
  /** Plain data that only the executor reads: what it has done so far. */
  readonly state: unknown;
}

export interface ExecutorResume {
  readonly state: unknown;
  /** One for each requirement. */
  readonly answers: readonly ToolAnswer[];
}

export interface ExecutorResult extends Partial<MediaSet> {
  readonly runId: string;
  readonly content: unknown;
  readonly metrics: StepMetricsData | null;
  readonly status: "COMPLETED" | "ERROR" | "PAUSED" | "CANCELLED";
  readonly error: unknown;
  /** Of a run that is `PAUSED`. */
  readonly pause?: ExecutorPause | null;
}

/** An agent or a team, as `@millrace/agents` has them. */
export interface Executor {
  readonly kind: "agent" | "team";
  readonly name: string;
  /** It has tools that a person must allow. @default false */
  readonly canPause?: boolean;
  execute(request: ExecutorRequest): Promise<ExecutorResult>;
}

/** Decides for a conversational pipeline whether it runs, or the answer is known from earlier runs. */
export interface ConversationalAgent {
  readonly kind: "pipeline-agent";
  readonly name: string;
  /** Shows it earlier runs of the session. */
  readonly addHistory: boolean;
  /** How many. Null: all. */
  readonly numHistoryRuns: number | null;
  decide(request: DecideRequest): Promise<DecideResult>;
}

export interface DecideRequest extends ExecutorRequest {
  readonly pipelineDescription: string | null;
  /** Earlier runs as a block of text. Null: there are none, or none are wanted. */
  readonly history: string | null;
}

export interface DecideResult extends ExecutorResult {
  /** What the pipeline is to run with. Null: `content` is the answer. */
  readonly query: string | null;
}

/** A workflow of the core as a step: it gets the message as `input`. */
export type CoreWorkflow = Workflow<any>;
