/**
 * What an attempt gives: an event, a batch, nothing, or one element after the other.
 *
 * @module
 */
import type { EventData, Parcel, Scope, WorkItem } from "../state.js";
import type { Send, StepCompleted, StepYielded } from "../tick.js";
import { deliver } from "./deliver.js";
import { removeItem } from "./dispatch.js";
import { finish } from "./finish.js";
import { enter, FAN_OUT_BUFFER, leaveOpener, openScope } from "./scope.js";
import { setTimer } from "./time.js";
import { remember } from "./wait.js";
import { currentItem, type Work } from "./work.js";

export function onStepCompleted(work: Work, tick: StepCompleted): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  if (tick.sends !== null) for (const send of tick.sends) if (!item.memory?.has(send.call)) sendOut(work, item, send);
  const { output } = tick;
  if (isBatch(output)) fanOut(work, item, output);
  else if (output !== null) emit(work, item, output);
  if (work.state.status !== "running") return;
  if (item.fan !== null) closeFan(work, item.fan);
  removeItem(work, item);
}

function isBatch(output: EventData | readonly EventData[] | null): output is readonly EventData[] {
  return Array.isArray(output);
}

function emit(work: Work, item: WorkItem, event: EventData): void {
  if (work.routing.roles.get(event.type) === "stop") finish(work, { status: "completed", event });
  else deliver(work, { event, scope: item.scope, index: item.index, recoveries: item.recoveries, step: null });
}

function fanOut(work: Work, item: WorkItem, events: readonly EventData[]): void {
  const scope = openScope(work, item, false);
  scope.size = events.length;
  for (let index = 0; index < events.length; index++) {
    emitElement(work, { item, scope, index }, events[index] as EventData);
    if (work.state.status !== "running") return;
  }
  leaveOpener(work, scope);
}

interface Element {
  readonly item: WorkItem;
  readonly scope: Scope;
  readonly index: number;
}

function emitElement(work: Work, { item, scope, index }: Element, event: EventData): void {
  if (work.routing.roles.get(event.type) === "stop") finish(work, { status: "completed", event });
  else deliver(work, { event, scope, index, recoveries: item.recoveries, step: null });
}

export function onStepYielded(work: Work, tick: StepYielded): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  item.fan ??= openScope(work, item, true);
  const scope = item.fan;
  remember(item, { kind: "yield", call: tick.call, digest: tick.digest });
  const index = scope.size++;
  emitElement(work, { item, scope, index }, tick.event);
  if (work.state.status !== "running" || scope.closed) return;
  if ((scope.pending?.size ?? 0) < FAN_OUT_BUFFER) work.commands.push({ type: "generator.pull", item: item.id });
  else scope.paused = true;
}

function closeFan(work: Work, scope: Scope): void {
  scope.generator = null;
  leaveOpener(work, scope);
}

/** An event that a step sent: now, or when its time comes. It is open work of the sender's fan-out, also while it waits. */
export function sendOut(work: Work, item: WorkItem, send: Send): void {
  const { scope, index } = item;
  const parcel: Parcel = {
    event: send.event,
    scope: send.toRun ? null : scope,
    index: send.toRun ? 0 : index,
    recoveries: item.recoveries,
    step: send.step,
  };
  if (send.dueAtMs === null || send.dueAtMs <= work.state.atMs) return deliver(work, parcel);
  if (parcel.scope !== null) enter(parcel.scope, index);
  setTimer(work, send.dueAtMs, { kind: "send", parcel });
}
