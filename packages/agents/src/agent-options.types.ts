import type { LanguageModel, ToolSet } from "ai";
import type { z } from "zod";
import type { Executor } from "./executor.types.js";
import type { Instructions, ModelSettings } from "./executor-settings.types.js";
import type { ReadFile } from "./run/media-part.js";
import type { SessionState } from "./run-context.types.js";
import type { AgentSessions } from "./sessions/sessions.types.js";
import type { AgentTool } from "./tool.types.js";

export interface AgentOptions<Output = string> {
  /** Any language model of the AI SDK. */
  readonly model: LanguageModel;
  /** @default "agent", or "team" */
  readonly name?: string;
  /** What events and members are told apart by. @default made from the name */
  readonly id?: string;
  /** What a team's leader is told about this member. */
  readonly role?: string;
  /** The first thing the model is told. Takes `{key}`, too. */
  readonly description?: string;
  /**
   * `{key}` stands for a value of the session state, the dependencies, the metadata, or for `user_id`, `session_id` or
   * `run_id`, in that order. What is no known key stays as it is. The texts of a list become lines.
   */
  readonly instructions?: Instructions;
  /** `false`: `{key}` stays as it is everywhere. @default true */
  readonly resolveInContext?: boolean;
  readonly tools?: readonly AgentTool[];
  /** Tools of the AI SDK itself, such as those a provider executes or of an MCP server. They get no run context. */
  readonly sdkTools?: ToolSet;
  /** A zod object: the content of a run is then what the schema makes of the answer. */
  readonly outputSchema?: z.ZodType<Output>;
  /** Model calls in one run; between them the tools work. @default 20 */
  readonly maxSteps?: number;
  /**
   * How often a model call is tried again, with growing delays or as late as the provider says. A wait of a minute or
   * longer ends the run instead, with `retryAfterMs` in its error. A broken stream is not tried again: by then somebody
   * has seen a part of it.
   *
   * @default 2
   */
  readonly maxRetries?: number;
  /** Temperature, token limits, provider options. */
  readonly modelSettings?: ModelSettings;
  /** Reads media that are given as a `filepath`: for example `readFile` of `node:fs/promises`. */
  readonly readFile?: ReadFile;

  /** Where sessions are kept. Without it, every run begins with `sessionState` and leaves nothing. */
  readonly sessions?: AgentSessions;
  /** The session of runs that name none. @default a new id */
  readonly sessionId?: string;
  /** The user of runs that name none. */
  readonly userId?: string;
  /** What the state of a new session begins with. */
  readonly sessionState?: SessionState;
  /** Shows the state to the model. @default false */
  readonly addSessionStateToContext?: boolean;
  /** Gives the model a tool that sets keys of the state; it needs `addSessionStateToContext` to see it. @default false */
  readonly enableAgenticState?: boolean;
  /** A run's `sessionState` replaces what is stored, the template excepted, instead of being merged. @default false */
  readonly overwriteDbSessionState?: boolean;
  /** Puts the messages of the session's last runs before the input. @default false */
  readonly addHistoryToContext?: boolean;
  /** @default 3 */
  readonly numHistoryRuns?: number;
  /** Values for tools and `{key}`. Those of a pipeline run replace them. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TeamOptions<Output = string> extends Omit<AgentOptions<Output>, "model"> {
  /** Agents, teams, or anything of yours that works like one. Their names must differ. */
  readonly members: readonly Executor[];
  /** The leader's. @default the model of the first member that has one */
  readonly model?: LanguageModel;
  /** `coordinate`: the leader gives tasks to members and puts the answer together. @default "coordinate" */
  readonly mode?: "coordinate";
}
