/**
 * Adds and removes work items, and passes failures to error handlers.
 *
 * @module
 */

import { optionalModules } from "../optional-modules.js";
import { enter } from "../routing.js";
import type { Failure, FanOutState, Recoveries, StepInput, WorkItem } from "../state.js";
import { stepFailed } from "./engine-events.js";
import { markActive, type Reduction } from "./reduction.js";
import { closeCalls, endAttempt, loadOf, start } from "./slots.js";

export interface Delivery {
  readonly step: string;
  readonly input: StepInput;
}

export interface FanOutPlace {
  readonly scope: FanOutState | null;
  readonly index: number;
  readonly recoveries: Recoveries | null;
}

/** Adds a work item for a step: starts it if a worker is free, otherwise queues it. */
export function enqueue(reduction: Reduction, { step, input }: Delivery, place: FanOutPlace): void {
  const { state } = reduction;
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
    calls: null,
    open: 0,
    answered: null,
    fanOut: null,
    retryTimer: null,
  };
  state.items.set(id, item);
  if (scope !== null) {
    scope.items.add(id);
    enter(scope, index);
  }
  markActive(reduction);
  const load = loadOf(reduction, step);
  if (load.running < load.workers && load.ready.size === 0 && load.resuming.size === 0) start(reduction, load, item);
  else load.ready.push(id);
}

/**
 * The item is done, and counts as finished in its fan-out, which closes with the last of its work. Must be the last act
 * of the caller.
 */
export function endItem(reduction: Reduction, item: WorkItem): void {
  const { state } = reduction;
  if (!state.items.delete(item.id)) return;
  if (item.calls !== null) closeCalls(reduction, item);
  if (item.retryTimer !== null) state.timers?.remove(item.retryTimer);
  endAttempt(reduction, item);
  const { scope } = item;
  if (scope?.items.delete(item.id)) optionalModules.fanOuts?.leaveScope(reduction, scope, item.index);
}

/** Called when the item has no more elements. */
export function leaveFanOut(reduction: Reduction, { fanOut }: WorkItem): void {
  if (fanOut !== null) optionalModules.fanOuts?.leaveFanOut(reduction, fanOut);
}

// ---- error handlers: they get the failures of steps that have used up their retries

export function recover(reduction: Reduction, item: WorkItem, failure: Failure): boolean {
  const handler = reduction.routing.handlers.get(item.step);
  if (handler === undefined) return false;
  const { name: step, maxRecoveries } = handler;
  const used = item.recoveries?.[step] ?? 0;
  if (used >= maxRecoveries) return false;
  const { scope, index } = item;
  const recoveries = { ...item.recoveries, [step]: used + 1 };
  enqueue(reduction, { step, input: { kind: "event", event: stepFailed(failure) } }, { scope, index, recoveries });
  leaveFanOut(reduction, item); // output from before the failure stays a batch
  endItem(reduction, item);
  return true;
}
