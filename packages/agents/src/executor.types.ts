/**
 * How a pipeline step, or a team, has an agent or a team do its work. What pipelines know of it is in
 * `@millrace/pipeline/executor`; agents take less and give more.
 *
 * @module
 */
import type { ModelMessage } from "ai";
import type { WorkflowError } from "millrace";
import type { ExecutorEvent, ToolExecution } from "./events.types.js";
import type { ExecutorPause, ExecutorResume, Media, MediaSet, StepMetricsData } from "@millrace/pipeline/executor";
import type { RunContext, SessionState } from "./run-context.types.js";

export interface ExecutorRequest {
  /** Text, or structured data that becomes JSON text. */
  readonly input: unknown;
  readonly images?: readonly Media[];
  readonly videos?: readonly Media[];
  readonly audio?: readonly Media[];
  readonly files?: readonly Media[];
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  /** The caller's live object: read and written in place. The executor loads and saves no session of its own. */
  readonly sessionState: SessionState;
  /** The caller's. Tools see it, with `sessionState` being the one above. */
  readonly runContext?: Partial<RunContext>;
  /** Messages that come before the input. */
  readonly history?: readonly ModelMessage[];
  /** Gets every event; the model is then asked to stream. */
  readonly stream?: (event: ExecutorEvent) => void;
  readonly signal: AbortSignal;
  /** The same in every attempt at this piece of work. Tools get one made from it for each of their calls. */
  readonly idempotencyKey: string;
  /** The team's run, for its members. */
  readonly parentRunId?: string;
  /** The run that an earlier call has paused goes on; `input`, media and `history` are those of that call. */
  readonly resume?: ExecutorResume;
}

export type ExecutorStatus = "COMPLETED" | "ERROR" | "PAUSED" | "CANCELLED";

export interface ExecutorResult extends MediaSet {
  readonly runId: string;
  /** Text, or what the output schema made of it. `null` unless completed. */
  readonly content: unknown;
  readonly contentType: "text" | "object";
  /** Of all model calls, also those of a run that failed, of a team's members, and before a pause. */
  readonly metrics: StepMetricsData;
  /** The input and what followed, as plain data; media are named, not included. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolExecution[];
  /** A team's: what its members did, in the order in which they ended. */
  readonly memberRuns: readonly MemberRun[];
  readonly status: ExecutorStatus;
  /** Set when `status` is `ERROR` or `CANCELLED`. It says whether and when to try again. */
  readonly error: WorkflowError | null;
  /** Set when `status` is `PAUSED`: what a person has to answer. Plain data. */
  readonly pause: ExecutorPause | null;
  /** Why the model stopped, as the AI SDK says it; `null` when it did not get so far. */
  readonly finishReason: string | null;
}

/** A member's run, as its team's result shows it. */
export interface MemberRun extends ExecutorResult {
  readonly memberId: string;
  readonly memberName: string;
  readonly task: string;
}

/** An agent, a team, or anything of yours that works like one. */
export interface Executor {
  readonly kind: "agent" | "team";
  readonly name: string;
  /** What a team's leader is told about the member. */
  readonly role?: string | undefined;
  readonly description?: string | undefined;
  /** It has tools that a person must allow. @default false */
  readonly canPause?: boolean;
  /** Never rejects: what goes wrong is in the result. */
  execute(request: ExecutorRequest): Promise<ExecutorResult>;
}

/** An agent, a team or another executor as a member of a team. */
export interface Member {
  /** What the leader calls it. */
  readonly id: string;
  readonly executor: Executor;
}
