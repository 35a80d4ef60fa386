import type { ConversationalAgent, MediaLists, SessionReducers, SessionState, SharedState } from "@millrace/executor";
import type { IndexValue, LimitOptions, StandardSchema } from "millrace";
import type { RunListing, RunStore } from "millrace/runtime";
import type { StepLike } from "../nodes/containers.js";

/**
 * `State` is the session state; `Given` is what the `inputSchema` accepts, `Input` what it returns, and `Output` what the
 * `outputSchema` returns.
 */
export interface PipelineOptions<
  State extends object = SessionState,
  Input = unknown,
  Given = Input,
  Output = unknown,
> {
  readonly name: string;
  /** @default the name in lower case, with `-` for spaces */
  readonly id?: string;
  readonly description?: string;
  /** Steps and groups of steps, which run one after the other. */
  readonly steps: readonly StepLike[];
  /** Where runs and sessions are kept. @default in memory */
  readonly store?: RunStore;
  /**
   * Session of the runs that name no session. A service for several users must set a separate session for the runs of
   * each user.
   *
   * @default a new id for each pipeline object
   */
  readonly sessionId?: string;
  /** User of the runs that name no user. */
  readonly userId?: string;
  /** Initial state of a new session. It is never changed. */
  readonly sessionState?: Readonly<State>;
  /**
   * How to merge a field of the session state that two concurrent runs, or two isolated branches, have both changed; by
   * name of the field.
   *
   * @default the later change wins; numbers changed only through `editState` are added up, objects and lists are merged
   */
  readonly reducers?: SessionReducers<State>;
  /**
   * `true`: the `sessionState` of a run, over the option `sessionState`, replaces the stored state.
   * @default false: it is merged into the stored state
   */
  readonly overwriteDbSessionState?: boolean;
  /**
   * What of the input finds its runs, by name: a text, a number, a boolean, null, or a list of texts. `input` is that of the run, after
   * the `inputSchema`. A start whose index throws or is of another kind is refused with `EVENT_INVALID`.
   *
   * @default nothing
   */
  readonly index?: { readonly [name: string]: (input: Input) => IndexValue };
  /** Checks and completes the input first. */
  readonly inputSchema?: StandardSchema<Given, Input>;
  /**
   * Checks and completes the content at the end. A run with invalid content fails with `OUTPUT_INVALID`. Text that is
   * invalid as it is, is parsed as JSON. Cannot be combined with `agent`, which returns its own answers.
   */
  readonly outputSchema?: StandardSchema<unknown, Output>;
  /**
   * Values for steps, agents and their tools, such as the client of a service. Never copied or stored: each process
   * uses those of its `Pipeline` object. The dependencies of a run are merged over them.
   */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Merged over the metadata of a run, and stored with a new session. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * Limits by name, which all runs of this object share. Each attempt of a call takes a place of the limit that it names:
   * `limit` of agents and tools, and of `ctx.run` in executors. A nested pipeline has its own.
   * @default none
   */
  readonly limits?: Readonly<Record<string, LimitOptions>>;
  /** Puts earlier runs of the session before the messages of agents and teams. @default false */
  readonly addWorkflowHistoryToSteps?: boolean;
  /** Number of these runs, 0 to 1,000. @default all */
  readonly numHistoryRuns?: number;
  /** Answers from earlier runs or runs the pipeline: a `PipelineAgent` of `@millrace/agents`. */
  readonly agent?: ConversationalAgent;
  /** Default of the option of `run`. @default false */
  readonly streamEvents?: boolean;
  /** Default of the option of `run`. @default true */
  readonly streamExecutorEvents?: boolean;
  /** Stores all events of a run with it, even without readers of its stream: `output.events`. @default false */
  readonly storeEvents?: boolean;
  /** Names of events that are not stored. They are still streamed. @default none */
  readonly eventsToSkip?: readonly string[];
  /** Stores what agents, teams and nested pipelines did: `output.stepExecutorRuns`. @default true */
  readonly storeExecutorOutputs?: boolean;
  /**
   * Whether callers of a server may set the session state when they fork a run, as `state: { session: { … } }`. Nothing
   * else of a pipeline can be set from outside.
   * @default true
   */
  readonly forkState?: boolean;
}

export interface PipelineRunOptions<State extends object = SessionState> extends MediaLists {
  /** @default a new unique id */
  readonly runId?: string;
  /** @default the option of the pipeline */
  readonly sessionId?: string;
  /** An empty text counts as absent. @default the option of the pipeline */
  readonly userId?: string;
  /** Merged into the stored state. */
  readonly sessionState?: Readonly<Partial<SharedState<State>>>;
  /** The same value for every step, unchanged. */
  readonly additionalData?: Readonly<Record<string, unknown>>;
  /**
   * Values for the steps, which get the objects themselves in this process. Plain data among them is stored with the
   * run, for a process that resumes it. Pass other values to that process: in the options of the pipeline, of
   * `continueRun` or of `handle`.
   */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * Streams the start and end of steps and groups, and all events of agents and teams.
   * @default the option of the pipeline
   */
  readonly streamEvents?: boolean;
  /** Streams text of agents, teams and generators. @default the option of the pipeline */
  readonly streamExecutorEvents?: boolean;
}

export interface HandleOptions {
  /** Like the option of `run`. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
}

/** Filter for the runs of a pipeline. */
export interface RunQuery {
  readonly sessionId?: string;
  readonly userId?: string;
  readonly status?: RunListing["status"];
  /** Maximum number of runs: 1 to 1,000. @default 100 */
  readonly limit?: number;
  /** The `cursor` of the previous page. */
  readonly cursor?: string;
}

/** Arguments of `run`. With an `inputSchema`: its input, or the input as JSON text. Otherwise anything, or nothing. */
export type RunArguments<Given, State extends object = SessionState> = unknown extends Given
  ? [input?: unknown, options?: PipelineRunOptions<State>]
  : [input: Given | string, options?: PipelineRunOptions<State>];
