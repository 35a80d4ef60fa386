/**
 * Due timers.
 *
 * @module
 */
import { features } from "../features.js";
import type { Timer } from "../state.js";
import { onCallDue } from "./answers.js";
import { gain } from "./clock.js";
import { deliver } from "./deliver.js";
import { finish } from "./finish.js";
import { dispatch, loadOf } from "./slots.js";
import { decide, type Work } from "./work.js";

/** Fires the timers that are due at the time of the current tick, earliest first. */
export function fireDue(work: Work): void {
  const { state } = work;
  while (state.timers !== null && state.status === "running") {
    const timer = state.timers.first();
    if (timer === undefined || timer.dueAtMs > state.atMs) return;
    state.timers.remove(timer);
    decide(work, { type: "note", note: { kind: "timer.fired", dueAtMs: timer.dueAtMs } });
    fire(work, timer);
  }
}

function fire(work: Work, timer: Timer): void {
  const { state } = work;
  switch (timer.kind) {
    case "call":
      return onCallDue(work, timer.item, timer.call);
    case "retry":
      return onRetryDue(work, timer.item);
    case "send":
      deliver(work, timer.parcel);
      if (timer.parcel.scope !== null) features.fans?.leaveScope(work, timer.parcel.scope, timer.parcel.index);
      return;
    case "timeout":
      state.runTimer = null;
      return timeOut(work, state.timeoutMs ?? 0);
    case "deadline":
      return timeOut(work, Math.max(0, timer.dueAtMs - state.startedAtMs), timer.dueAtMs);
  }
}

function onRetryDue(work: Work, id: number): void {
  const item = work.state.items.get(id);
  if (item?.status !== "delayed") return;
  item.retryTimer = null;
  item.status = "ready";
  gain(work);
  const load = loadOf(work, item.step);
  load.ready.unshift(id);
  dispatch(work, load);
}

function timeOut(work: Work, timeoutMs: number, deadlineMs?: number): void {
  const busy = new Set<string>();
  for (const item of work.state.items.values())
    if (item.status === "running" || item.status === "suspended") busy.add(item.step);
  const deadline = deadlineMs === undefined ? null : { deadlineMs };
  finish(work, { status: "timedOut", timeoutMs, activeSteps: [...busy], ...deadline });
}
