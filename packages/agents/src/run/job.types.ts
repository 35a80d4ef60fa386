import type { Media } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ExecutorEvent } from "../events.types.js";
import type { Member, MemberRun } from "../executor.types.js";
import type { PausedMember, ResumedRun } from "../pause/paused-state.types.js";
import type { RunContext, SessionState } from "../run-context.types.js";

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

/** What the leader of a team needs of its own run to put a member to work. */
export interface LeadingRun {
  readonly settings: { readonly members: readonly Member[] };
  readonly job: RunJob;
  readonly context: RunContext;
  readonly media: Media[];
  readonly members: MemberRun[];
  /** Members that a person keeps waiting: the run pauses after this round of tools. */
  readonly waiting: PausedMember[];
}
