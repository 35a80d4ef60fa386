import type { ExecutorEvent, Media, StepMetricsData } from "@millrace/pipeline/executor";
import type { ModelMessage } from "ai";
import type { ResumedRun } from "./paused-state.types.js";
import type { RunContext, SessionState } from "./run-context.types.js";

/** What one run has to do, whether a caller, a pipeline or a team asks for it. */
export interface RunJob {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly createdAtMs: number;
  /** Set when the job continues a paused run. */
  readonly resumed: ResumedRun | null;
  readonly input: unknown;
  readonly media: readonly Media[];
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** Live state object, read and changed in place. */
  readonly state: SessionState;
  /** State to compare with, in order to find the changes of the run. */
  readonly base: SessionState;
  /** Values for keys that the state lacks. */
  readonly defaults: SessionState;
  readonly outerContext: Partial<RunContext> | undefined;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly history: readonly ModelMessage[];
  readonly report?: ((metrics: StepMetricsData) => void) | undefined;
  readonly emit: ((event: ExecutorEvent) => void) | undefined;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}
