import type { EditOptions, SessionState } from "@millrace/executor";

export type { EditOptions, SessionState } from "@millrace/executor";

/**
 * Facts about a run for its instructions and tools. Inside a pipeline it has all fields of the pipeline's run context as
 * well, and `runId` is the id of the pipeline's run.
 */
export interface RunContext {
  readonly runId: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** Live session state, shared by everything in the run. Assigning another object replaces its content. */
  sessionState: SessionState;
  /**
   * Edits the state exclusively: no other `editState` of the run starts before the callback has ended, also when it
   * awaits. The callback gets a copy, which takes effect when the callback returns. What it adds to a number is added
   * to what concurrent runs add.
   *
   * In a pipeline, an edit that was stored is not made again when the step runs again: its result is given. Edits of a
   * tool are matched by the call and their `key`, and those without one by their position in the call.
   */
  editState<Result>(edit: (state: SessionState) => Result | Promise<Result>, options?: EditOptions): Promise<Result>;
  /** A plain copy of the present state. */
  snapshot(): SessionState;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}
