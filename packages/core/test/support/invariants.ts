/** What is true of a run between any two ticks. */
import { expect } from "vitest";
import type { Timer } from "../../src/engine/state.js";
import type { RunState, Scope, WorkItem } from "../../src/entries/engine.js";

type Counts = ReadonlyMap<string, number>;

/** Compares what the engine keeps count of with what is there. */
export function expectSoundState(state: RunState): void {
  const items = [...state.items.values()];
  const timers = state.timers?.toArray() ?? [];
  expect(countsKept(state)).toEqual(countsFound(state, items, timers));
  for (const scope of state.scopes?.values() ?? []) {
    expect(scope.closed, `fan-out ${scope.id} is listed, so it is open`).toBe(false);
    expect(scope.open, `fan-out ${scope.id}`).toBeGreaterThan(0);
  }
  for (const { id, status, retryTimer } of items)
    expect(retryTimer !== null && status !== "delayed", `item ${id} has a timer and is ${status}`).toBe(false);
  if (state.status === "completed")
    expect([items.length, timers.length, state.scopes, state.waits, state.prompts, state.inbox]).toEqual([
      0,
      0,
      null,
      null,
      null,
      null,
    ]);
}

function countsKept(state: RunState): Counts {
  const kept = new Map<string, number>();
  if (state.status === "running") kept.set("active", state.active);
  for (const [step, load] of state.loads ?? []) {
    if (load.running !== 0) kept.set(`running ${step}`, load.running);
  }
  for (const scope of state.scopes?.values() ?? []) {
    kept.set(`open ${scope.id}`, scope.open);
    for (const [index, open] of scope.pending ?? []) kept.set(`open ${scope.id}#${index}`, open);
    kept.set(`items ${scope.id}`, scope.items.size);
  }
  kept.set("waits", new Set([...(state.waits?.values() ?? [])].flatMap((waits) => [...waits])).size);
  return kept;
}

function countsFound(state: RunState, items: readonly WorkItem[], timers: readonly Timer[]): Counts {
  const found = new Map<string, number>();
  const count = (name: string, by = 1): void => void found.set(name, (found.get(name) ?? 0) + by);
  const enter = (scope: Scope | null, index: number): void => {
    if (scope === null || scope.closed) return;
    count(`open ${scope.id}`);
    if (scope.pending !== null) count(`open ${scope.id}#${index}`);
  };
  if (state.status === "running") count("active", 0);
  count("waits", 0);
  for (const scope of state.scopes?.values() ?? []) {
    count(`items ${scope.id}`, 0);
    enter(scope.parent, scope.parentIndex);
  }
  for (const item of items) {
    if (state.status === "running" && ["ready", "running", "resuming"].includes(item.status)) count("active");
    if (item.status === "running") count(`running ${item.step}`);
    enter(item.scope, item.index);
    if (item.fanOut !== null && !item.fanOut.closed) count(`open ${item.fanOut.id}`);
    if (item.scope !== null) count(`items ${item.scope.id}`);
    for (const record of item.calls?.values() ?? [])
      if (record.kind === "wait" && record.status === "open") count("waits");
  }
  for (const timer of timers) if (timer.kind === "send") enter(timer.pendingEvent.scope, timer.pendingEvent.index);
  return found;
}
