/**
 * Work items and worker slots: who runs, who queues.
 *
 * @module
 */
import { Fifo } from "../fifo.js";
import type { MemoryRecord, Recoveries, Scope, StepInput, StepLoad, WorkItem } from "../state.js";
import { stepRestarted } from "./engine-events.js";
import { publish } from "./finish.js";
import { enter, leave } from "./scope.js";
import { gain, lose } from "./time.js";
import { closeCalls } from "./wait.js";
import type { Work } from "./work.js";

export interface Delivery {
  readonly step: string;
  readonly input: StepInput;
}

export interface Place {
  readonly scope: Scope | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
}

/** A new work item for a step: started when a worker is free, else queued. */
export function enqueue(work: Work, { step, input }: Delivery, place: Place): void {
  const { state } = work;
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
    memory: null,
    open: 0,
    answered: null,
    fan: null,
    retryTimer: null,
  };
  state.items.set(id, item);
  if (scope !== null) {
    scope.items.add(id);
    enter(scope, index);
  }
  gain(work);
  const load = loadOf(work, step);
  if (load.running < load.workers && load.ready.size === 0 && load.resuming.size === 0) start(work, load, item);
  else load.ready.push(id);
}

export function loadOf(work: Work, step: string): StepLoad {
  work.state.loads ??= new Map();
  let load = work.state.loads.get(step);
  if (!load) {
    load = { workers: work.routing.steps.get(step)?.workers ?? 1, running: 0, resuming: new Fifo(), ready: new Fifo() };
    work.state.loads.set(step, load);
  }
  return load;
}

/** Gives free slots away: first to items that had one before, then in the order of arrival. */
export function dispatch(work: Work, load: StepLoad): void {
  while (load.running < load.workers) {
    const id = load.resuming.shift() ?? load.ready.shift();
    if (id === undefined) return;
    const item = work.state.items.get(id);
    if (item?.status === "resuming") resume(work, load, item);
    else if (item?.status === "ready") start(work, load, item);
  }
}

function start(work: Work, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  item.attempt++;
  item.open = 0;
  item.answered = null;
  if (item.firstStartedAtMs < 0) item.firstStartedAtMs = work.state.atMs;
  if (item.attempt > 1) publish(work, stepRestarted(item));
  work.commands.push({ type: "attempt.start", item: item.id });
}

function resume(work: Work, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  for (const call of item.answered ?? []) work.commands.push({ type: "call.settle", item: item.id, call });
  item.answered = null;
}

type OpenCall = { readonly call: string; awaitedIn: number };

/** Its attempt awaits an open call: the slot is free for others. */
export function suspend(work: Work, item: WorkItem, call: OpenCall): void {
  if (call.awaitedIn === item.attempt) return;
  call.awaitedIn = item.attempt;
  item.open++;
  if (item.status !== "running") return;
  item.status = "suspended";
  lose(work);
  freeSlot(work, item);
  // A run that waits, perhaps for days and among thousands, keeps no table of who runs.
  if (work.state.active === 0) work.state.loads = null;
}

/**
 * An open call was answered. Told at once while others are still open (the item stays suspended: its code most likely awaits them
 * all); the last answer brings the item back to its slot first.
 */
export function wake(work: Work, item: WorkItem, record: OpenCall & MemoryRecord): void {
  const { call, awaitedIn } = record;
  // Answered calls stand in the order of their answers: so they are answered again to a later attempt.
  item.memory?.delete(call);
  item.memory?.set(call, record);
  if (awaitedIn !== item.attempt) return; // remembered for when it is asked for again
  if (item.open > 0) item.open--;
  if (item.status === "suspended" && item.open === 0) {
    item.status = "resuming";
    item.answered = [call];
    gain(work);
    const load = loadOf(work, item.step);
    load.resuming.push(item.id);
    dispatch(work, load);
  } else if (item.status === "resuming") item.answered?.push(call);
  else if (item.status === "running" || item.status === "suspended")
    work.commands.push({ type: "call.settle", item: item.id, call });
}

function freeSlot(work: Work, item: WorkItem): void {
  const load = loadOf(work, item.step);
  load.running--;
  if (load.ready.size > 0 || load.resuming.size > 0) dispatch(work, load);
}

/** Its attempt is over, the item is not (yet): the slot is free, nothing of the attempt counts any more. */
export function endAttempt(work: Work, item: WorkItem): void {
  const { status } = item;
  item.open = 0;
  item.answered = null;
  if (status === "ready" || status === "running" || status === "resuming") lose(work);
  item.status = "delayed";
  if (status === "running") freeSlot(work, item);
}

/** The item is done with, and counts as finished in its fan-out. */
export function removeItem(work: Work, item: WorkItem): void {
  const { state } = work;
  if (!state.items.delete(item.id)) return;
  if (item.memory !== null) closeCalls(work, item);
  if (item.retryTimer !== null) state.timers?.remove(item.retryTimer);
  endAttempt(work, item);
  const { scope } = item;
  if (scope?.items.delete(item.id)) leave(work, scope, item.index);
}
