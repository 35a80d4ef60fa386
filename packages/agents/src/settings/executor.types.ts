/**
 * How a pipeline step or a team calls an agent or a team. The part that pipelines use is in
 * `@millrace/pipeline/executor`; agents accept less and return more.
 *
 * @module
 */

import type {
  ExecutorEvent,
  ExecutorPause,
  ExecutorResume,
  MediaSet,
  StepMetricsData,
  ToolExecution,
} from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { WorkflowError } from "millrace";
import type { RunContext, SessionState } from "./run-context.types.js";

export interface ExecutorRequest extends Partial<MediaSet> {
  /** Text, or structured data, which becomes JSON text. */
  readonly input: unknown;
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  /** Live state object of the caller, read and changed in place. The executor loads and saves no session of its own. */
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
  /** Takes what the run has used so far: all that is known of it if it ends without a result. */
  readonly report?: (metrics: StepMetricsData) => void;
  /** Run id of the team that calls a member. */
  readonly parentRunId?: string;
  /** Continues a run that an earlier call has paused. `input`, media and `history` are then those of the earlier call. */
  readonly resume?: ExecutorResume;
}

export type ExecutorStatus = "COMPLETED" | "ERROR" | "PAUSED" | "CANCELLED";

export interface ExecutorResult extends MediaSet {
  readonly runId: string;
  /** Text, or the parsed answer where there is an output schema. `null` unless the run has completed. */
  readonly content: unknown;
  /** `"object"` with an output schema, else `"text"`. */
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
  /** Set when `status` is `ERROR` or `CANCELLED`. It says whether and when to retry. */
  readonly error: WorkflowError | null;
  /** Set when `status` is `PAUSED`: the questions for a person and the progress, as plain data. */
  readonly pause: ExecutorPause | null;
  /** Why the model stopped, in the words of the AI SDK; `null` when the model did not answer. */
  readonly finishReason: string | null;
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
  /** Tells a team's leader what the member is for. */
  readonly role?: string | undefined;
  readonly description?: string | undefined;
  /** `true` when some tool needs the permission of a person. @default false */
  readonly canPause?: boolean;
  /** Never rejects: a failure is part of the result. */
  execute(request: ExecutorRequest): Promise<ExecutorResult>;
}

/** An agent, a team or another executor as a member of a team. */
export interface Member {
  /** The name by which the leader calls the member. */
  readonly id: string;
  readonly executor: Executor;
}
