/**
 * The output of an attempt: an event, a batch, nothing, or one element after the other.
 *
 * @module
 */

import { applyChange } from "../../state/apply-change.js";
import { enter } from "../links.js";
import type { EventData, Parcel, WorkItem } from "../state.js";
import type { Send, StepCompleted, StepYielded } from "../tick.js";
import { setTimer } from "./clock.js";
import { deliver } from "./deliver.js";
import { endItem, fanOf, leaveFan, stopGenerator } from "./fan-out.js";
import { finish } from "./finish.js";
import type { Place } from "./items.js";
import { remember } from "./open-calls.js";
import { FAN_OUT_BUFFER } from "./scope-count.js";
import { publish } from "./stream.js";
import { noteLeftover } from "./stuck.js";

import { currentItem, type Work } from "./work.js";

export function onStepCompleted(work: Work, tick: StepCompleted): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const { output, sends, change, shown } = tick;
  if (change !== undefined) work.state.store = applyChange(work.state.store, change);
  if (shown !== undefined) for (const event of shown) publish(work, event);
  if (sends !== null) lastSends(work, item, sends);
  if (isBatch(output)) fanOut(work, item, output);
  else if (output !== null) emit(work, output, item);
  else if (sends === null && item.fan === null) noteNothing(work, item);
  if (work.state.status !== "running") return;
  leaveFan(work, item);
  endItem(work, item);
}

function lastSends(work: Work, item: WorkItem, sends: readonly Send[]): void {
  for (const send of sends) {
    if (item.memory?.has(send.call)) continue;
    if (send.isElement === true) fanOf(work, item, false);
    sendOut(work, item, send);
  }
}

function isBatch(output: EventData | readonly EventData[] | null): output is readonly EventData[] {
  return Array.isArray(output);
}

/** @param from Where the event goes on, and the step that it comes from. */
function emit(work: Work, event: EventData, from: Place & { readonly step: string }): void {
  const { scope, index, recoveries } = from;
  if (work.routing.roles.get(event.type) === "stop") finish(work, { status: "completed", event });
  else deliver(work, { event, scope, index, recoveries, step: null }, from.step);
}

function fanOut(work: Work, item: WorkItem, events: readonly EventData[]): void {
  const scope = fanOf(work, item, false);
  const { recoveries, step } = item;
  const first = scope.size;
  scope.size += events.length;
  if (scope.size === 0 && isUngathered(work, item)) noteLeftover(work.state, { kind: "nothing", step: item.step });
  for (let index = 0; index < events.length; index++) {
    emit(work, events[index] as EventData, { scope, index: first + index, recoveries, step });
    if (work.state.status !== "running") return;
  }
}

function isUngathered({ routing }: Work, { step }: WorkItem): boolean {
  return routing.steps.get(step)?.fanOut?.collects.length === 0;
}

/** Notes the reason for a run that gets stuck: an array was empty, or else a `return` was forgotten. */
function noteNothing(work: Work, { step, memory }: WorkItem): void {
  const definition = work.routing.steps.get(step);
  if (definition?.fanOut) return noteLeftover(work.state, { kind: "fanOut", step });
  if ((definition?.emits.length ?? 0) === 0) return;
  for (const record of memory?.values() ?? []) if (record.kind === "send") return;
  noteLeftover(work.state, { kind: "nothing", step });
}

export function onStepYielded(work: Work, tick: StepYielded): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const scope = fanOf(work, item, true);
  scope.generator = item.id;
  remember(item, { kind: "yield", call: tick.call, digest: tick.digest });
  if (scope.closed) return stopGenerator(work, scope);
  emit(work, tick.event, { scope, index: scope.size++, recoveries: item.recoveries, step: item.step });
  if (work.state.status !== "running" || scope.closed) return;
  if ((scope.pending?.size ?? 0) < FAN_OUT_BUFFER) work.commands.push({ type: "generator.pull", item: item.id });
  else scope.paused = true;
}

/**
 * Sends an event of a step, now or at its time. Until then it is open work of the sender's fan-out, or of the one that
 * the sender opens.
 */
export function sendOut(work: Work, item: WorkItem, send: Send): void {
  const { scope, index } = placeOf(work, item, send);
  const parcel: Parcel = { event: send.event, scope, index, recoveries: item.recoveries, step: send.step };
  if (send.dueAtMs === null || send.dueAtMs <= work.state.atMs) return deliver(work, parcel, item.step);
  if (scope?.closed) return;
  if (scope !== null) enter(scope, index);
  setTimer(work, send.dueAtMs, { kind: "send", parcel });
}

function placeOf(work: Work, item: WorkItem, { toRun, isElement }: Send): Pick<Parcel, "scope" | "index"> {
  if (toRun) return { scope: null, index: 0 };
  if (isElement !== true) return item;
  // Counted, because its opener is at work and may continue as a generator.
  const scope = fanOf(work, item, true);
  return { scope, index: scope.size++ };
}
