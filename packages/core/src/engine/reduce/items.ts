/**
 * Work items: their worker slots (which run, and which wait in line), their open calls, how they begin and end, and failures that go to
 * error handlers.
 *
 * @module
 */

import { Fifo } from "../collections.js";
import { optionalModules } from "../optional-modules.js";
import { enter } from "../routing.js";
import type {
  CallRecord,
  Failure,
  FanOutState,
  RaceRecord,
  Recoveries,
  SlotlessRecord,
  StepInput,
  StepLoad,
  WaitRecord,
  WorkItem,
} from "../state.js";
import { stepFailed, stepRestarted } from "./engine-events.js";
import { byItem, emitCommand, markActive, markInactive, publish, type Reduction } from "./reduction.js";

export function loadOf(reduction: Reduction, step: string): StepLoad {
  reduction.state.loads ??= new Map();
  let load = reduction.state.loads.get(step);
  if (!load) {
    load = {
      workers: reduction.routing.steps.get(step)?.workers ?? 1,
      running: 0,
      resuming: null,
      ready: null,
    };
    reduction.state.loads.set(step, load);
  }
  return load;
}

/** The items that wait for a worker of the step. */
export function queued(load: StepLoad): Fifo<number> {
  load.ready ??= new Fifo();
  return load.ready;
}

/** Assigns free slots: first to items that had one before, then in order of arrival. */
export function dispatch(reduction: Reduction, load: StepLoad): void {
  while (load.running < load.workers) {
    const id = load.resuming?.shift() ?? load.ready?.shift();
    if (id === undefined) return;
    const item = reduction.state.items.get(id);
    if (item?.status === "resuming") resume(reduction, load, item);
    else if (item?.status === "ready") start(reduction, load, item);
  }
}

export function start(reduction: Reduction, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  item.attempt++;
  item.open = 0;
  item.answered = null;
  if (item.firstStartedAtMs < 0) item.firstStartedAtMs = reduction.state.atMs;
  if (item.attempt > 1) publish(reduction, stepRestarted(item), byItem(item));
  emitCommand(reduction, { type: "attempt.start", item: item.id });
}

function resume(reduction: Reduction, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  for (const call of item.answered ?? []) settleCall(reduction, item, call);
  item.answered = null;
}

/** The attempt gets the answer of a call, which is in its record. */
export function settleCall(reduction: Reduction, item: WorkItem, call: string): void {
  emitCommand(reduction, { type: "call.settle", item: item.id, call });
}

/** Suspends an item whose attempt awaits an open call: the slot is free for others. */
export function suspend(reduction: Reduction, item: WorkItem, call: SlotlessRecord): void {
  if (call.awaitedIn === item.attempt) return;
  call.awaitedIn = item.attempt;
  item.open++;
  if (item.status !== "running") return;
  item.status = "suspended";
  markInactive(reduction);
  freeSlot(reduction, item);
  if (reduction.state.active > 0) return;
  // A run that waits, perhaps for days and among thousands, keeps no table of slots.
  reduction.state.loads = null;
}

/**
 * An open call was answered or closed. An answer closes the other calls of its race in the same reduction, so no event can
 * reach one of them in between. The attempt gets those first, and its slot with the answer.
 */
export function wake(reduction: Reduction, item: WorkItem, record: SlotlessRecord): void {
  const rivals = record.race === undefined ? none : closeRivals(reduction, item, record);
  noteAnswer(reduction, item, record);
  for (const rival of rivals) noteAnswer(reduction, item, rival);
  for (const rival of rivals) answerCall(reduction, item, rival);
  answerCall(reduction, item, record);
}
const none: readonly SlotlessRecord[] = [];

/** Answered calls are listed in the order of their answers, in which a later attempt gets them, too. */
function noteAnswer(reduction: Reduction, item: WorkItem, record: SlotlessRecord): void {
  const { call } = record;
  item.calls?.delete(call);
  item.calls?.set(call, record);
  emitCommand(reduction, { type: "note", note: { kind: "call.answered", item: item.id, call } });
}

/**
 * Resolves one call. While other calls are open, the attempt gets the answer at once and the item stays suspended, because
 * its code most likely awaits them all. The answer to the last call brings the item back to a slot first.
 */
function answerCall(reduction: Reduction, item: WorkItem, { call, awaitedIn }: SlotlessRecord): void {
  if (awaitedIn !== item.attempt) return; // remembered until the call is repeated
  if (item.open > 0) item.open--;
  if (item.status === "suspended" && item.open === 0) {
    item.status = "resuming";
    item.answered = [call];
    markActive(reduction);
    const load = loadOf(reduction, item.step);
    (load.resuming ??= new Fifo()).push(item.id);
    dispatch(reduction, load);
  } else if (item.status === "resuming") item.answered?.push(call);
  else if (item.status === "running" || item.status === "suspended") settleCall(reduction, item, call);
}

function freeSlot(reduction: Reduction, item: WorkItem): void {
  const load = loadOf(reduction, item.step);
  load.running--;
  dispatch(reduction, load);
  // A run keeps no table of all the steps that it has been through.
  if (load.running === 0) reduction.state.loads?.delete(item.step);
}

/** Ends the attempt but not the item: the slot is free, and the attempt no longer counts. */
export function endAttempt(reduction: Reduction, item: WorkItem): void {
  const { status } = item;
  item.open = 0;
  item.answered = null;
  if (status === "ready" || status === "running" || status === "resuming") markInactive(reduction);
  item.status = "delayed";
  if (status === "running") freeSlot(reduction, item);
}

// ---- open calls of a work item: waits, sleeps, children, and effects that wait for their next attempt

export function remember(item: WorkItem, record: CallRecord): void {
  item.calls ??= new Map();
  item.calls.set(record.call, record);
}

export function unlistWait(reduction: Reduction, wait: WaitRecord): void {
  const { state } = reduction;
  for (const type of wait.accepts) {
    const waits = state.waits?.get(type);
    const position = waits?.indexOf(wait) ?? -1;
    if (position >= 0) waits?.splice(position, 1);
    if (waits?.length === 0) state.waits?.delete(type);
  }
  if (state.waits?.size === 0) state.waits = null;
  if (wait.promptId !== null) state.prompts?.delete(wait.promptId);
  if (state.prompts?.size === 0) state.prompts = null;
  if (wait.timer !== null) state.timers?.remove(wait.timer);
  wait.timer = null;
}

/** Closes the open calls of an item that ends. */
export function closeCalls(reduction: Reduction, item: WorkItem): void {
  for (const record of item.calls?.values() ?? []) if (isOpen(record)) closeCall(reduction, record);
}

export function isOpen(record: CallRecord | undefined): record is SlotlessRecord {
  return record !== undefined && "status" in record && record.status === "open";
}

/** Closes the call: its prompt and timer are removed, and its child is cancelled. */
export function closeCall(reduction: Reduction, record: SlotlessRecord): void {
  record.status = "closed";
  switch (record.kind) {
    case "wait":
      return unlistWait(reduction, record);
    case "sleep":
    case "effect":
      if (record.timer !== null) reduction.state.timers?.remove(record.timer);
      record.timer = null;
      return;
    case "child":
      emitCommand(reduction, { type: "child.cancel", runId: record.runId });
  }
}

/** Adds an open call to its race. Returns `false` when the race is decided: the call is closed before it begins. */
export function enterRace({ calls }: WorkItem, { call, race: id }: SlotlessRecord): boolean {
  if (id === undefined) return true;
  const race = raceIn(calls, id) ?? { kind: "race", call: id, open: [], decided: false };
  calls?.set(id, race);
  if (!race.decided) race.open = [...race.open, call];
  return !race.decided;
}

function raceIn(calls: WorkItem["calls"], id: string): RaceRecord | null {
  const record = calls?.get(id);
  return record?.kind === "race" ? record : null;
}

/** Closes the other calls of the race of this one, if this one was answered. Returns the closed ones. */
function closeRivals(reduction: Reduction, { calls }: WorkItem, answered: SlotlessRecord): readonly SlotlessRecord[] {
  const race = answered.race === undefined ? null : raceIn(calls, answered.race);
  if (race === null) return [];
  race.open = race.open.filter((call) => call !== answered.call);
  if (answered.status === "closed") return [];
  race.decided = true;
  const rivals = race.open.map((call) => calls?.get(call)).filter(isOpen);
  race.open = [];
  for (const rival of rivals) closeCall(reduction, rival);
  return rivals;
}

export interface Delivery {
  readonly step: string;
  readonly input: StepInput;
}

export interface FanOutPlace {
  readonly scope: FanOutState | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
}

/** Adds a work item for a step: starts it if a worker is free, otherwise queues it. */
export function enqueue(reduction: Reduction, { step, input }: Delivery, place: FanOutPlace): void {
  const { state } = reduction;
  const { scope, index } = place;
  if (scope?.closed) return;
  const id = state.nextId++;
  const item: WorkItem = {
    id,
    step,
    input,
    scope,
    index,
    recoveries: place.recoveries,
    status: "ready",
    attempt: 0,
    failures: 0,
    firstStartedAtMs: -1,
    lastError: null,
    lastFailedAtMs: 0,
    calls: null,
    open: 0,
    answered: null,
    fanOut: null,
    retryTimer: null,
  };
  state.items.set(id, item);
  if (scope !== null) {
    scope.items.add(id);
    enter(scope, index);
  }
  markActive(reduction);
  const load = loadOf(reduction, step);
  if (load.running < load.workers && !load.ready?.size && !load.resuming?.size) start(reduction, load, item);
  else queued(load).push(id);
}

/**
 * The item is done, and counts as finished in its fan-out, which closes with the last of its work. Must be the last act
 * of the caller.
 */
export function endItem(reduction: Reduction, item: WorkItem): void {
  const { state } = reduction;
  if (!state.items.delete(item.id)) return;
  if (item.calls !== null) closeCalls(reduction, item);
  if (item.retryTimer !== null) state.timers?.remove(item.retryTimer);
  endAttempt(reduction, item);
  const { scope } = item;
  if (scope?.items.delete(item.id)) optionalModules.fanOuts?.leaveScope(reduction, scope, item.index);
}

/** Called when the item has no more elements. */
export function leaveFanOut(reduction: Reduction, { fanOut }: WorkItem): void {
  if (fanOut !== null) optionalModules.fanOuts?.leaveFanOut(reduction, fanOut);
}

// ---- error handlers: they get the failures of steps that have used up their retries

export function recover(reduction: Reduction, item: WorkItem, failure: Failure): boolean {
  const handler = reduction.routing.handlers.get(item.step);
  if (handler === undefined) return false;
  const { name: step, maxRecoveries } = handler;
  const used = item.recoveries?.[step] ?? 0;
  if (used >= maxRecoveries) return false;
  const { scope, index } = item;
  const recoveries = { ...item.recoveries, [step]: used + 1 };
  enqueue(reduction, { step, input: { kind: "event", event: stepFailed(failure) } }, { scope, index, recoveries });
  leaveFanOut(reduction, item); // output from before the failure stays a batch
  endItem(reduction, item);
  return true;
}
