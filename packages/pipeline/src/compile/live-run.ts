/** What a run has in memory, once for all of its steps in this process. */
import { type Resource, resource } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import { LiveSessionState } from "../session/session-state.js";
import type { OwnState, PipelineState, RecordedEvent } from "./pipeline-state.types.js";

/** What one attempt has told: stored with its result, or when it has failed. */
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

  addTo(others: PendingNotes): void {
    others.events.push(...this.events);
    others.spent.push(...this.spent);
    others.executorRuns.push(...this.executorRuns);
    others.answered.push(...this.answered);
  }
}

/** One for a run and all runs nested in it: they share the session state. */
export class LiveRun {
  readonly #left: Map<string, PendingNotes> = new Map();
  #session: LiveSessionState | null = null;

  /** Of an attempt that has ended where it could write no more, as by its timeout: stored with the next result of its run. */
  leave(runId: string, notes: PendingNotes): void {
    const left = this.#left.get(runId);
    if (left === undefined) this.#left.set(runId, notes);
    else notes.addTo(left);
  }

  leftOf(runId: string): PendingNotes | null {
    return this.#left.get(runId) ?? null;
  }

  /** @param scope See `scopeOf`. */
  sessionOf(scope: Pick<PipelineState, "session">): LiveSessionState {
    this.#session ??= new LiveSessionState(scope.session);
    return this.#session;
  }
}

export interface LiveHolder {
  readonly live: LiveRun;
}

export const liveResources: { readonly live: Resource<LiveRun> } = {
  live: resource("liveRun", () => new LiveRun(), { scope: "run" }),
};
