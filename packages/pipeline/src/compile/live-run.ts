/** What a run has in memory, once for all of its steps in this process. */
import { type Resource, resource } from "millrace";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import type { AnsweredRequirement } from "../human/requirement.types.js";
import { LiveSessionState } from "../session/session-state.js";
import type { StateScope } from "./branch-state.js";
import type { PipelineState, RecordedEvent } from "./pipeline-state.types.js";

/** What one attempt has told: stored with its result, or when it has failed. */
export class PendingNotes {
  readonly events: RecordedEvent[] = [];
  readonly spent: StepExecutionData[] = [];
  readonly executorRuns: ExecutorRun[] = [];
  /** Of a nested pipeline. */
  readonly answered: AnsweredRequirement[] = [];

  /** Within the edit that stores a result. */
  keepIn(state: Pick<PipelineState, "events" | "spent" | "executorRuns" | "answered">): void {
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

export class LiveRun {
  /** Of attempts that ended where they could write no more, as by their timeout: stored with the next result of the run. */
  readonly left: PendingNotes = new PendingNotes();
  readonly #sessions: Map<string, LiveSessionState> = new Map();

  /** One object for all that work on this state at the same time. */
  sessionOf(scope: StateScope, state: Pick<PipelineState, "session" | "frames">): LiveSessionState {
    const known = this.#sessions.get(scope.key);
    if (known) return known;
    const made = new LiveSessionState(scope.read(state) ?? {});
    this.#sessions.set(scope.key, made);
    return made;
  }

  /** The group of this frame is done: nobody works on the copies of its branches any more. */
  forgetBranches(frame: string): void {
    for (const key of this.#sessions.keys()) if (key.startsWith(`${frame}:`)) this.#sessions.delete(key);
  }
}

export interface LiveHolder {
  readonly live: LiveRun;
}

export const liveResources: { readonly live: Resource<LiveRun> } = {
  live: resource("liveRun", () => new LiveRun(), { scope: "run" }),
};
