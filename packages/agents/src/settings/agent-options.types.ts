import type { LanguageModel, ToolSet } from "ai";
import type { Context, Duration, LimitOptions, RetryPolicy } from "millrace";
import type { BudgetReachedEvent } from "millrace/runtime";
import type { z } from "zod";
import type { Executor } from "./executor.types.js";
import type { AskedOfModel, Guards, ModelSettings, PrepareStep, StopRule } from "./loop-options.types.js";
import type { ReadFile } from "./media-part.js";
import type { ModelPrices, RecordOptions } from "./record.types.js";
import type { RunContext, SessionState } from "./run-context.types.js";
import type { AgentSessions } from "./sessions.types.js";
import type { AgentTool } from "./tool.types.js";

/** Text in which `{key}` is replaced by a value of the run, a list of such texts, or a function that writes the text. */
export type Instructions =
  | string
  | readonly string[]
  | ((context: RunContext) => string | readonly string[] | Promise<string | readonly string[]>);

/** Nothing: the call is made again. */
export type AtBudget = (
  reached: BudgetReachedEvent,
  ctx: Context,
) => LanguageModel | undefined | void | Promise<LanguageModel | undefined | void>;

/** Tools of the AI SDK, or a function that gets them. */
export type SdkTools = ToolSet | (() => Promise<ToolSet>);

/** Options of an `Agent`. */
export interface AgentOptions<Output = string> extends RecordOptions<AskedOfModel> {
  /** Any language model of the AI SDK. */
  readonly model: LanguageModel;
  /** Name in events, errors and prompts of teams. @default "agent", or "team" for a team */
  readonly name?: string;
  /** Identifies the agent in events and to the leader of a team. @default made from the name */
  readonly id?: string;
  /** Describes this member to the leader of a team. */
  readonly role?: string;
  /** First part of the system prompt. `{key}` works as in `instructions`. */
  readonly description?: string;
  /**
   * Main part of the system prompt; a list of texts becomes lines. `{key}` is replaced by a value: of the session state,
   * then of the dependencies, then of the metadata, then one of `user_id`, `session_id` and `run_id`. An unknown key
   * stays in the text as it is.
   */
  readonly instructions?: Instructions;
  /** `false` leaves every `{key}` in the prompt as it is. @default true */
  readonly resolveInContext?: boolean;
  /** Functions that the model may call, made with `tool()`. */
  readonly tools?: readonly AgentTool[];
  /**
   * Tools of the AI SDK itself, such as those that a provider executes or of an MCP server, or a
   * function that gets them at the start of a run; or a list of these, where two tools with one name are an error. They
   * get no run context.
   */
  readonly sdkTools?: SdkTools | readonly SdkTools[];
  /** A zod object. The content of a run is then the parsed answer instead of text. */
  readonly outputSchema?: z.ZodType<Output>;
  /** How often the model is asked again with the problems of an answer that does not fit `outputSchema`. @default 1 */
  readonly outputRepairs?: number;
  /** Agents that the model may hand the conversation over to, each through a tool `transfer_to_<id>`. */
  readonly canHandOffTo?: readonly Executor[];
  /** Ends the loop after a round of tools, besides an answer without calls. The last text is then the answer. */
  readonly stopWhen?: StopRule | readonly StopRule[];
  /** Changes the next model call: another model, fewer tools, shorter messages. */
  readonly prepareStep?: PrepareStep;
  /** Checks that refuse, change or ask: of the input, the answer, and the calls of tools. */
  readonly guards?: Guards;
  /** Limit of tools that work at the same time. Calls that wait for a person do not count. @default 8 */
  readonly maxParallelTools?: number;
  /** How long one call of a tool without a `timeout` may take. Then its signal aborts, and the model gets the error. @default no limit */
  readonly toolTimeout?: Duration;
  /** Prices of models: the cost of each call is recorded with its usage. @default no cost, as no price is known */
  readonly prices?: ModelPrices;
  /**
   * Decides what happens when a model call would exceed a budget of the runtime, in a step. It may ask with `ctx`, allow more with
   * `budgetOf(ctx).allow`, or wait for another day; then the call is made again. It may return a cheaper model, which makes this call
   * and those after it. What it throws fails the run; so does a second time with nothing changed.
   *
   * It is called again when the step runs again, so what it decides follows from calls of its `ctx`.
   *
   * @default the run fails with `BUDGET_EXCEEDED`
   */
  readonly atBudget?: AtBudget;
  /** Limit of model calls in one run; tools work between them. @default 20 */
  readonly maxSteps?: number;
  /**
   * How often a model call is made again that has failed: when the model is busy (429), down (5xx) or out of reach, its
   * answer breaks off, or it takes longer than `timeout`. It waits as long as the provider asks for, or longer each
   * time.
   *
   * In a step, attempts are counted over restarts, and a delay holds no worker. A run without `ctx` ends instead when
   * the delay is a minute or longer, with `retryAfterMs` in its error, and when its readers have seen a part of the
   * answer.
   *
   * @default 2
   */
  readonly maxRetries?: number;
  /**
   * Replaces `maxRetries`, for other delays, or for other errors: those of the agent, whose `cause` is that of the
   * model.
   */
  readonly retry?: RetryPolicy;
  /** Limit of each attempt of a model call. @default none */
  readonly timeout?: Duration;
  /**
   * Name of one of the `limits` of the workflow that the agent runs in. Each attempt of a model call takes a place.
   * @default none
   */
  readonly limit?: string;
  /** Limits by name, for the workflow of the agent: those that `limit` names, here and in tools. @default none */
  readonly limits?: Readonly<Record<string, LimitOptions>>;
  /** Temperature, token limits and options for the provider. */
  readonly modelSettings?: ModelSettings;
  /** Reads media that have a `filepath`, for example `readFile` of `node:fs/promises`. */
  readonly readFile?: ReadFile;

  /** Where sessions are kept. Without it, every run begins with `sessionState` and saves nothing. */
  readonly sessions?: AgentSessions;
  /** Session of the runs that name no session. @default a new id */
  readonly sessionId?: string;
  /** User of the runs that name no user. */
  readonly userId?: string;
  /** Initial state of a new session. */
  readonly sessionState?: SessionState;
  /** Adds the session state to the system prompt. @default false */
  readonly addSessionStateToContext?: boolean;
  /**
   * Adds a tool that sets keys of the session state. The model needs `addSessionStateToContext` to see the
   * state.
   * @default false
   */
  readonly enableAgenticState?: boolean;
  /**
   * `true`: the `sessionState` of a run replaces the stored state, except for the template, instead of being merged
   * into it.
   * @default false
   */
  readonly overwriteDbSessionState?: boolean;
  /** Puts the messages of the session's last runs before the input. @default false */
  readonly addHistoryToContext?: boolean;
  /** How many runs `addHistoryToContext` includes: 0 to 1,000. @default 3 */
  readonly numHistoryRuns?: number;
  /** Values for tools and `{key}`. The dependencies of a pipeline run replace them. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** Values for `{key}` and the run context. They win over the metadata of a run. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Options of a `Team`: those of an agent, with members. */
export interface TeamOptions<Output = string> extends Omit<AgentOptions<Output>, "model"> {
  /** Agents, teams, or your own objects with the same interface. Their names must differ. */
  readonly members: readonly Executor[];
  /** Model of the leader. @default the model of the first member that has one */
  readonly model?: LanguageModel;
  /** `"coordinate"`: the leader delegates tasks to members and writes the answer itself. @default "coordinate" */
  readonly mode?: "coordinate";
}
