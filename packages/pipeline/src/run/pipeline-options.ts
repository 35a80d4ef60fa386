import type { StandardSchema } from "millrace";
import type { RunStore } from "millrace/runtime";
import type { MediaLists } from "../data/media.js";
import type { StepLike } from "../nodes/containers.js";
import type { ConversationalAgent, SessionState } from "../nodes/executor.types.js";
import type { SessionReducers } from "../session/reducers.js";

/** `Input` and `Given`: what its `inputSchema` gives and takes. `Output`: what its `outputSchema` gives. */
export interface PipelineOptions<Input = unknown, Given = Input, Output = unknown> {
  readonly name: string;
  /** @default the name in lower case, with `-` for spaces */
  readonly id?: string;
  readonly description?: string;
  readonly steps: readonly StepLike[];
  /** Where runs and sessions are kept. @default in memory */
  readonly store?: RunStore;
  /**
   * The session of runs that name none. Give each user's runs a session of their own: a service that serves several of them must
   * not leave it to this.
   *
   * @default a new one, made with the pipeline
   */
  readonly sessionId?: string;
  /** The user of runs that name none. */
  readonly userId?: string;
  /** What the state of a new session begins with. It is never changed. */
  readonly sessionState?: Readonly<SessionState>;
  /**
   * What becomes of a field of the session state that two runs, or two isolated branches, have changed at once: by its name.
   *
   * @default the later one; numbers that were only counted by `editState` are added up, objects and lists are merged
   */
  readonly reducers?: SessionReducers;
  /** A state that a run is given comes in the place of what its session has, over `sessionState`. @default false: merged */
  readonly overwriteDbSessionState?: boolean;
  /** Checks and completes the input before anything else happens. */
  readonly inputSchema?: StandardSchema<Given, Input>;
  /**
   * Checks and completes the content at the end: a run whose content does not fit has failed, with `OUTPUT_INVALID`. Text that does
   * not fit as it is is read as JSON. Not beside an `agent`, which gives answers of its own.
   */
  readonly outputSchema?: StandardSchema<unknown, Output>;
  /**
   * For steps, agents and their tools: anything, such as the client of a service. Never copied or stored: each process has those of
   * its own `Pipeline` object. Those of a run are merged over them.
   */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Merged over what a run is given; a new session has it, too. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Puts earlier runs of the session in front of what agents and teams are told. @default false */
  readonly addWorkflowHistoryToSteps?: boolean;
  /** 0 to 1,000. @default all */
  readonly numHistoryRuns?: number;
  /** Answers from earlier runs, or has the pipeline run: a `PipelineAgent` of `@millrace/agents`. */
  readonly agent?: ConversationalAgent;
  /** Of runs that do not say. @default false */
  readonly streamEvents?: boolean;
  /** Of runs that do not say. @default true */
  readonly streamExecutorEvents?: boolean;
  /** Keeps all events of a run with it, also when nobody reads its stream: `output.events`. @default false */
  readonly storeEvents?: boolean;
  /** Names of events that are not kept. They are shown as always. @default none */
  readonly eventsToSkip?: readonly string[];
  /** Keeps what agents, teams and nested pipelines did: `output.stepExecutorRuns`. @default true */
  readonly storeExecutorOutputs?: boolean;
  /**
   * Whether callers of a server may set the session state when they fork a run, as `state: { session: { … } }`. Nothing else of a
   * pipeline can be set from outside. @default true
   */
  readonly forkState?: boolean;
}

export interface PipelineRunOptions extends MediaLists {
  /** @default made up, unique */
  readonly runId?: string;
  /** @default that of the pipeline */
  readonly sessionId?: string;
  /** @default that of the pipeline. An empty text counts as none. */
  readonly userId?: string;
  /** Merged over what the session has. */
  readonly sessionState?: Readonly<SessionState>;
  /** The same for every step, as it is. */
  readonly additionalData?: Readonly<Record<string, unknown>>;
  /**
   * Anything. Steps get the objects themselves in this process. Of them, plain data is stored with the run, for the process that goes
   * on with it; give all else to that one: in the options of the pipeline, of `continueRun` or of `handle`.
   */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Shows when steps and groups begin and end, and all that agents and teams tell. @default that of the pipeline */
  readonly streamEvents?: boolean;
  /** Shows what agents, teams and generators say. @default that of the pipeline */
  readonly streamExecutorEvents?: boolean;
}

export interface HandleOptions {
  /** As for a run. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
}

/** What `run` takes: with an `inputSchema` its input, or that as JSON text; else anything, or nothing. */
export type RunArguments<Given> = unknown extends Given
  ? [input?: unknown, options?: PipelineRunOptions]
  : [input: Given | string, options?: PipelineRunOptions];
