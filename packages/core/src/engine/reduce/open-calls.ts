/**
 * Open calls of a work item: waits, sleeps and children.
 *
 * @module
 */
import { SmallMap } from "../small-map.js";
import type { MemoryRecord, WaitRecord, WorkItem } from "../state.js";
import { decide, type Work } from "./work.js";

export function remember(item: WorkItem, record: MemoryRecord): void {
  item.memory ??= new SmallMap();
  item.memory.set(record.call, record);
}

export function unlistWait(work: Work, wait: WaitRecord): void {
  const { state } = work;
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
export function closeCalls(work: Work, item: WorkItem): void {
  for (const record of item.memory?.values() ?? []) {
    if (record.kind === "wait" && record.status === "open") unlistWait(work, record);
    else if (record.kind === "sleep" && record.timer !== null) work.state.timers?.remove(record.timer);
    else if (record.kind === "child" && record.status === "open")
      decide(work, { type: "child.cancel", runId: record.runId });
  }
}
