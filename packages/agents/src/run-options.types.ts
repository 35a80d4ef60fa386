import type { ExecutorResult, ExecutorStatus } from "./executor.types.js";
import type { ExecutorPause, Media, ToolAnswer } from "@millrace/pipeline/executor";
import type { SessionState } from "./run-context.types.js";

/** Per run; each wins over the option of the same name of the agent or team. */
export interface AgentRunOptions {
  /** @default a new id */
  readonly runId?: string;
  /** Continues that session. @default the executor's own `sessionId` */
  readonly sessionId?: string;
  /** An empty text counts as none. */
  readonly userId?: string;
  /** Merged into the stored state; with `overwriteDbSessionState` it replaces it. */
  readonly sessionState?: SessionState;
  readonly images?: readonly Media[];
  readonly videos?: readonly Media[];
  readonly audio?: readonly Media[];
  readonly files?: readonly Media[];
  /** Merged over the executor's: the run's win. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Merged under the executor's: the executor's win. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Cancels the run. What tools have changed by then is saved. */
  readonly signal?: AbortSignal;
  /** Tools get keys made from it. The same for two attempts at one piece of work. @default the run's id */
  readonly idempotencyKey?: string;
}

/** What `run` gives. */
export interface AgentRun<Output = string> extends ExecutorResult {
  /** `null` where `status` is `PAUSED`. */
  readonly content: Output;
  readonly sessionId: string;
  readonly userId: string | null;
  /** A copy of the state as the run left it. */
  readonly sessionState: SessionState;
}

/** What `continueRun` goes on with: the {@link AgentRun}, the `RunPaused` event, or their ids where a store has the run. */
export interface PausedRun {
  readonly runId: string;
  /** @default the executor's own `sessionId` */
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  readonly status?: ExecutorStatus;
  /** @default what the session has stored */
  readonly pause?: ExecutorPause | null;
  /** The state to go on with where no store has one. */
  readonly sessionState?: SessionState | null;
}

/** What a person says to a call of a tool. */
export type CallAnswer = Pick<ToolAnswer, "toolCallId" | "approved"> & {
  /** Why; the model is told. */
  readonly note?: string | null;
};

/** The run id, the input, media and history are those of the run that was paused. */
export type ContinueOptions = Pick<AgentRunOptions, "sessionState" | "dependencies" | "metadata" | "signal">;
