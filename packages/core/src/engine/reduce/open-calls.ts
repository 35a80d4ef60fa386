/**
 * Open calls of a work item: waits, sleeps, children, and effects that wait for their next attempt.
 *
 * @module
 */
import type { CallRecord, RaceRecord, SlotlessRecord, WaitRecord, WorkItem } from "../state.js";
import { emitCommand, type Reduction } from "./reduction.js";

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
export function closeRivals(
  reduction: Reduction,
  { calls }: WorkItem,
  answered: SlotlessRecord,
): readonly SlotlessRecord[] {
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
