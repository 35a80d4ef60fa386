/**
 * The life of a run: started, idle, cancelled, loaded, retried; and its due timers.
 *
 * @module
 */

import { freezeState } from "../../value/freeze.js";
import { optionalModules } from "../optional-modules.js";
import type { RunState, Timer } from "../state.js";
import type { RunCancelled, RunResumed, RunRetried, RunStarted } from "../tick.js";
import { finish, interrupt, renewEffect, retryNow, stuck } from "./finish.js";
import { dispatch, loadOf, queued } from "./items.js";
import { deliver, onCallDue } from "./receive.js";
import { answerSender, emitCommand, markActive, type Reduction, refuse, setTimer } from "./reduction.js";

export function onRunStarted(reduction: Reduction, tick: RunStarted): void {
  const { state } = reduction;
  state.startedAtMs = state.atMs;
  optionalModules.collect?.begin(reduction);
  if (tick.store !== undefined) state.store = freezeState(tick.store);
  if (tick.trace !== undefined) state.trace = tick.trace;
  setLimits(reduction, tick.timeoutMs, tick.deadlineMs);
  deliver(reduction, { event: tick.event, scope: null, index: 0, recoveries: null, step: null });
}

function setLimits(reduction: Reduction, timeoutMs: number | null, deadlineMs: number | null): void {
  const { state } = reduction;
  state.timeoutMs = timeoutMs;
  for (const timer of state.timers?.where(({ kind }) => kind === "deadline") ?? []) state.timers?.remove(timer);
  state.deadlineMs = deadlineMs;
  if (deadlineMs !== null) setTimer(reduction, deadlineMs, { kind: "deadline" });
}

/** Resumes a run after a load, a release, or a cancellation. */
export function onRunResumed(reduction: Reduction, tick: RunResumed): void {
  const { state } = reduction;
  if (state.status !== "running" && state.status !== "cancelled")
    return refuse(reduction, tick, `the run is ${state.status}`);
  restart(reduction, tick);
}

/** Runs failed and leftover items again, with reset counters. */
export function onRunRetried(reduction: Reduction, tick: RunRetried): void {
  const { state } = reduction;
  if (state.status !== "failed" && state.status !== "timedOut")
    return refuse(reduction, tick, `the run is ${state.status}`);
  state.activeMs = 0;
  // A passed deadline has had its effect: a caller who asks for more work sets a new one, or none.
  if (state.deadlineMs !== null && state.deadlineMs <= state.atMs) state.deadlineMs = null;
  for (const item of state.items.values()) {
    item.failures = 0;
    item.firstStartedAtMs = -1;
    item.lastError = null;
    if (item.retryTimer !== null) state.timers?.remove(item.retryTimer);
    item.retryTimer = null;
    item.status = "ready";
    for (const record of item.calls?.values() ?? []) {
      if (record.kind !== "effect") continue;
      if (record.timer !== null) state.timers?.remove(record.timer);
      record.timer = null;
      renewEffect(record);
    }
  }
  restart(reduction, tick);
}

function restart(reduction: Reduction, { timeoutMs, deadlineMs }: RunResumed | RunRetried): void {
  const { state } = reduction;
  interrupt(state);
  state.status = "running";
  if (state.outcome !== null) state.continuations++;
  state.outcome = null;
  setLimits(
    reduction,
    timeoutMs === undefined ? state.timeoutMs : timeoutMs,
    deadlineMs === undefined ? state.deadlineMs : deadlineMs,
  );
  requeue(reduction, state);
  fireDue(reduction);
  if (state.status === "running")
    for (const name of [...(state.loads?.keys() ?? [])]) dispatch(reduction, loadOf(reduction, name));
}

/** Items that had begun come first, each group in the order of creation. */
function requeue(reduction: Reduction, state: RunState): void {
  state.active = 0;
  for (const begun of [true, false]) {
    for (const item of state.items.values()) {
      if (item.status !== "ready" || item.attempt > 0 !== begun) continue;
      markActive(reduction);
      queued(loadOf(reduction, item.step)).push(item.id);
    }
  }
}

export function onRunCancelled(reduction: Reduction, tick: RunCancelled): void {
  if (tick.ticket !== undefined)
    answerSender(reduction, tick.ticket, { status: "accepted", sequence: reduction.state.ticks });
  finish(reduction, { status: "cancelled", reason: tick.reason });
}

/** Handles a run with nothing to do now. If nothing can ever arrive, the run fails instead of waiting for ever. */
export function onRunIdled(reduction: Reduction): void {
  const { state, routing } = reduction;
  if (state.active > 0) return;
  const canContinue =
    state.items.size > 0 ||
    (state.timers?.size ?? 0) > 0 ||
    (state.inbox?.length ?? 0) > 0 ||
    routing.external.length > 0;
  if (canContinue) emitCommand(reduction, { type: "note", note: { kind: "run.idle" } });
  else finish(reduction, { status: "failed", failure: stuck(reduction) });
}

// ---- due timers

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
  retryNow(reduction, item);
}

function timeOut(reduction: Reduction, timeoutMs: number, deadlineMs?: number): void {
  const busy = new Set<string>();
  for (const item of reduction.state.items.values())
    if (item.status === "running" || item.status === "suspended") busy.add(item.step);
  const deadline = deadlineMs === undefined ? null : { deadlineMs };
  finish(reduction, { status: "timedOut", timeoutMs, activeSteps: [...busy], ...deadline });
}
