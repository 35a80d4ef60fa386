import type { LanguageModel, LanguageModelCallOptions, ModelMessage, ToolSet } from "ai";
import type { z } from "zod";
import type { ExecutorEvent, ToolExecution } from "./events.types.js";
import type { MemberRun } from "./executor.types.js";
import type { Member } from "./members.js";
import type { PausedMember, ResumedRun } from "./pause/paused-state.types.js";
import type { CallKeys } from "./run/call-keys.js";
import type { CountingState, Media, StepMetricsData } from "@millrace/pipeline/executor";
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

/** The options of an agent or a team, resolved once. Never changed by a run. */
export interface ExecutorSettings {
  readonly kind: "agent" | "team";
  readonly id: string;
  readonly name: string;
  readonly model: LanguageModel;
  readonly modelSettings: ModelSettings;
  readonly description: string | undefined;
  readonly instructions: Instructions;
  readonly resolveInContext: boolean;
  /** None for an agent. */
  readonly members: readonly Member[];
  /** What a leader is told about its members; empty for an agent. */
  readonly memberText: string;
  readonly tools: readonly AgentTool[];
  /** Tools that need to know the run they are used in. */
  readonly runTools: (run: ActiveRun) => readonly AgentTool[];
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

/** One piece of work, wherever it comes from. */
export interface RunJob {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly createdAtMs: number;
  /** Set where a paused run goes on. */
  readonly resumed: ResumedRun | null;
  readonly input: unknown;
  readonly media: readonly Media[];
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** Live: read and written in place. */
  readonly state: SessionState;
  /** What the state is compared with to see what the run has changed. */
  readonly base: SessionState;
  /** What the state gets where it has nothing. */
  readonly defaults: SessionState;
  readonly outerContext: Partial<RunContext> | undefined;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly history: readonly ModelMessage[];
  readonly emit: ((event: ExecutorEvent) => void) | undefined;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

/** What a run gathers while it goes on. Belongs to that run alone. */
export interface ActiveRun {
  readonly settings: ExecutorSettings;
  readonly job: RunJob;
  readonly context: RunContext;
  /** Of its `editState`, where it stands alone. */
  readonly edits: CountingState;
  readonly startedMs: number;
  /** Of its own model calls before the last pause. */
  readonly before: { readonly modelCalls: number; readonly metrics: StepMetricsData };
  readonly media: Media[];
  readonly tools: ToolExecution[];
  readonly calls: StepMetricsData[];
  /** What the model has said, piece by piece. */
  readonly said: string[];
  readonly members: MemberRun[];
  readonly keys: CallKeys;
  /** Members that a person keeps waiting: the run pauses after this round of tools. */
  readonly waiting: PausedMember[];
}
