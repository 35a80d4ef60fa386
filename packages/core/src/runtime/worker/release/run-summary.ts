/** The summary of a run in memory: whether it is active, and its row. */
import { type LiveRun, type Outcome, wakeAt } from "../../../host.js";
import type { RunSummary, StoredStatus } from "../../store/run-store.types.js";
import { outcomeText } from "../../text/journal-text.js";
import { promptsText } from "../../text/shown-text.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

interface Standing {
  readonly runner: LiveRun;
  readonly workflow: RegisteredWorkflow;
  readonly status: StoredStatus;
  readonly outcome: Outcome | null;
  readonly atMs: number;
  /** Whether it is due by the clock; otherwise by the time of the run, for hosts that count from `atMs`. */
  readonly isDueByClock: boolean;
}

/** Returns whether a step of the run or its children runs, and waits for nothing, or a call of it is at work. */
export function isAtWork({ attempts, children, state }: LiveRun): boolean {
  return (
    [...attempts].some(([item, { isWorking }]) => isWorking || state.items.get(item)?.status === "running") ||
    [...(children?.values() ?? [])].some(isAtWork)
  );
}

/** Until when it waits and for what, or how it has ended. */
export function summaryOf({ runner, workflow, status, outcome, atMs, isDueByClock }: Standing): RunSummary {
  const { clock } = runner.host.ports;
  const isWaiting = status === "waiting";
  const wakeAtMs = (): number | null => {
    if (isWaiting) return wakeAt(runner, isDueByClock ? clock : null);
    return outcome === null ? Math.min(atMs, clock.now()) : null;
  };
  return {
    status,
    atMs,
    wakeAtMs: wakeAtMs(),
    outcome: outcome === null ? null : outcomeText(outcome, workflow.compiled),
    waiting: isWaiting ? promptsText(runner) : null,
  };
}
