/** The work of one step in one attempt, and what comes of it. */
import type { Workflow } from "millrace";
import type { ExecutorPause, ExecutorResume } from "../data/executor.types.js";
import type { HistoryRun } from "../data/history-text.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { OpenAttempt } from "../live/open-attempt.js";
import type { RunEvents } from "../live/run-events.js";
import type { StepNode } from "../nodes/node.types.js";
import type { FamilyState, Place, RunRequest } from "../state/pipeline-state.types.js";
import type { StepRunContext } from "./run-context.js";

export interface Execution {
  readonly node: StepNode;
  readonly input: StepInput;
  readonly request: RunRequest;
  readonly context: StepRunContext;
  readonly events: RunEvents;
  /** What events of executors say of the step. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly attempt: OpenAttempt;
  readonly keepsExecutorRuns: boolean;
  /** Runs of the session that the message has in front. */
  readonly history: readonly HistoryRun[];
  /** An executor that has paused goes on. */
  readonly resume: ExecutorResume | null;
  /** What it has taken until then. */
  readonly paused: StepExecutionData | null;
  readonly runChild: (workflow: Workflow, input: object, store: "own" | "shared") => Promise<unknown>;
  /** Of such a child. */
  readonly timeoutMs: number | null;
  /** Runs nested in this one, with all that is known of the one that has ended. */
  readonly nestedRuns: (ended: string) => Promise<FamilyState["nested"]>;
  /** Of the run, in which the step is at work. */
  readonly visit: number;
  readonly place: Place;
  readonly now: () => number;
}

export type Executed =
  | { readonly status: "done"; readonly output: StepOutput }
  | { readonly status: "paused"; readonly pause: ExecutorPause; readonly paused: StepExecutionData }
  | { readonly status: "cancelled"; readonly why: string };
