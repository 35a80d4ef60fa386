import type { CountingState, StepMetricsData } from "@millrace/pipeline/executor";
import type { ToolExecution } from "../events.types.js";
import type { ExecutorSettings } from "../executor-settings.types.js";
import type { CallKeys } from "./call-keys.js";
import type { LeadingRun } from "./job.types.js";

/** What a run gathers while it goes on. Belongs to that run alone. */
export interface ActiveRun extends LeadingRun {
  readonly settings: ExecutorSettings;
  /** Of its `editState`, where it stands alone. */
  readonly edits: CountingState;
  readonly startedMs: number;
  /** Of its own model calls before the last pause. */
  readonly before: { readonly modelCalls: number; readonly metrics: StepMetricsData };
  readonly tools: ToolExecution[];
  readonly calls: StepMetricsData[];
  /** What the model has said, piece by piece. */
  readonly said: string[];
  readonly keys: CallKeys;
}
