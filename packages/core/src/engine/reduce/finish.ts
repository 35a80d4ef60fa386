/**
 * Ends of runs and of failed attempts: retries, the reason of a stuck run, and what a stop event leaves undone.
 *
 * The output of an attempt: an event, a batch, or nothing, and what it has sent.
 *
 * @module
 */
import { type DiscardedEvents, makeEngineEvent, WorkDiscardedEvent } from "../../event/built-in-events.js";
import { applyChange } from "../../state/patches.js";
import { optionalModules } from "../optional-modules.js";
import { enter, type Routing } from "../routing.js";
import type {
  EffectRecord,
  EventData,
  Failure,
  Leftover,
  Outcome,
  PendingEvent,
  RunState,
  SlotlessRecord,
  WorkItem,
} from "../state.js";
import type { Send, StepCompleted, StepFailed } from "../tick.js";
import { terminalEvent } from "./engine-events.js";
import { dispatch, endAttempt, endItem, type FanOutPlace, leaveFanOut, loadOf, queued } from "./items.js";
import { deliver } from "./receive.js";
import {
  byItem,
  currentItem,
  emitCommand,
  markActive,
  publish,
  type Reduction,
  setTimer,
  stopClock,
} from "./reduction.js";

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

// ---- failed attempts: they are retried, go to an error handler or a settling batch, or end the run

export function onStepFailed(reduction: Reduction, tick: StepFailed): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  item.failures++;
  item.lastError = tick.error;
  item.lastFailedAtMs = reduction.state.atMs;
  forgetFailures(item);
  if (tick.retryAtMs === null) {
    if (tick.isGenerator === true) optionalModules.fanOuts?.fanOutOf(reduction, item, false);
    failForGood(reduction, item);
  } else retry(reduction, item, tick.retryAtMs);
}

/**
 * Forgets timed-out waits and failed children, which are then tried again, and with them all of a race that they have decided. Calls of
 * `ctx.run` that have used up their retries are retried, too, and keep the number of their attempts.
 */
function forgetFailures({ calls }: WorkItem): void {
  const races = new Set<string>();
  for (const [call, record] of calls ?? []) {
    if (record.kind === "effect" && record.status === "failed") renewEffect(record);
    else if (
      (record.kind === "wait" && record.status === "timedOut") ||
      (record.kind === "child" && record.status === "failed")
    ) {
      calls?.delete(call);
      if (record.race !== undefined) races.add(record.race);
    }
  }
  if (races.size === 0) return;
  for (const [call, record] of calls ?? [])
    if (races.has(record.kind === "race" ? call : ((record as Partial<SlotlessRecord>).race as string)))
      calls?.delete(call);
}

/** The policy of a call counts anew. */
export function renewEffect(record: EffectRecord): void {
  record.status = "working";
  record.failures = 0;
  record.sinceMs = -1;
  record.dueAtMs = null;
}

function retry(reduction: Reduction, item: WorkItem, retryAtMs: number): void {
  emitCommand(reduction, { type: "note", note: { kind: "step.retrying", item: item.id, retryAtMs } });
  if (retryAtMs > reduction.state.atMs) {
    endAttempt(reduction, item);
    item.retryTimer = setTimer(reduction, retryAtMs, { kind: "retry", item: item.id });
    return;
  }
  retryNow(reduction, item);
}

/** Goes before all queued items, in the slot that it has. */
export function retryNow(reduction: Reduction, item: WorkItem): void {
  const load = loadOf(reduction, item.step);
  if (item.status === "suspended" || item.status === "delayed") markActive(reduction);
  if (item.status === "running") load.running--;
  item.open = 0;
  item.answered = null;
  item.status = "ready";
  queued(load).unshift(item.id);
  dispatch(reduction, load);
}

function failForGood(reduction: Reduction, item: WorkItem): void {
  const failure = failureOf(reduction, item);
  if (optionalModules.recovery?.(reduction, item, failure) || optionalModules.collect?.settle(reduction, item, failure))
    return;
  item.status = "failed"; // its open calls stay listed, so that `retry` finds them unchanged
  finish(reduction, { status: "failed", failure });
}

function failureOf(reduction: Reduction, item: WorkItem): Failure {
  const shape = optionalModules.gathered?.shapeOf(item.input);
  return {
    stepName: item.step,
    error: item.lastError ?? { name: "Error", message: "unknown" },
    attempts: item.failures,
    elapsedMs: reduction.state.atMs - item.firstStartedAtMs,
    failedAtMs: reduction.state.atMs,
    input: inputEvents(item),
    ...(shape !== undefined && { shape }),
  };
}

/** The events of an input with several are known to the feature that made it. */
export function inputEvents({ input }: WorkItem): readonly EventData[] {
  return input.kind === "event" ? [input.event] : (optionalModules.gathered?.eventsOf(input) ?? []);
}

// ---- why a run can never end: what it would need, and which events led to nothing

/** Keeps the first event that led to nothing at a step, so that a run in an endless loop does not collect more. */
export function noteLeftover(state: RunState, leftover: Leftover): void {
  state.unused ??= { unfired: new Set(), leftovers: new Map() };
  const { leftovers } = state.unused;
  const known = leftovers.get(leftover.step);
  if (known === undefined || (known.kind === "nothing" && leftover.kind !== "nothing"))
    leftovers.set(leftover.step, leftover);
}

export function stuck(reduction: Reduction): Failure {
  const { state, routing } = reduction;
  const silent = leftoversOf(reduction, "nothing").map(({ step }) => step);
  const missing = [
    ...(optionalModules.join?.missing(reduction) ?? []),
    ...(optionalModules.fanOuts?.missing(reduction) ?? []),
    ...(optionalModules.collect?.missing(reduction) ?? []),
    ...[...(state.sets?.entries() ?? [])].map(
      ([key, events]) => `collectEvents "${key}" has ${events.length} of its events`,
    ),
  ];
  const message = `Run "${state.runId}" of "${state.workflow}" can never end: no step is left to run, no StopEvent came, and nothing is waited for${
    missing.length > 0 ? `; ${missing.join("; ")}` : ""
  }${silent.map((step) => `; ${nothingOf(step, routing)}`).join("")}.`;
  return {
    stepName: null,
    error: {
      name: "WorkflowError",
      code: "RUN_STUCK",
      message,
      hint: "Return a StopEvent on every path, or wait for an event from outside.",
      details: { runId: state.runId, missing, ...(silent.length > 0 && { returnedNothing: silent }) },
    },
    attempts: 0,
    elapsedMs: state.atMs - state.startedAtMs,
    failedAtMs: state.atMs,
    input: [],
  };
}

function nothingOf(step: string, { steps }: Routing): string {
  const { emits, fanOut } = steps.get(step) ?? { emits: [], fanOut: null };
  const reason = fanOut && optionalModules.fanOuts?.noneOf(step, fanOut.elements);
  return reason ?? `step "${step}", which emits ${emits.join(", ") || "nothing now"}, returned nothing`;
}

export function leftoversOf<Kind extends Leftover["kind"]>(
  { state }: Reduction,
  kind: Kind,
): Extract<Leftover, { readonly kind: Kind }>[] {
  return [...(state.unused?.leftovers.values() ?? [])].filter((leftover) => leftover.kind === kind) as never;
}

// ---- what a stop event leaves undone: reported, because the completed run keeps none of it
// Steps that wait for an event, a time or a child are not reported: a run may well end without an answer.

type DiscardedAt = Pick<DiscardedEvents, "step" | "status">;

/** @param by The item whose output ends the run. */
export function reportDiscarded(reduction: Reduction, by: object): void {
  const { items, timers, inbox, scopes } = reduction.state;
  if (items.size <= 1 && timers === null && inbox === null && scopes === null) return; // there is that item only
  const found = new Map<string, DiscardedEvents>();
  const add = ({ type }: EventData, { step, status }: DiscardedAt): void => {
    const key = `${status} ${step} ${type}`;
    found.set(key, { type, step, status, count: (found.get(key)?.count ?? 0) + 1 });
  };
  for (const item of items.values()) {
    if (item === by || item.status === "suspended") continue;
    const status = hasBegun(reduction, item) ? "running" : "queued";
    for (const event of inputEvents(item)) add(event, { step: item.step, status });
  }
  for (const timer of timers?.toArray() ?? [])
    if (timer.kind === "send") add(timer.pendingEvent.event, { step: timer.pendingEvent.step, status: "delayed" });
  for (const { event, step } of inbox ?? []) add(event, { step, status: "kept" });
  for (const scope of scopes?.values() ?? [])
    for (const [step, { arrivals, fired }] of scope.gathered ?? [])
      if (!fired) for (const { event } of arrivals) add(event, { step, status: "gathered" });
  if (found.size > 0) publish(reduction, makeEngineEvent(WorkDiscardedEvent, { events: [...found.values()] } as never));
}

/** An attempt that this reduction has started does not begin. */
function hasBegun({ commands }: Reduction, { id, attempt, status }: WorkItem): boolean {
  if (attempt === 0) return false;
  if (attempt > 1 || status !== "running") return true;
  return commands?.some((command) => command.type === "attempt.start" && command.item === id) !== true;
}

export function onStepCompleted(reduction: Reduction, tick: StepCompleted): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { output, sends, change, shown } = tick;
  if (change !== undefined) reduction.state.store = applyChange(reduction.state.store, change);
  if (shown !== undefined) for (const event of shown) publish(reduction, event, byItem(item));
  if (sends !== null) lastSends(reduction, item, sends);
  if (isBatch(output)) optionalModules.fanOuts?.take(reduction, item, output);
  else if (output !== null) emit(reduction, output, item);
  else if (sends === null && item.fanOut === null) noteNothing(reduction, item);
  if (reduction.state.status !== "running") return;
  leaveFanOut(reduction, item);
  endItem(reduction, item);
}

function lastSends(reduction: Reduction, item: WorkItem, sends: readonly Send[]): void {
  for (const send of sends) {
    if (item.calls?.has(send.call)) continue;
    if (send.isElement === true) optionalModules.fanOuts?.fanOutOf(reduction, item, false);
    sendOut(reduction, item, send);
  }
}

function isBatch(output: EventData | readonly EventData[] | null): output is readonly EventData[] {
  return Array.isArray(output);
}

/** @param from The place from which the event continues, and its step. */
export function emit(reduction: Reduction, event: EventData, from: FanOutPlace & { readonly step: string }): void {
  const { scope, index, recoveries } = from;
  if (reduction.routing.roles.get(event.type) === "stop") {
    reportDiscarded(reduction, from);
    finish(reduction, { status: "completed", event });
  } else deliver(reduction, { event, scope, index, recoveries, step: null }, from.step);
}

/** Notes a possible reason for a stuck run: an array was empty, or a `return` was forgotten. */
function noteNothing(reduction: Reduction, { step, calls }: WorkItem): void {
  const definition = reduction.routing.steps.get(step);
  if (definition?.fanOut) return noteLeftover(reduction.state, { kind: "fanOut", step });
  if ((definition?.emits.length ?? 0) === 0) return;
  for (const record of calls?.values() ?? []) if (record.kind === "send") return;
  noteLeftover(reduction.state, { kind: "nothing", step });
}

/**
 * Sends an event of a step, now or at its time. Until then it is open work of the sender's fan-out, or of the one that
 * the sender opens.
 */
export function sendOut(reduction: Reduction, item: WorkItem, send: Send): void {
  const { scope, index } = placeOf(reduction, item, send);
  const pendingEvent: PendingEvent = { event: send.event, scope, index, recoveries: item.recoveries, step: send.step };
  if (send.dueAtMs === null || send.dueAtMs <= reduction.state.atMs) return deliver(reduction, pendingEvent, item.step);
  if (scope?.closed) return;
  if (scope !== null) enter(scope, index);
  setTimer(reduction, send.dueAtMs, { kind: "send", pendingEvent });
}

function placeOf(
  reduction: Reduction,
  item: WorkItem,
  { toRun, isElement }: Send,
): Pick<PendingEvent, "scope" | "index"> {
  if (toRun) return { scope: null, index: 0 };
  // Counted, because its opener is at work and may continue as a generator.
  const scope = isElement === true ? optionalModules.fanOuts?.fanOutOf(reduction, item, true) : undefined;
  return scope ? { scope, index: scope.size++ } : item;
}
