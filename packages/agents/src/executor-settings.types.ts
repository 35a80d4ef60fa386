import type { LanguageModel, LanguageModelCallOptions, ModelMessage, ToolSet } from "ai";
import type { z } from "zod";
import type { Member } from "./executor.types.js";
import type { LeadingRun } from "./run/job.types.js";
import type { ReadFile } from "./run/media-part.js";
import type { RunContext, SessionState } from "./run-context.types.js";
import type { AgentSessions } from "./sessions/sessions.types.js";
import type { AgentTool } from "./tool.types.js";

/** Text in which `{key}` stands for a value of the run, a list of such texts, or a function that writes the text. */
export type Instructions =
  | string
  | readonly string[]
  | ((context: RunContext) => string | readonly string[] | Promise<string | readonly string[]>);

/** Temperature, token limits and the like, as the AI SDK takes them. */
export type ModelSettings = LanguageModelCallOptions & {
  readonly headers?: Record<string, string>;
  readonly providerOptions?: NonNullable<ModelMessage["providerOptions"]>;
};

/** The options of an agent or a team with their defaults. A run never changes them. */
export interface ExecutorSettings {
  readonly kind: "agent" | "team";
  readonly id: string;
  readonly name: string;
  readonly model: LanguageModel;
  readonly modelSettings: ModelSettings;
  readonly description: string | undefined;
  readonly instructions: Instructions;
  readonly resolveInContext: boolean;
  /** Members of a team; empty for an agent. */
  readonly members: readonly Member[];
  /** The part of the leader's system prompt about its members; empty for an agent. */
  readonly memberText: string;
  readonly tools: readonly AgentTool[];
  /** Makes the tools that are bound to one run. */
  readonly runTools: (run: LeadingRun) => readonly AgentTool[];
  readonly sdkTools: ToolSet;
  readonly outputSchema: z.ZodType | undefined;
  readonly maxSteps: number;
  readonly maxRetries: number;
  readonly readFile: ReadFile | undefined;

  readonly sessions: AgentSessions | undefined;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly sessionState: SessionState;
  readonly addSessionStateToContext: boolean;
  readonly overwriteDbSessionState: boolean;
  readonly addHistoryToContext: boolean;
  readonly numHistoryRuns: number;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}
