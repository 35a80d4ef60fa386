/**
 * Answers to open calls: an event, an answer, or a due time.
 *
 * @module
 */
import { sameValue } from "../../event/equal.js";
import { fieldOf } from "../../event/facts.js";
import type { EventData, WaitRecord } from "../state.js";
import { unlistWait } from "./open-calls.js";
import type { Reduction } from "./reduction.js";
import { wake } from "./slots.js";

/** Answers the oldest open wait that this event matches (of this step, if one is named). Returns the name of its step. */
export function answerWait(reduction: Reduction, event: EventData, step: string | null): string | null {
  for (const wait of reduction.state.waits?.get(event.type) ?? []) {
    const item = reduction.state.items.get(wait.item);
    if (!item || (step !== null && item.step !== step) || !matchesWhere(wait.where, event)) continue;
    resolveWait(reduction, wait, event);
    return item.step;
  }
  return null;
}

export function resolveWait(reduction: Reduction, wait: WaitRecord, event: EventData): void {
  unlistWait(reduction, wait);
  wait.status = "resolved";
  wait.event = event;
  const item = reduction.state.items.get(wait.item);
  if (item) wake(reduction, item, wait);
}

/** A sleep has ended, a wait has timed out, or a call may begin its next attempt. */
export function onCallDue(reduction: Reduction, id: number, call: string): void {
  const item = reduction.state.items.get(id);
  const record = item?.calls?.get(call);
  if (!item || !record || !("status" in record) || record.status !== "open") return;
  if (record.kind === "wait") {
    record.timer = null;
    unlistWait(reduction, record);
    record.status = "timedOut";
  } else if (record.kind === "sleep") {
    record.timer = null;
    record.status = "done";
  } else if (record.kind === "effect") {
    record.timer = record.dueAtMs = null;
    record.status = "working";
  }
  wake(reduction, item, record);
}

/** Returns `true` when every field named in `where` has its value. */
export function matchesWhere(where: Readonly<Record<string, unknown>> | null, event: EventData): boolean {
  if (where === null) return true;
  for (const name in where) if (!sameValue(fieldOf(event as never, name), where[name])) return false;
  return true;
}
