/**
 * How a pipeline step or a team calls an agent or a team. The part that pipelines use is in
 * `@millrace/executor`; agents accept less and return more.
 *
 * @module
 */

import type {
  CallOfStep,
  ExecutorEvent,
  ExecutorPause,
  MediaSet,
  StepMetricsData,
  ToolExecution,
} from "@millrace/executor";
import type { ModelMessage } from "ai";
import type { Context, WorkflowError } from "millrace";
import type { RunContext, SessionState } from "./run-context.types.js";

export interface ExecutorRequest extends Partial<MediaSet> {
  /** Text, or structured data, which becomes JSON text. */
  readonly input: unknown;
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  /** Live state object of the caller, read and changed in place. The executor does not load or save a session. */
  readonly sessionState: SessionState;
  /** Run context of the caller. Tools see it with `sessionState` replaced by the field above. */
  readonly runContext?: Partial<RunContext>;
  /** Messages before the input. */
  readonly history?: readonly ModelMessage[];
  /** Receives every event; the model call then streams. */
  readonly stream?: (event: ExecutorEvent) => void;
  readonly signal: AbortSignal;
  /** Identifies the piece of work: the same in each of its attempts. The key of every tool call is derived from it. */
  readonly idempotencyKey: string;
  /** Run id of the team that calls a member. */
  readonly parentRunId?: string;
  /** Reports all that the call has used so far, after each model call. */
  readonly report?: (metrics: StepMetricsData) => void;
}

/** How a step calls an agent or a team: with its context, in which each model call and tool call is recorded. */
export interface StepRequest extends ExecutorRequest {
  readonly ctx: Context;
  /** The run context of one call of `ctx.run`, whose changes are stored with its result. @default `runContext` */
  readonly callContext?: CallContext;
}

type CallContext = (call: CallOfStep) => RunContext;

/**
 * How a team calls a member that is an object of yours. One that does not read `ctx` is one recorded call of the team's step. One that
 * reads it works in the step: `ctx.run` records a call, `ctx.ask` asks a person. Such a member starts over with its step, and finds its calls.
 */
export interface MemberRequest extends StepRequest {
  readonly callContext: CallContext;
}

export type ExecutorStatus = "COMPLETED" | "ERROR" | "PAUSED" | "CANCELLED";

export interface ExecutorResult extends MediaSet {
  readonly runId: string;
  /** Text, or the parsed answer where there is an output schema. `null` unless the run has completed. */
  readonly content: unknown;
  /** `"object"` with an output schema, otherwise `"text"`. */
  readonly contentType: "text" | "object";
  /** Sum over all model calls: also those of a failed run, of team members, and before a pause. */
  readonly metrics: StepMetricsData;
  /** The input and all later messages, as plain data. Media are named, not included. */
  readonly messages: readonly ModelMessage[];
  /** All tool calls of the run, in order. */
  readonly tools: readonly ToolExecution[];
  /** Results of a team's members, in the order in which they ended. */
  readonly memberRuns: readonly MemberRun[];
  readonly status: ExecutorStatus;
  /** Set if `status` is `ERROR` or `CANCELLED`. Its fields control retries. */
  readonly error: WorkflowError | null;
  /** Set when `status` is `PAUSED`: the questions for a person and the progress, as plain data. */
  readonly pause: ExecutorPause | null;
  /** Why the model stopped, in the words of the AI SDK; `null` when the model did not answer. */
  readonly finishReason: string | null;
}

/** A run in a step has ended: a question to a person is one of the step. */
export interface StepResult extends ExecutorResult {
  readonly status: Exclude<ExecutorStatus, "PAUSED">;
  readonly pause: null;
}

/** The run of a member in the result of its team. */
export interface MemberRun extends ExecutorResult {
  readonly memberId: string;
  readonly memberName: string;
  readonly task: string;
}

/** An agent, a team, or your own object with the same interface. */
export interface Executor {
  readonly kind: "agent" | "team";
  readonly name: string;
  /** Describes the member to the leader of a team. */
  readonly role?: string | undefined;
  readonly description?: string | undefined;
  /** Never rejects: a failure is part of the result. */
  execute(request: MemberRequest): Promise<ExecutorResult>;
}

/** An agent, a team or another executor as a member of a team. */
export interface Member {
  /** The name by which the leader calls the member. */
  readonly id: string;
  readonly executor: Executor;
}
