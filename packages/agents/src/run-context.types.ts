import type { SessionState } from "@millrace/pipeline/executor";

export type { SessionState } from "@millrace/pipeline/executor";

/**
 * What instructions and tools know of their run. Inside a pipeline it has everything the pipeline's own context has, too,
 * and `runId` is the pipeline's.
 */
export interface RunContext {
  readonly runId: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** One live object: a change is seen at once by everybody. Assigning another object replaces its content. */
  sessionState: SessionState;
  /**
   * Changes the state alone: no other `editState` of the run comes in between, also where the callback awaits. The callback gets a
   * copy, which counts when it returns. What it adds to a number that it has read is added up with what overlapping runs add.
   */
  editState<Result>(edit: (state: SessionState) => Result | Promise<Result>): Promise<Result>;
  /** A plain copy of the state as it is now. */
  snapshot(): SessionState;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}
