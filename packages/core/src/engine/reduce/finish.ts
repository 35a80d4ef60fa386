/** The end of a run. */
import { optionalModules } from "../optional-modules.js";
import type { Outcome, RunState } from "../state.js";
import { stopClock } from "./clock.js";
import { terminalEvent } from "./engine-events.js";
import { emitCommand, publish, type Reduction } from "./reduction.js";

/**
 * Ends the run. A completed run keeps no work. Otherwise the work is kept for `resume` (cancelled) or `retry` (failed,
 * timed out), and does not run until then.
 */
export function finish(reduction: Reduction, outcome: Outcome): void {
  const { state } = reduction;
  if (outcome.status === "completed") optionalModules.join?.complete(reduction);
  stopClock(reduction);
  state.active = 0;
  state.status = outcome.status;
  state.outcome = outcome;
  if (outcome.status === "completed") clear(state);
  else interrupt(state);
  publish(reduction, terminalEvent(outcome));
  emitCommand(reduction, { type: "run.finish", outcome });
}

function clear(state: RunState): void {
  state.items.clear();
  state.loads = null;
  state.scopes =
    state.joins =
    state.sets =
    state.inbox =
    state.waits =
    state.prompts =
    state.timers =
    state.runTimer =
    state.unused =
      null;
}

/** Makes all work of a run start over, as a load of its snapshot does. */
export function startOver(state: RunState): void {
  stopClock({ state });
  state.active = 0;
  interrupt(state);
}

/** Makes work under way ready to start over, and frees the slots. */
export function interrupt(state: RunState): void {
  state.loads = null;
  for (const scope of state.scopes?.values() ?? []) scope.paused = false;
  for (const item of state.items.values()) {
    if (item.status === "delayed" || item.status === "failed") continue;
    item.status = "ready";
    item.open = 0;
    item.answered = null;
  }
}
