/**
 * Opens, closes and cancels fan-outs, and adds their elements. See `FanOutState` in `engine/state.ts`.
 *
 * @module
 */

import { type FanOutFeature, optionalModules } from "../optional-modules.js";
import { enter, type Routing } from "../routing.js";
import {
  createFanOutState,
  type EventData,
  type FanOutState,
  type PendingEvent,
  type Timer,
  type WorkItem,
} from "../state.js";
import type { StepYielded } from "../tick.js";
import { emit, leftoversOf, noteLeftover } from "./finish.js";
import { closeCalls, endAttempt, endItem, remember } from "./items.js";
import { currentItem, emitCommand, type Reduction } from "./reduction.js";

/** Number of unfinished elements at which a generator is no longer asked for more. */
const FAN_OUT_BUFFER = 100;

/**
 * The fan-out that `item` feeds, opened by its first element. It stays open (`open` is at least 1) until its opener has
 * ended.
 *
 * @param counted Whether open work is counted by element; for a settling step it always is.
 */
function fanOutOf(reduction: Reduction, item: WorkItem, counted: boolean): FanOutState {
  if (item.fanOut !== null) return item.fanOut;
  const { state, routing } = reduction;
  const parent = item.scope;
  const collects = routing.steps.get(item.step)?.fanOut?.collects ?? [];
  const scope = createFanOutState({
    id: state.nextId++,
    opener: item.step,
    parent,
    parentIndex: item.index,
    collects,
    counted: counted || collects.some((name) => isSettling(reduction, name)),
  });
  scope.open = 1;
  item.fanOut = scope;
  state.scopes ??= new Map();
  state.scopes.set(scope.id, scope);
  if (parent !== null) {
    parent.inner.add(scope);
    enter(parent, item.index);
  }
  return scope;
}

export function isSettling({ routing }: Reduction, name: string): boolean {
  const trigger = routing.steps.get(name)?.trigger;
  return trigger?.kind === "collect" && trigger.settle;
}

export interface Element {
  readonly scope: FanOutState;
  readonly index: number;
}

/** The nearest enclosing fan-out that satisfies `holds`, and its element. */
export function nearestScope(
  from: Pick<PendingEvent, "scope" | "index">,
  holds: (scope: FanOutState) => boolean,
): Element | null {
  let { index } = from;
  for (let { scope } = from; scope !== null; index = scope.parentIndex, scope = scope.parent)
    if (holds(scope)) return { scope, index };
  return null;
}

// ---- the count of open work

/** Work for one element has ended. */
function leaveScope(reduction: Reduction, scope: FanOutState, index: number): void {
  leave(reduction, scope, index);
  closeEmptied(reduction);
}

/** Handles the end of its opener: the fan-out closes with the last of its work. */
function leaveFanOut(reduction: Reduction, fanOut: FanOutState): void {
  fanOut.generator = null;
  leaveOpener(reduction, fanOut);
  closeEmptied(reduction);
}

/** Work for one element has ended. With the last of it the fan-out has to be closed: see `closeEmptied`. */
function leave(reduction: Reduction, scope: FanOutState, index: number): void {
  if (scope.closed) return;
  if (scope.pending !== null) leaveElement(reduction, scope, index);
  leaveOpener(reduction, scope);
}

/** The opener counts as one piece of work of its fan-out. */
function leaveOpener(reduction: Reduction, scope: FanOutState): void {
  if (scope.closed || --scope.open > 0) return;
  if (reduction.emptied === null) reduction.emptied = [scope];
  else reduction.emptied.push(scope);
}

function leaveElement(reduction: Reduction, scope: FanOutState, index: number): void {
  const { pending } = scope;
  if (pending === null) return;
  const left = (pending.get(index) ?? 1) - 1;
  if (left > 0) pending.set(index, left);
  else pending.delete(index);
  if (scope.paused && scope.generator !== null && pending.size < FAN_OUT_BUFFER) {
    scope.paused = false;
    emitCommand(reduction, { type: "generator.pull", item: scope.generator });
  }
}

/** Closes fan-outs without open work one after the other, inner ones first, without recursion. */
function closeEmptied(reduction: Reduction): void {
  for (let scope = reduction.emptied?.pop(); scope !== undefined; scope = reduction.emptied?.pop())
    close(reduction, scope);
}

/** Fires the collect steps in the scope around, in the same reduction, so that no snapshot falls in between. */
function close(reduction: Reduction, scope: FanOutState): void {
  scope.closed = true;
  reduction.state.scopes?.delete(scope.id);
  if (scope.joins !== null) optionalModules.join?.reportLeftovers(reduction, scope.joins);
  for (const name of scope.collects) optionalModules.collect?.fireBatch(reduction, scope, name);
  const { parent } = scope;
  if (parent === null) return;
  parent.inner.delete(scope);
  leave(reduction, parent, scope.parentIndex);
}

/** Ends all work of a fan-out and closes it. */
export function cancelScope(reduction: Reduction, scope: FanOutState): void {
  if (scope.closed) return;
  dropWork(reduction, scope, null);
  scope.open = 0;
  close(reduction, scope);
  closeEmptied(reduction);
  stopGenerator(reduction, scope);
}

/** Stops a generator whose further output is not used. */
function stopGenerator(reduction: Reduction, scope: FanOutState): void {
  const item = scope.generator === null ? undefined : reduction.state.items.get(scope.generator);
  scope.generator = null;
  if (!item) return;
  emitCommand(reduction, { type: "attempt.end", item: item.id, reason: "its fan-out was cancelled" });
  endItem(reduction, item);
}

/** Ends all work of one element. */
export function cancelElement(reduction: Reduction, scope: FanOutState, index: number): void {
  if (scope.closed || !scope.pending?.has(index)) return;
  dropWork(reduction, scope, index);
  const left = scope.pending.get(index) ?? 0;
  for (let count = 0; count < left; count++) leave(reduction, scope, index);
  closeEmptied(reduction);
}

/** Removes all of the work before it frees slots, so that no slot goes to work that is about to be dropped. */
function dropWork(reduction: Reduction, scope: FanOutState, index: number | null): void {
  const dropped: WorkItem[] = [];
  takeOut(reduction, { scope, index }, dropped);
  for (const item of dropped) {
    if (item.calls !== null) closeCalls(reduction, item);
    if (item.retryTimer !== null) reduction.state.timers?.remove(item.retryTimer);
    emitCommand(reduction, { type: "attempt.end", item: item.id, reason: "its fan-out was cancelled" });
    endAttempt(reduction, item);
  }
}

function takeOut(
  reduction: Reduction,
  { scope, index }: { readonly scope: FanOutState; readonly index: number | null },
  dropped: WorkItem[],
): void {
  const { state } = reduction;
  for (const inner of scope.inner) {
    if (index !== null && inner.parentIndex !== index) continue;
    takeOut(reduction, { scope: inner, index: null }, dropped);
    inner.closed = true;
    scope.inner.delete(inner);
    state.scopes?.delete(inner.id);
  }
  for (const id of scope.items) {
    const item = state.items.get(id);
    if (!item || (index !== null && item.index !== index)) continue;
    scope.items.delete(id);
    state.items.delete(id);
    dropped.push(item);
  }
  const isOfIt = (timer: Timer): boolean =>
    timer.kind === "send" &&
    timer.pendingEvent.scope === scope &&
    (index === null || timer.pendingEvent.index === index);
  for (const timer of state.timers?.where(isOfIt) ?? []) state.timers?.remove(timer);
}

// ---- the elements of a fan-out, which a step returns as an array, or yields one after the other

export const fanOutFeature: FanOutFeature = {
  fanOutOf,
  take,
  onStepYielded,
  leaveScope,
  leaveFanOut,
  canEndAlone,
  noneOf,
  missing,
};

function take(reduction: Reduction, item: WorkItem, events: readonly EventData[]): void {
  const scope = fanOutOf(reduction, item, false);
  const { recoveries, step } = item;
  const first = scope.size;
  scope.size += events.length;
  const collects = reduction.routing.steps.get(step)?.fanOut?.collects;
  if (scope.size === 0 && collects?.length === 0) noteLeftover(reduction.state, { kind: "nothing", step });
  for (let index = 0; index < events.length; index++) {
    emit(reduction, events[index] as EventData, { scope, index: first + index, recoveries, step });
    if (reduction.state.status !== "running") return;
  }
}

function onStepYielded(reduction: Reduction, tick: StepYielded): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const scope = fanOutOf(reduction, item, true);
  scope.generator = item.id;
  remember(item, { kind: "yield", call: tick.call, digest: tick.digest });
  if (scope.closed) return stopGenerator(reduction, scope);
  emit(reduction, tick.event, { scope, index: scope.size++, recoveries: item.recoveries, step: item.step });
  if (reduction.state.status !== "running" || scope.closed) return;
  if ((scope.pending?.size ?? 0) < FAN_OUT_BUFFER) emitCommand(reduction, { type: "generator.pull", item: item.id });
  else scope.paused = true;
}

function canEndAlone({ steps }: Routing, { fanOut, scope }: WorkItem): boolean {
  for (let around = fanOut ?? scope; around !== null; around = around.parent) {
    for (const name of around.collects) {
      const trigger = steps.get(name)?.trigger;
      if (trigger?.kind === "collect" && (trigger.settle || trigger.rest === "cancel")) return true;
    }
  }
  return false;
}

function noneOf(step: string, elements: readonly string[]): string {
  return `step "${step}", which emits many(${elements.join(", ")}), returned no element, and no step collects them`;
}

function missing(reduction: Reduction): string[] {
  return leftoversOf(reduction, "fanOut").map(({ step }) => {
    const elements = reduction.routing.steps.get(step)?.fanOut?.elements.join(", ") ?? "";
    return `step "${step}", which emits many(${elements}), returned nothing: return [] for an empty fan-out`;
  });
}
