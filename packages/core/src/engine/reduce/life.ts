/**
 * The life of a run: started, idle, cancelled, loaded, retried.
 *
 * @module
 */
import { freezeState } from "../../state/freeze-state.js";
import { features } from "../features.js";
import type { RunState } from "../state.js";
import type { RunCancelled, RunResumed, RunRetried, RunStarted } from "../tick.js";
import { gain, setTimer, stopClock } from "./clock.js";
import { deliver } from "./deliver.js";
import { fireDue } from "./due.js";
import { renewEffect } from "./failure.js";
import { finish, interrupt } from "./finish.js";
import { dispatch, loadOf } from "./slots.js";
import { stuck } from "./stuck.js";
import { decide, refuse, tell, type Work } from "./work.js";

export function onRunStarted(work: Work, tick: RunStarted): void {
  const { state } = work;
  state.startedAtMs = state.atMs;
  features.collect?.begin(work);
  if (tick.store !== undefined) state.store = freezeState(tick.store);
  if (tick.trace !== undefined) state.trace = tick.trace;
  setLimits(work, tick.timeoutMs, tick.deadlineMs);
  deliver(work, { event: tick.event, scope: null, index: 0, recoveries: null, step: null });
}

function setLimits(work: Work, timeoutMs: number | null, deadlineMs: number | null): void {
  const { state } = work;
  state.timeoutMs = timeoutMs;
  for (const timer of state.timers?.where(({ kind }) => kind === "deadline") ?? []) state.timers?.remove(timer);
  state.deadlineMs = deadlineMs;
  if (deadlineMs !== null) setTimer(work, deadlineMs, { kind: "deadline" });
}

/** Resumes a run after a load, a release, or a cancellation. */
export function onRunResumed(work: Work, tick: RunResumed): void {
  const { state } = work;
  if (state.status !== "running" && state.status !== "cancelled")
    return refuse(work, tick, `the run is ${state.status}`);
  restart(work, tick);
}

/** Runs failed and leftover items again, with reset counters. */
export function onRunRetried(work: Work, tick: RunRetried): void {
  const { state } = work;
  if (state.status !== "failed" && state.status !== "timedOut") return refuse(work, tick, `the run is ${state.status}`);
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
    for (const record of item.memory?.values() ?? []) {
      if (record.kind !== "effect") continue;
      if (record.timer !== null) state.timers?.remove(record.timer);
      record.timer = null;
      renewEffect(record);
    }
  }
  restart(work, tick);
}

function restart(work: Work, { timeoutMs, deadlineMs }: RunResumed | RunRetried): void {
  const { state } = work;
  stopClock(work);
  interrupt(state);
  state.status = "running";
  if (state.outcome !== null) state.ends++;
  state.outcome = null;
  setLimits(
    work,
    timeoutMs === undefined ? state.timeoutMs : timeoutMs,
    deadlineMs === undefined ? state.deadlineMs : deadlineMs,
  );
  requeue(work, state);
  fireDue(work);
  if (state.status === "running")
    for (const name of [...(state.loads?.keys() ?? [])]) dispatch(work, loadOf(work, name));
}

/** Items that had begun come first, each group in the order of creation. */
function requeue(work: Work, state: RunState): void {
  state.active = 0;
  for (const begun of [true, false]) {
    for (const item of state.items.values()) {
      if (item.status !== "ready" || item.attempt > 0 !== begun) continue;
      gain(work);
      loadOf(work, item.step).ready.push(item.id);
    }
  }
}

export function onRunCancelled(work: Work, tick: RunCancelled): void {
  if (tick.ticket !== undefined) tell(work, tick.ticket, { status: "accepted", sequence: work.state.ticks });
  finish(work, { status: "cancelled", reason: tick.reason });
}

/** Nothing is left to do now. When nothing can ever arrive, the run fails instead of waiting for ever. */
export function onRunIdled(work: Work): void {
  const { state, routing } = work;
  if (state.active > 0) return;
  const canContinue =
    state.items.size > 0 ||
    (state.timers?.size ?? 0) > 0 ||
    (state.inbox?.length ?? 0) > 0 ||
    routing.external.length > 0;
  if (canContinue) decide(work, { type: "note", note: { kind: "run.idle" } });
  else finish(work, { status: "failed", failure: stuck(work) });
}
