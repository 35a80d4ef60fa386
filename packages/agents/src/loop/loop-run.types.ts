import type { ExecutorEvent, Media, StepMetricsData, ToolExecution } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { Context, EffectCall } from "millrace";
import type { MemberRun } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel, ModelToolCall, ModelTurn } from "../settings/loop-options.types.js";
import type { RunContext } from "../settings/run-context.types.js";
import type { PartSink } from "./part-writer.js";

/** How a loop reaches the session state. */
export interface SessionAccess {
  /**
   * Does the work of one call with its run context. What the work changes is kept once, although the call may be made again.
   *
   * @param call The scope and the signal of the call.
   */
  use<Result>(
    call: { readonly ctx: Context; readonly signal: AbortSignal },
    work: (context: RunContext) => Promise<Result>,
  ): Promise<Result>;
}

/** What a run collects, over its members and over the agents that it is handed to. */
export interface Ledger {
  /** All model calls, recorded ones of earlier attempts included. */
  readonly calls: StepMetricsData[];
  /** Model calls that this attempt has made: for traces, which have seen the others. */
  readonly made: StepMetricsData[];
  readonly tools: ToolExecution[];
  readonly media: Media[];
  readonly members: MemberRun[];
}

/** One agent at work. */
export interface LoopRun {
  readonly settings: ExecutorSettings;
  /** Its own scope in the step. */
  readonly ctx: Context;
  /** Path of the scope, for ids. */
  readonly place: string;
  readonly session: SessionAccess;
  readonly ledger: Ledger;
  /** Messages before this run. */
  readonly history: readonly ModelMessage[];
  /** The input, and what was said since. Shared by the agents that the run is handed to. */
  readonly said: ModelMessage[];
  /** Answers so far, of all agents that have led the conversation. */
  readonly turns: ModelTurn[];
  /** `true`: somebody may watch, so the model streams. */
  readonly streams: boolean;
  /** `true`: failures are told to a leader and so are recorded, too. */
  readonly isMember: boolean;
  /** Media of the input, which members get, too. */
  readonly media: readonly Media[];
  /** Request of the last call, to record only what changes. */
  asked: AskedOfModel;
  sinkOf(call: EffectCall): PartSink;
  /** The key that a tool gets, equal whenever the call is made again. */
  keyOf(call: EffectCall, made: ModelToolCall): string;
  /** Runs the loop of a member, or of the agent that takes over. */
  lead(run: LoopRun): Promise<LoopAnswer>;
  readonly watch: LoopWatch;
}

/** Told of the calls of tools as they are made, not of recorded ones. */
export interface LoopWatch {
  started?(call: ModelToolCall): void;
  ended?(execution: ToolExecution): void;
  /** Takes the events of executors that are not agents of this package. */
  readonly emit?: ((event: ExecutorEvent) => void) | undefined;
}

/** The end of a loop. */
export interface LoopAnswer {
  readonly content: unknown;
  /** Name of the agent that gave it. */
  readonly agent: string;
  readonly finishReason: string;
}
