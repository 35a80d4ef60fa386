/**
 * What the core store of a pipeline run holds: plain data, changed in place inside `editState` only.
 *
 * @module
 */

import type { HistoryRun } from "../data/history-text.js";
import type { MediaSet } from "../data/media.types.js";
import type { StepOutput } from "../data/step-output.types.js";

export interface PipelineState {
  /** What the run was asked for. */
  readonly request: RunRequest;
  /** Earlier runs of the session, oldest first. */
  readonly history: readonly HistoryRun[];
  /** The session state as this run has it. */
  session: Record<string, unknown>;
  /** What that was at the start: what the run has changed is the difference. */
  readonly sessionAtStart: Readonly<Record<string, unknown>>;
  /** Why the run ends without a result. */
  failure: { readonly stepName: string | null; readonly message: string } | null;
  /** Groups of steps under way, by their key: `"0"` is the pipeline itself. */
  frames: Record<string, Frame>;
  /** How many places the run has come to. */
  visits: number;
  /**
   * Where the run went on from visits whose result is in the frames already: a core step that dies between its edit and its end
   * runs again, and must not do so on what it has changed itself. Taken away by whatever comes next.
   */
  moved: Record<number, Move[]>;
}

export interface RunRequest {
  readonly input: unknown;
  readonly additionalData: Readonly<Record<string, unknown>>;
  readonly media: MediaSet;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of a pipeline that is a step of another: the session state that both share. Null: the run has a session of its own. */
  readonly shared: Readonly<Record<string, unknown>> | null;
  /** Whether events of steps are shown. */
  readonly showsSteps: boolean;
  /** Whether events that executors say are shown. */
  readonly showsExecutors: boolean;
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
  /** Of the queue so far. In a Parallel null where a branch is not done. */
  outputs: (StepOutput | null)[];
  /** Of a Loop: the iterations before. */
  readonly iterations: StepOutput[][];
  readonly branch: "if" | "else" | null;
}

/** Where a node runs. */
export interface Place {
  readonly frame: string;
  readonly at: number;
}

/** What comes next: a node is entered, an iteration or a branch of a Parallel is over, the run is. */
export interface Step extends Place {
  readonly to: "enter" | "again" | "gather" | "finish";
  readonly node: string;
}

export interface Move extends Step {
  /** Its own number, and that of the visit that it comes from. */
  readonly visit: number;
  readonly from: number;
}
