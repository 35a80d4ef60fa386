/** The work of one step in one attempt, and what comes of it. */
import type { Workflow } from "millrace";
import type { HistoryRun } from "../data/history-text.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { ExecutorPause, ExecutorResume } from "../nodes/executor.types.js";
import type { StepNode } from "../nodes/node.types.js";
import type { StepTools } from "./visit.types.js";

export interface Execution extends StepTools {
  readonly node: StepNode;
  readonly input: StepInput;
  /** What events of executors say of the step. */
  readonly about: Readonly<Record<string, unknown>>;
  /** Runs of the session that the message has in front. */
  readonly history: readonly HistoryRun[];
  /** An executor that has paused goes on. */
  readonly resume: ExecutorResume | null;
  /** What it has taken until then. */
  readonly paused: StepExecutionData | null;
  readonly runChild: (workflow: Workflow, input: object, store: "own" | "shared") => Promise<unknown>;
  /** Of such a child. */
  readonly timeoutMs: number | null;
}

export type Executed =
  | { readonly status: "done"; readonly output: StepOutput }
  | { readonly status: "paused"; readonly pause: ExecutorPause; readonly paused: StepExecutionData }
  | { readonly status: "cancelled"; readonly why: string };
