/**
 * Worker slots: which items run, and which are queued.
 *
 * @module
 */
import { Fifo } from "../fifo.js";
import type { SlotlessRecord, StepLoad, WorkItem } from "../state.js";
import { markActive, markInactive } from "./clock.js";
import { stepRestarted } from "./engine-events.js";
import { closeRivals } from "./open-calls.js";
import { byItem, emitCommand, publish, type Reduction } from "./reduction.js";

export function loadOf(reduction: Reduction, step: string): StepLoad {
  reduction.state.loads ??= new Map();
  let load = reduction.state.loads.get(step);
  if (!load) {
    load = {
      workers: reduction.routing.steps.get(step)?.workers ?? 1,
      running: 0,
      resuming: new Fifo(),
      ready: new Fifo(),
    };
    reduction.state.loads.set(step, load);
  }
  return load;
}

/** Assigns free slots: first to items that had one before, then in order of arrival. */
export function dispatch(reduction: Reduction, load: StepLoad): void {
  while (load.running < load.workers) {
    const id = load.resuming.shift() ?? load.ready.shift();
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
  for (const call of item.answered ?? []) emitCommand(reduction, { type: "call.settle", item: item.id, call });
  item.answered = null;
}

/** Its attempt awaits an open call: the slot is free for others. */
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
 * While other calls are open, the attempt gets the answer at once and the item stays suspended, because its code most likely
 * awaits them all. The last answer first brings the item back to a slot.
 */
function answerCall(reduction: Reduction, item: WorkItem, { call, awaitedIn }: SlotlessRecord): void {
  if (awaitedIn !== item.attempt) return; // remembered until the call is repeated
  if (item.open > 0) item.open--;
  if (item.status === "suspended" && item.open === 0) {
    item.status = "resuming";
    item.answered = [call];
    markActive(reduction);
    const load = loadOf(reduction, item.step);
    load.resuming.push(item.id);
    dispatch(reduction, load);
  } else if (item.status === "resuming") item.answered?.push(call);
  else if (item.status === "running" || item.status === "suspended")
    emitCommand(reduction, { type: "call.settle", item: item.id, call });
}

function freeSlot(reduction: Reduction, item: WorkItem): void {
  const load = loadOf(reduction, item.step);
  load.running--;
  if (load.ready.size > 0 || load.resuming.size > 0) dispatch(reduction, load);
  // A run keeps no table of all the steps that it has been through.
  else if (load.running === 0) reduction.state.loads?.delete(item.step);
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
