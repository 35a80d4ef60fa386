import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import type { OwnState, RecordedEvent } from "./pipeline-state.types.js";

/** What one attempt has told and taken: stored with its result, or when it has ended without one. */
export class PendingNotes {
  readonly events: RecordedEvent[] = [];
  readonly spent: StepExecutionData[] = [];
  readonly executorRuns: ExecutorRun[] = [];
  /** Of a nested pipeline. */
  readonly answered: AnsweredRequirement[] = [];

  /** Within the edit that stores a result. */
  keepIn(state: Pick<OwnState, "events" | "spent" | "executorRuns" | "answered">): void {
    if (this.events.length > 0) state.events.push(...this.events.splice(0));
    if (this.spent.length > 0) state.spent.push(...this.spent.splice(0));
    if (this.executorRuns.length > 0) state.executorRuns.push(...this.executorRuns.splice(0));
    if (this.answered.length > 0) state.answered.push(...this.answered.splice(0));
  }
}
