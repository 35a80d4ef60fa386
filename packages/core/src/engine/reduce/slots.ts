/**
 * Worker slots: which items run, and which are queued.
 *
 * @module
 */
import { Fifo } from "../fifo.js";
import type { SlotlessRecord, StepLoad, WorkItem } from "../state.js";
import { gain, lose } from "./clock.js";
import { stepRestarted } from "./engine-events.js";
import { closeRivals } from "./open-calls.js";
import { byItem, decide, publish, type Work } from "./work.js";

export function loadOf(work: Work, step: string): StepLoad {
  work.state.loads ??= new Map();
  let load = work.state.loads.get(step);
  if (!load) {
    load = { workers: work.routing.steps.get(step)?.workers ?? 1, running: 0, resuming: new Fifo(), ready: new Fifo() };
    work.state.loads.set(step, load);
  }
  return load;
}

/** Assigns free slots: first to items that had one before, then in order of arrival. */
export function dispatch(work: Work, load: StepLoad): void {
  while (load.running < load.workers) {
    const id = load.resuming.shift() ?? load.ready.shift();
    if (id === undefined) return;
    const item = work.state.items.get(id);
    if (item?.status === "resuming") resume(work, load, item);
    else if (item?.status === "ready") start(work, load, item);
  }
}

export function start(work: Work, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  item.attempt++;
  item.open = 0;
  item.answered = null;
  if (item.firstStartedAtMs < 0) item.firstStartedAtMs = work.state.atMs;
  if (item.attempt > 1) publish(work, stepRestarted(item), byItem(item));
  decide(work, { type: "attempt.start", item: item.id });
}

function resume(work: Work, load: StepLoad, item: WorkItem): void {
  load.running++;
  item.status = "running";
  for (const call of item.answered ?? []) decide(work, { type: "call.settle", item: item.id, call });
  item.answered = null;
}

/** Its attempt awaits an open call: the slot is free for others. */
export function suspend(work: Work, item: WorkItem, call: SlotlessRecord): void {
  if (call.awaitedIn === item.attempt) return;
  call.awaitedIn = item.attempt;
  item.open++;
  if (item.status !== "running") return;
  item.status = "suspended";
  lose(work);
  freeSlot(work, item);
  if (work.state.active > 0) return;
  // A run that waits, perhaps for days and among thousands, keeps no table of slots, and none for one item.
  work.state.loads = null;
  work.state.items.shrink();
}

/**
 * An open call was answered or closed. An answer closes the other calls of its race in the same reduction, so no event can
 * reach one of them in between. The attempt is told of those first, and gets its slot back with the answer.
 */
export function wake(work: Work, item: WorkItem, record: SlotlessRecord): void {
  const rivals = record.race === undefined ? none : closeRivals(work, item, record);
  noteAnswer(work, item, record);
  for (const rival of rivals) noteAnswer(work, item, rival);
  for (const rival of rivals) tellAnswer(work, item, rival);
  tellAnswer(work, item, record);
}
const none: readonly SlotlessRecord[] = [];

/** Answered calls are listed in the order of their answers, in which a later attempt gets them, too. */
function noteAnswer(work: Work, item: WorkItem, record: SlotlessRecord): void {
  const { call } = record;
  item.memory?.delete(call);
  item.memory?.set(call, record);
  decide(work, { type: "note", note: { kind: "call.answered", item: item.id, call } });
}

/**
 * While other calls are open, the attempt is told at once and the item stays suspended, because its code most likely
 * awaits them all. The last answer first brings the item back to a slot.
 */
function tellAnswer(work: Work, item: WorkItem, { call, awaitedIn }: SlotlessRecord): void {
  if (awaitedIn !== item.attempt) return; // remembered until the call is repeated
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
    decide(work, { type: "call.settle", item: item.id, call });
}

function freeSlot(work: Work, item: WorkItem): void {
  const load = loadOf(work, item.step);
  load.running--;
  if (load.ready.size > 0 || load.resuming.size > 0) dispatch(work, load);
  // A run keeps no table of all the steps that it has been through.
  else if (load.running === 0) work.state.loads?.delete(item.step);
}

/** Ends the attempt but not the item: the slot is free, and the attempt no longer counts. */
export function endAttempt(work: Work, item: WorkItem): void {
  const { status } = item;
  item.open = 0;
  item.answered = null;
  if (status === "ready" || status === "running" || status === "resuming") lose(work);
  item.status = "delayed";
  if (status === "running") freeSlot(work, item);
}
