/**
 * Restores what follows from the rest of a run, and compares it with the snapshot.
 *
 * @module
 */
import { enter, listWait } from "../engine/links.js";
import type { RunState, WaitRecord } from "../engine/state.js";
import { invalidSnapshot } from "./snapshot-errors.js";

/** Lists open waits of all items, the oldest first. Their prompts come before those that steps emitted. */
export function listWaits(state: RunState): void {
  const records = [...state.items.values()].flatMap((item) => [...(item.calls?.values() ?? [])]);
  const open = records.filter((record) => record.kind === "wait" && record.status === "open") as WaitRecord[];
  for (const record of open.sort((left, right) => left.order - right.order)) listWait(state, record);
}

/**
 * Checks the timers of everything that waits: without its timer, an item would wait for ever.
 *
 * @param snapshot Names the snapshot in errors.
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when something waits for a time without a timer.
 */
export function checkTimers({ items }: RunState, snapshot: string): void {
  for (const item of items.values()) {
    const path = `${snapshot}.items: item ${item.id}`;
    if ((item.status === "delayed") !== (item.retryTimer !== null))
      throw invalidSnapshot(path, "delayed without a timer, or the other way round");
    for (const record of item.calls?.values() ?? []) {
      if (record.kind !== "wait" && record.kind !== "sleep" && record.kind !== "effect") continue;
      const needsTimer = record.status === "open" && record.dueAtMs !== null;
      if (needsTimer !== (record.timer !== null))
        throw invalidSnapshot(path, `at odds with the timers of its call "${record.call}"`);
    }
  }
}

/**
 * Counts the open work of fan-outs.
 *
 * @param snapshot Names the snapshot in errors.
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when a fan-out has none.
 */
export function countOpen({ items, scopes, timers }: RunState, snapshot: string): void {
  for (const { parent, parentIndex } of scopes?.values() ?? []) if (parent !== null) enter(parent, parentIndex);
  for (const { scope, index } of items.values()) if (scope !== null) enter(scope, index);
  for (const timer of timers?.toArray() ?? [])
    if (timer.kind === "send" && timer.pendingEvent.scope !== null)
      enter(timer.pendingEvent.scope, timer.pendingEvent.index);
  for (const { id, open } of scopes?.values() ?? [])
    if (open === 0) throw invalidSnapshot(`${snapshot}.scopes`, `a list with fan-out ${id}, in which nothing is open`);
}
