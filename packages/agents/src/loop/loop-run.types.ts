import type { Media, StepMetricsData, ToolExecution } from "@millrace/executor";
import type { LanguageModel, ModelMessage } from "ai";
import type { Context, EffectCall, Finished } from "millrace";
import type { RequestOverride } from "../run/overridden.js";
import type { RunEvents } from "../run/run-events.js";
import type { MemberRun } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { AskedOfModel, ModelToolCall, ModelTurn } from "../settings/loop-options.types.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import type { AgentRunOptions, StepRunOptions } from "../settings/run-options.types.js";
import type { AgentSession } from "../settings/sessions.types.js";
import type { PartSink } from "./part-sink.js";
import type { PageTool } from "./tools.js";

/** A call that uses the session. */
export interface SessionCall {
  readonly ctx: Context;
  readonly call: Pick<EffectCall, "signal" | "finish">;
}

/** A run context, and what its changes are kept with. */
export interface UsedSession {
  readonly context: RunContext;
  /** Ends a call with the changes so far: return what it gives. */
  keep<Result>(call: SessionCall["call"], result: Result): Result | Finished<Result>;
}

/** How a loop reaches the session state. */
export interface SessionAccess {
  /**
   * Does the work of one call with its run context, and ends the call with what the work has changed: return its
   * result.
   */
  use<Result>(call: SessionCall, work: (context: RunContext) => Promise<Result>): Promise<Result | Finished<Result>>;
  /** For work that makes calls of its own: the last of them keeps what the work has changed outside of them. */
  between(ctx: Context): Promise<UsedSession>;
  /** A copy of the present state. */
  read(ctx: Pick<Context, "store">): Promise<SessionState>;
  /** The same session for another agent, with the values that this one adds. */
  as(settings: ExecutorSettings): SessionAccess;
}

/** A session that a run has loaded. */
export interface OpenedSession {
  /** As the last part of the run has left it. */
  readonly session: AgentSession | null;
  readonly createdAtMs: number;
  /** Messages of runs before. */
  readonly history: readonly ModelMessage[];
}

/** What a run collects. */
export interface Ledger {
  /** All model calls, recorded ones of earlier attempts included. */
  readonly calls: StepMetricsData[];
  /** Model calls that this attempt has made: for traces, which have seen the others. */
  readonly made: StepMetricsData[];
  /** Texts of the model in this attempt. */
  readonly heard: string[];
  readonly tools: ToolExecution[];
  readonly media: Media[];
  readonly members: MemberRun[];
  /** Members at work. */
  readonly open: Set<LoopRun>;
  /** Latest reports of members of other kinds that are at work, by their calls. */
  readonly reported: Map<string, StepMetricsData>;
}

/** One agent at work. */
export interface LoopRun {
  readonly settings: ExecutorSettings;
  /** Its own scope in the step. */
  readonly ctx: Context;
  /** Path of the scope, for ids. */
  readonly place: string;
  /** Ids of the calls that have led to this run, each with a slash behind it: empty but for members. */
  readonly path: string;
  readonly session: SessionAccess;
  readonly ledger: Ledger;
  readonly events: RunEvents;
  /** Messages of the first request that are not stored elsewhere: the first record keeps them. */
  readonly unstored: ModelMessage[];
  /** Messages before this run. */
  readonly history: readonly ModelMessage[];
  /** The input, and the messages since. Shared by all agents of a handoff. */
  readonly said: ModelMessage[];
  /** Answers so far, of all agents that have led the conversation. */
  readonly turns: ModelTurn[];
  /** Whether the model streams, because there may be readers. */
  readonly streams: boolean;
  /** Tools of this run that whoever watches executes. Members have none. */
  readonly pageTools: readonly PageTool[];
  /** Media of the input, which members get, too. */
  readonly media: readonly Media[];
  /** Request of the last call, to record only what changes. */
  asked: AskedOfModel;
  /** What `atBudget` has chosen in place of the model of the agent. */
  cheaperModel?: LanguageModel;
  /** The instructions, once filled in. */
  instructions?: string | null;
  /** What a fork has put in the place of parts of the requests. */
  override: RequestOverride | null;
  /** The conversation that a fork has put in the place of `history` and the first `before` messages of `said`. */
  conversation: { readonly messages: readonly ModelMessage[]; readonly before: number } | null;
  /** Identifies this piece of work, also when it is done anew: the same for each of its attempts. */
  readonly runKey: string;
  /** Called after each model call, also one of a member. */
  readonly onUsage?: () => void;
  /** What a call shows. `made`: the call of the tool that it makes. */
  sinkOf(run: LoopRun, call: EffectCall, made?: ModelToolCall): PartSink;
  /** The key that a tool gets, equal whenever the call is made again. */
  keyOf(run: LoopRun, call: EffectCall, made: ModelToolCall): string;
  /** Runs the loop of a member, or of the agent that takes over. */
  lead(run: LoopRun): Promise<LoopAnswer>;
}

/** Data between a run in memory and its step. */
export interface RunHost {
  readonly events: RunEvents;
  readonly ledger: Ledger;
  /** The session as an earlier part of the run has left it. */
  readonly reopened: AgentSession | null;
  /** How long the run has worked, its earlier parts included. */
  readonly seconds: number;
  /** Called once its session is open, before its first call. */
  opened(run: LoopRun, facts: { readonly opened: OpenedSession | null; readonly input: unknown }): void;
}

/** Options of a run, from its workflow. */
export interface InnerRunOptions extends StepRunOptions, Pick<AgentRunOptions, "runId" | "sessionState"> {
  /** Keys of tool calls are derived from it. @default those of the calls of the step */
  readonly idempotencyKey?: string;
  /** `true`: the run has stored the input and the history already, in the event of the step. @default false */
  readonly isStored?: boolean;
  /** Tools that whoever watches executes. @default none */
  readonly pageTools?: readonly PageTool[];
  readonly host?: RunHost;
}

/** The end of a loop. */
export interface LoopAnswer {
  readonly content: unknown;
  /** Name of the agent that wrote it. */
  readonly agent: string;
  readonly finishReason: string;
}
