import type { ExecutorResult } from "./executor.types.js";
import type { Media } from "./media.types.js";
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
  readonly content: Output;
  readonly sessionId: string;
  readonly userId: string | null;
  /** A copy of the state as the run left it. */
  readonly sessionState: SessionState;
}
