/**
 * Answers to open calls: an event, an answer, or a due time.
 *
 * @module
 */
import { sameValue } from "../../event/equal.js";
import { fieldOf } from "../../event/facts.js";
import type { EventData, WaitRecord } from "../state.js";
import { unlistWait } from "./open-calls.js";
import { wake } from "./slots.js";
import type { Work } from "./work.js";

/** Answers the oldest open wait that this event matches (of this step, if one is named). Returns the name of its step. */
export function answerWait(work: Work, event: EventData, step: string | null): string | null {
  for (const wait of work.state.waits?.get(event.type) ?? []) {
    const item = work.state.items.get(wait.item);
    if (!item || (step !== null && item.step !== step) || !matchesWhere(wait.where, event)) continue;
    resolveWait(work, wait, event);
    return item.step;
  }
  return null;
}

export function resolveWait(work: Work, wait: WaitRecord, event: EventData): void {
  unlistWait(work, wait);
  wait.status = "resolved";
  wait.event = event;
  const item = work.state.items.get(wait.item);
  if (item) wake(work, item, wait);
}

/** A sleep has ended, a wait has timed out, or a call may begin its next attempt. */
export function onCallDue(work: Work, id: number, call: string): void {
  const item = work.state.items.get(id);
  const record = item?.memory?.get(call);
  if (!item || !record || !("status" in record) || record.status !== "open") return;
  if (record.kind === "wait") {
    record.timer = null;
    unlistWait(work, record);
    record.status = "timedOut";
  } else if (record.kind === "sleep") {
    record.timer = null;
    record.status = "done";
  } else if (record.kind === "effect") {
    record.timer = record.dueAtMs = null;
    record.status = "working";
  }
  wake(work, item, record);
}

/** Returns `true` when every field named in `where` has its value. */
export function matchesWhere(where: Readonly<Record<string, unknown>> | null, event: EventData): boolean {
  if (where === null) return true;
  for (const name in where) if (!sameValue(fieldOf(event as never, name), where[name])) return false;
  return true;
}
