import type { ExecutorPause, MediaSet, ToolAnswer } from "@millrace/executor";
import type { ModelMessage } from "ai";
import type { Context } from "millrace";
import type { ExecutorResult, ExecutorStatus } from "./executor.types.js";
import type { SessionState } from "./run-context.types.js";

/** Options of one run. Each wins over the option of the same name of the agent or team. */
export interface AgentRunOptions extends Partial<MediaSet> {
  /** Id of the run. @default a new id */
  readonly runId?: string;
  /** Id of the session to continue or to create. @default the `sessionId` of the agent or team */
  readonly sessionId?: string;
  /** Id of the user. An empty text counts as absent. */
  readonly userId?: string;
  /** Merged into the stored state; with `overwriteDbSessionState` it replaces the stored state. */
  readonly sessionState?: SessionState;
  /** Merged with the dependencies of the agent or team; the values given here win. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Merged with the metadata of the agent or team; the values given here lose. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Cancels the run. What tools that have ended have changed is saved. */
  readonly signal?: AbortSignal;
  /**
   * The keys of tool calls are derived from it. Use the same key for every attempt of one piece of work.
   * @default the run id
   */
  readonly idempotencyKey?: string;
}

/**
 * Options of a run inside of a step. Its calls are recorded with the step, and its questions are prompts of the run.
 */
export interface StepRunOptions
  extends Pick<
    AgentRunOptions,
    "sessionId" | "userId" | "dependencies" | "metadata" | "images" | "videos" | "audio" | "files"
  > {
  /** Context of the step, which has to declare nothing for it. */
  readonly ctx: Context;
  /** Distinguishes this run from others of the same agent in the step. @default the id of the agent */
  readonly key?: string;
  /**
   * Path in the state of the workflow that keeps the session state: `"session"`. Without it, tools cannot change any.
   */
  readonly statePath?: string;
  /** Messages before the input. */
  readonly history?: readonly ModelMessage[];
}

/** Result of `run`. */
export interface AgentRun<Output = string> extends ExecutorResult {
  /** Name of the agent that has answered: another one after a handoff. */
  readonly agent: string;
  /** Text, or the parsed answer where there is an output schema. `null` when `status` is `PAUSED`. */
  readonly content: Output;
  readonly sessionId: string;
  readonly userId: string | null;
  /** A copy of the state at the end of the run. */
  readonly sessionState: SessionState;
}

/**
 * The run to continue: an {@link AgentRun}, a `RunPaused` event, or just their ids where a session store has the run,
 * paused or failed.
 */
export interface PausedRun {
  readonly runId: string;
  /** Id of the session. @default the `sessionId` of the agent or team */
  readonly sessionId?: string | null;
  readonly userId?: string | null;
  readonly status?: ExecutorStatus;
  /** The open questions and the progress. @default the pause that the session has stored */
  readonly pause?: ExecutorPause | null;
  /** The state to continue with when there is no session store. */
  readonly sessionState?: SessionState | null;
}

/** The answer of a person to a tool call. */
export type CallAnswer = Pick<ToolAnswer, "toolCallId" | "approved"> & {
  /** Reason for the answer, for the model to read. */
  readonly note?: string | null;
  /** Arguments to call the tool with, in place of those of the model. */
  readonly input?: unknown;
  /** Result of a tool without `execute`. */
  readonly output?: unknown;
  /** Fields for a question of a member of yours whose schema is its own, in place of all the others. */
  readonly values?: Readonly<Record<string, unknown>>;
};

/** Options for continuing. The run id, the input, the media and the history are those of the run. */
export type ContinueOptions = Pick<AgentRunOptions, "sessionState" | "dependencies" | "metadata" | "signal">;
