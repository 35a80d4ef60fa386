/** A pipeline, ready to be made into core steps. */

import type { ConversationalAgent, SessionReducers, SessionState } from "@millrace/executor";
import type { Context, EventClass, InputIndex, LimitOptions, Workflow, WorkflowEvent } from "millrace";
import type { LiveRun } from "../attempts/live-run.js";
import type { EventStorage } from "../attempts/run-events.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import type { PipelineEvents } from "../plan/pipeline-events.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import type { RunDependencies } from "../plan/run-dependencies.js";
import type { PipelineState, PreparedState, RunRequest, SharedState } from "../state/pipeline-state.types.js";

/** Request of a run at its start. */
export interface GivenRequest extends RunRequest {
  /** Session state given to the run; `null` without one. */
  readonly given: Readonly<SessionState> | null;
}

/** The start event of a run. */
export interface PipelineStart extends WorkflowEvent {
  readonly request: GivenRequest;
}

export type StepCtx = Context<Record<string, unknown>>;

/** What a core step has. */
export interface StepParts {
  readonly ctx: StepCtx;
  readonly live: LiveRun;
}

/** How the run ended: by itself, or cancelled before or after its first step. */
export type RunEnding = "ended" | "cancelled" | "unbegun";

export interface SavedEnd {
  /** Output of the run, without its events. */
  readonly output: PipelineRunOutput;
  /** What the session has from the run; `null` when nothing was saved. */
  readonly saved: Pick<SharedState, "session" | "tallied"> | null;
}

/** What a pipeline does around its steps. */
export interface PipelineHooks {
  /** Start state of a run. When its first step ends, the session lists the run. */
  prepare(ctx: StepCtx, request: unknown): Promise<PreparedState>;
  /** Called in the last step. */
  finish(ctx: StepCtx, state: PipelineState, how: RunEnding): Promise<SavedEnd>;
}

export interface CompiledPlan {
  readonly pipeline: PipelineIdentity;
  readonly description: string | null;
  /** Limits that calls of executors take places of, by name. */
  readonly limits: Readonly<Record<string, LimitOptions>>;
  /** What of the input of a run finds it. */
  readonly index: InputIndex;
  readonly tree: PipelineTree;
  readonly events: PipelineEvents;
  readonly start: EventClass<PipelineStart>;
  readonly hooks: PipelineHooks;
  readonly addHistory: boolean;
  readonly numHistoryRuns: number | null;
  /** Whether runs read earlier runs of their session. */
  readonly loadsHistory: boolean;
  readonly storage: EventStorage;
  readonly keepsExecutorRuns: boolean;
  readonly dependencies: RunDependencies;
  /** Callers of a server may set the session state of a fork. */
  readonly opensSession: boolean;
  readonly reducers: SessionReducers;
  /** Decides whether the pipeline runs at all. */
  readonly agent: ConversationalAgent | null;
  /** Workflows and pipelines that are steps, by the id of their node. */
  readonly workflows: ReadonlyMap<string, Workflow>;
}
