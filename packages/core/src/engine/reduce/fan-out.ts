/**
 * Opens, closes and cancels fan-outs. See `Scope` in state.ts.
 *
 * @module
 */

import { features } from "../features.js";
import { enter } from "../links.js";
import { createScope, type Parcel, type Scope, type Timer, type WorkItem } from "../state.js";
import { endItem } from "./items.js";
import { closeCalls } from "./open-calls.js";
import { endAttempt } from "./slots.js";
import { decide, type Work } from "./work.js";

/** Number of unfinished elements at which a generator is no longer asked for more. */
export const FAN_OUT_BUFFER = 100;

/**
 * The fan-out that `item` feeds, opened by its first element. It stays open (`open` is at least 1) until its opener has
 * ended.
 *
 * @param counted Whether open work is counted by element; for a settling step it always is.
 */
export function fanOf(work: Work, item: WorkItem, counted: boolean): Scope {
  if (item.fan !== null) return item.fan;
  const { state, routing } = work;
  const parent = item.scope;
  const collects = routing.steps.get(item.step)?.fanOut?.collects ?? [];
  const scope = createScope({
    id: state.nextId++,
    opener: item.step,
    parent,
    parentIndex: item.index,
    collects,
    counted: counted || collects.some((name) => isSettling(work, name)),
  });
  scope.open = 1;
  item.fan = scope;
  state.scopes ??= new Map();
  state.scopes.set(scope.id, scope);
  if (parent !== null) {
    parent.inner.add(scope);
    enter(parent, item.index);
  }
  return scope;
}

export function isSettling({ routing }: Work, name: string): boolean {
  const trigger = routing.steps.get(name)?.trigger;
  return trigger?.kind === "collect" && trigger.settle;
}

export interface Element {
  readonly scope: Scope;
  readonly index: number;
}

/** The nearest enclosing fan-out that satisfies `holds`, and its element. */
export function nearestScope(from: Pick<Parcel, "scope" | "index">, holds: (scope: Scope) => boolean): Element | null {
  let { index } = from;
  for (let { scope } = from; scope !== null; index = scope.parentIndex, scope = scope.parent)
    if (holds(scope)) return { scope, index };
  return null;
}

// ---- the count of open work: see `Scope` in state.ts

/** Work for one element has ended. */
export function leaveScope(work: Work, scope: Scope, index: number): void {
  leave(work, scope, index);
  closeEmptied(work);
}

/** Its opener has ended: the fan-out closes with the last of its work. */
export function leaveFan(work: Work, fan: Scope): void {
  fan.generator = null;
  leaveOpener(work, fan);
  closeEmptied(work);
}

/** Work for one element has ended. With the last of it the fan-out has to be closed: see `closeEmptied`. */
function leave(work: Work, scope: Scope, index: number): void {
  if (scope.closed) return;
  if (scope.pending !== null) leaveElement(work, scope, index);
  leaveOpener(work, scope);
}

/** The opener counts as one piece of work of its fan-out. */
function leaveOpener(work: Work, scope: Scope): void {
  if (scope.closed || --scope.open > 0) return;
  if (work.emptied === null) work.emptied = [scope];
  else work.emptied.push(scope);
}

function leaveElement(work: Work, scope: Scope, index: number): void {
  const { pending } = scope;
  if (pending === null) return;
  const left = (pending.get(index) ?? 1) - 1;
  if (left > 0) pending.set(index, left);
  else pending.delete(index);
  if (scope.paused && scope.generator !== null && pending.size < FAN_OUT_BUFFER) {
    scope.paused = false;
    decide(work, { type: "generator.pull", item: scope.generator });
  }
}

/** Closes fan-outs without open work one after the other, inner ones first, without recursion. */
function closeEmptied(work: Work): void {
  for (let scope = work.emptied?.pop(); scope !== undefined; scope = work.emptied?.pop()) close(work, scope);
}

/** Fires the collect steps in the scope around, in the same reduction, so that no snapshot falls in between. */
function close(work: Work, scope: Scope): void {
  scope.closed = true;
  work.state.scopes?.delete(scope.id);
  if (scope.joins !== null) features.join?.reportLeftovers(work, scope.joins);
  for (const name of scope.collects) features.collect?.fireBatch(work, scope, name);
  const { parent } = scope;
  if (parent === null) return;
  parent.inner.delete(scope);
  leave(work, parent, scope.parentIndex);
}

/** Ends all work of a fan-out and closes it. */
export function cancelScope(work: Work, scope: Scope): void {
  if (scope.closed) return;
  dropWork(work, scope, null);
  scope.open = 0;
  close(work, scope);
  closeEmptied(work);
  stopGenerator(work, scope);
}

/** Stops a generator whose further output nobody takes. */
export function stopGenerator(work: Work, scope: Scope): void {
  const item = scope.generator === null ? undefined : work.state.items.get(scope.generator);
  scope.generator = null;
  if (!item) return;
  decide(work, { type: "attempt.end", item: item.id, reason: "its fan-out was cancelled" });
  endItem(work, item);
}

/** Ends all work of one element. */
export function cancelElement(work: Work, scope: Scope, index: number): void {
  if (scope.closed || !scope.pending?.has(index)) return;
  dropWork(work, scope, index);
  const left = scope.pending.get(index) ?? 0;
  for (let count = 0; count < left; count++) leave(work, scope, index);
  closeEmptied(work);
}

/** Removes all of the work before it frees slots, so that no slot goes to work that is about to be dropped. */
function dropWork(work: Work, scope: Scope, index: number | null): void {
  const dropped: WorkItem[] = [];
  takeOut(work, { scope, index }, dropped);
  for (const item of dropped) {
    if (item.memory !== null) closeCalls(work, item);
    if (item.retryTimer !== null) work.state.timers?.remove(item.retryTimer);
    decide(work, { type: "attempt.end", item: item.id, reason: "its fan-out was cancelled" });
    endAttempt(work, item);
  }
}

function takeOut(
  work: Work,
  { scope, index }: { readonly scope: Scope; readonly index: number | null },
  dropped: WorkItem[],
): void {
  const { state } = work;
  for (const inner of scope.inner) {
    if (index !== null && inner.parentIndex !== index) continue;
    takeOut(work, { scope: inner, index: null }, dropped);
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
    timer.kind === "send" && timer.parcel.scope === scope && (index === null || timer.parcel.index === index);
  for (const timer of state.timers?.where(isOfIt) ?? []) state.timers?.remove(timer);
}
