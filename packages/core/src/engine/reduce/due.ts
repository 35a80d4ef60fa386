/**
 * Due timers.
 *
 * @module
 */
import { optionalModules } from "../optional-modules.js";
import type { Timer } from "../state.js";
import { onCallDue } from "./answers.js";
import { markActive } from "./clock.js";
import { deliver } from "./deliver.js";
import { finish } from "./finish.js";
import { emitCommand, type Reduction } from "./reduction.js";
import { dispatch, loadOf } from "./slots.js";

/** Fires the timers that are due at the time of the current tick, earliest first. */
export function fireDue(reduction: Reduction): void {
  const { state } = reduction;
  while (state.timers !== null && state.status === "running") {
    const timer = state.timers.first();
    if (timer === undefined || timer.dueAtMs > state.atMs) return;
    state.timers.remove(timer);
    emitCommand(reduction, { type: "note", note: { kind: "timer.fired", dueAtMs: timer.dueAtMs } });
    fire(reduction, timer);
  }
}

function fire(reduction: Reduction, timer: Timer): void {
  const { state } = reduction;
  switch (timer.kind) {
    case "call":
      return onCallDue(reduction, timer.item, timer.call);
    case "retry":
      return onRetryDue(reduction, timer.item);
    case "send":
      deliver(reduction, timer.pendingEvent);
      if (timer.pendingEvent.scope !== null)
        optionalModules.fanOuts?.leaveScope(reduction, timer.pendingEvent.scope, timer.pendingEvent.index);
      return;
    case "timeout":
      state.runTimer = null;
      return timeOut(reduction, state.timeoutMs ?? 0);
    case "deadline":
      return timeOut(reduction, Math.max(0, timer.dueAtMs - state.startedAtMs), timer.dueAtMs);
  }
}

function onRetryDue(reduction: Reduction, id: number): void {
  const item = reduction.state.items.get(id);
  if (item?.status !== "delayed") return;
  item.retryTimer = null;
  item.status = "ready";
  markActive(reduction);
  const load = loadOf(reduction, item.step);
  load.ready.unshift(id);
  dispatch(reduction, load);
}

function timeOut(reduction: Reduction, timeoutMs: number, deadlineMs?: number): void {
  const busy = new Set<string>();
  for (const item of reduction.state.items.values())
    if (item.status === "running" || item.status === "suspended") busy.add(item.step);
  const deadline = deadlineMs === undefined ? null : { deadlineMs };
  finish(reduction, { status: "timedOut", timeoutMs, activeSteps: [...busy], ...deadline });
}
