/** What a run has in memory, once for all of its steps in this process. */
import { type Resource, resource } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import { LiveSessionState } from "../session/session-state.js";
import type { StateScope } from "./branch-state.js";
import type { FamilyState, OwnState, RecordedEvent } from "./pipeline-state.types.js";

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
  readonly #sessions: Map<string, LiveSessionState> = new Map();

  /** Of an attempt that has ended where it could write no more, as by its timeout: stored with the next result of its run. */
  leave(runId: string, notes: PendingNotes): void {
    const left = this.#left.get(runId);
    if (left === undefined) this.#left.set(runId, notes);
    else notes.addTo(left);
  }

  leftOf(runId: string): PendingNotes | null {
    return this.#left.get(runId) ?? null;
  }

  /** One object for all that work on this state at the same time. */
  sessionOf(scope: StateScope, family: FamilyState): LiveSessionState {
    const known = this.#sessions.get(scope.key);
    if (known) return known;
    const made = new LiveSessionState(scope.read(family) ?? {});
    this.#sessions.set(scope.key, made);
    return made;
  }

  /** The group is done: nobody works on the copies of its branches any more. @param scope What their keys begin with. */
  forgetBranches(scope: string): void {
    for (const key of this.#sessions.keys()) if (key.startsWith(scope)) this.#sessions.delete(key);
  }
}

export interface LiveHolder {
  readonly live: LiveRun;
}

export const liveResources: { readonly live: Resource<LiveRun> } = {
  live: resource("liveRun", () => new LiveRun(), { scope: "run" }),
};
