/**
 * The contract of executors: agents, teams, and whatever else does the work of a step.
 *
 * @module
 */
import type { Context } from "millrace";
import type { MediaSet } from "../media/media.types.js";
import type { StepMetricsData } from "../metrics/metrics.types.js";
import type { SessionState } from "../session/session-state.types.js";

/** Values by name, of unknown types. */
export type Values = Readonly<Record<string, unknown>>;

export interface EditOptions {
  /** Names the edit within its step, for steps whose attempts edit in different orders. */
  readonly key?: string;
}

/**
 * Facts about the run for a step, besides its input. `sessionState` is one live object that functions, evaluators,
 * selectors, agents and tools share: each sees the changes of the others at once, and they are stored with the result
 * of the step.
 */
export interface RunContext<
  State extends object = SessionState,
  Dependencies extends object = Values,
  Metadata extends object = Values,
> {
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  /** Live session state. Assigning another object replaces its content. */
  sessionState: State;
  /**
   * Edits the state exclusively: no other code reads or writes it meanwhile, also if the callback awaits. For values that
   * parallel branches share.
   *
   * An edit that was stored is not made again when the step runs again: its result is given. Edits are matched by their
   * `key`, and those without one by their position among the edits of the step.
   */
  editState<Result>(edit: (state: State) => Result | Promise<Result>, options?: EditOptions): Promise<Result>;
  /** A plain copy of the present state, for `structuredClone`, workers, and other code that needs plain data. */
  snapshot(): State;
  /** Dependencies of the pipeline with those of the run merged over them. The objects are not copied. */
  readonly dependencies: Readonly<Dependencies>;
  readonly metadata: Readonly<Metadata>;
  /** Number of the innermost enclosing loop's iteration, from 0; `null` outside of loops of this pipeline. */
  readonly iteration: number | null;
  /** Aborts when the run is cancelled, or the step has failed or timed out. */
  readonly signal: AbortSignal;
  /**
   * Identifies the piece of work: equal in all its attempts, also in another process; different in each iteration of a
   * loop.
   */
  readonly idempotencyKey: string;
  /**
   * Shows an event of your own to readers of the stream.
   *
   * @throws {WorkflowError} `OPTION_INVALID` for the name of one of the pipeline's own events, and for data that is not
   * an object.
   */
  emit(name: string, data?: Readonly<Record<string, unknown>>): void;
}

export interface ExecutorRequest extends MediaSet {
  readonly input: unknown;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly sessionState: SessionState;
  readonly runContext: RunContext;
  readonly stream?: (event: { readonly event: string }) => void;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  /**
   * Context of the step, with its own keys. Calls of `ctx.run` are recorded: when the step runs again, after a crash or a retry, they are
   * not repeated. `ctx.ask` asks a person: the run is `PAUSED` when it has no other work.
   */
  readonly ctx: Context;
  /**
   * The run context of one call of `ctx.run`. What the call changes through it in the session state is stored with the result of the
   * call, so that a step that runs again finds it.
   */
  readonly callContext: (call: CallOfStep) => RunContext;
  /**
   * Reports all that the call has used so far. The last report counts if the step ends without a result of the call: its time is up,
   * its run ends, or it throws.
   */
  readonly report?: (metrics: StepMetricsData) => void;
}

/** The argument of a function of `ctx.run`. */
export interface CallOfStep {
  readonly signal: AbortSignal;
}

/** A tool call that needs the permission of a person. */
export interface ToolRequirement {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
}

export interface ToolAnswer {
  readonly toolCallId: string;
  readonly approved: boolean;
  /** Reason for the answer, for the model to read. */
  readonly note: string | null;
  /** Arguments to call the tool with, in place of those of the model. */
  readonly input?: unknown;
  /** Result of a tool that whoever watches runs. */
  readonly output?: unknown;
}

export interface ExecutorResult extends Partial<MediaSet> {
  readonly runId: string;
  readonly content: unknown;
  readonly metrics: StepMetricsData | null;
  readonly status: "COMPLETED" | "ERROR" | "CANCELLED";
  readonly error: unknown;
}

/** An agent or a team, in the shape that `@millrace/agents` has. */
export interface Executor {
  readonly kind: "agent" | "team";
  readonly name: string;
  /** Of a team: who works in it, for drawings. */
  readonly members?: readonly ExecutorMember[];
  execute(request: ExecutorRequest): Promise<ExecutorResult>;
}

export interface ExecutorMember {
  readonly kind: "agent" | "team";
  readonly name: string;
  readonly members?: readonly ExecutorMember[];
}

/** Decides whether a conversational pipeline runs, or answers from earlier runs. */
export interface ConversationalAgent {
  readonly kind: "pipeline-agent";
  readonly name: string;
  /** `true`: the agent gets earlier runs of the session. */
  readonly addHistory: boolean;
  /** How many earlier runs; `null` for all. */
  readonly numHistoryRuns: number | null;
  decide(request: DecideRequest): Promise<DecideResult>;
}

export interface DecideRequest extends ExecutorRequest {
  readonly pipelineDescription: string | null;
  /** Earlier runs as a block of text; `null` when there are none, or none are requested. */
  readonly history: string | null;
}

export interface DecideResult extends ExecutorResult {
  /** Input for the pipeline; `null` when `content` is the answer. */
  readonly query: string | null;
}
