/**
 * Adds and removes work items.
 *
 * @module
 */
import { features } from "../features.js";
import { enter } from "../links.js";
import type { Recoveries, Scope, StepInput, WorkItem } from "../state.js";
import { gain } from "./clock.js";
import { closeCalls } from "./open-calls.js";
import { endAttempt, loadOf, start } from "./slots.js";
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

/** Adds a work item for a step: starts it when a worker is free, else queues it. */
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

/**
 * The item is done, and counts as finished in its fan-out, which closes with the last of its work. Must be the last act
 * of the caller.
 */
export function endItem(work: Work, item: WorkItem): void {
  const { state } = work;
  if (!state.items.delete(item.id)) return;
  if (item.memory !== null) closeCalls(work, item);
  if (item.retryTimer !== null) state.timers?.remove(item.retryTimer);
  endAttempt(work, item);
  const { scope } = item;
  if (scope?.items.delete(item.id)) features.fans?.leaveScope(work, scope, item.index);
}

/** The item gives no more elements. */
export function leaveFan(work: Work, { fan }: WorkItem): void {
  if (fan !== null) features.fans?.leaveFan(work, fan);
}
