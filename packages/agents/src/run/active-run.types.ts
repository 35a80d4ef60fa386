import type { CountingState, StepMetricsData, ToolExecution } from "@millrace/pipeline/executor";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { LeadingRun } from "../settings/job.types.js";
import type { CallKeys } from "./call-keys.js";

/** What one run collects while it is under way. */
export interface ActiveRun extends LeadingRun {
  readonly settings: ExecutorSettings;
  /** Edits of the session state through `editState`, for merging after the run. */
  readonly edits: CountingState;
  readonly startedMs: number;
  /** Model calls and metrics before the last pause. */
  readonly before: { readonly modelCalls: number; readonly metrics: StepMetricsData };
  readonly tools: ToolExecution[];
  readonly calls: StepMetricsData[];
  /** Text that the model has written, piece by piece. */
  readonly said: string[];
  readonly keys: CallKeys;
}
