/**
 * The output of an attempt: an event, a batch, or nothing, and what it has sent.
 *
 * @module
 */
import { applyChange } from "../../state/apply-change.js";
import { features } from "../features.js";
import { enter } from "../links.js";
import type { EventData, Parcel, WorkItem } from "../state.js";
import type { Send, StepCompleted } from "../tick.js";
import { setTimer } from "./clock.js";
import { deliver } from "./deliver.js";
import { reportDiscarded } from "./discarded.js";
import { finish } from "./finish.js";
import { endItem, leaveFan, type Place } from "./items.js";
import { noteLeftover } from "./stuck.js";
import { byItem, currentItem, publish, type Work } from "./work.js";

export function onStepCompleted(work: Work, tick: StepCompleted): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const { output, sends, change, shown } = tick;
  if (change !== undefined) work.state.store = applyChange(work.state.store, change);
  if (shown !== undefined) for (const event of shown) publish(work, event, byItem(item));
  if (sends !== null) lastSends(work, item, sends);
  if (isBatch(output)) features.fans?.take(work, item, output);
  else if (output !== null) emit(work, output, item);
  else if (sends === null && item.fan === null) noteNothing(work, item);
  if (work.state.status !== "running") return;
  leaveFan(work, item);
  endItem(work, item);
}

function lastSends(work: Work, item: WorkItem, sends: readonly Send[]): void {
  for (const send of sends) {
    if (item.memory?.has(send.call)) continue;
    if (send.isElement === true) features.fans?.fanOf(work, item, false);
    sendOut(work, item, send);
  }
}

function isBatch(output: EventData | readonly EventData[] | null): output is readonly EventData[] {
  return Array.isArray(output);
}

/** @param from Where the event goes on, and the step that it comes from. */
export function emit(work: Work, event: EventData, from: Place & { readonly step: string }): void {
  const { scope, index, recoveries } = from;
  if (work.routing.roles.get(event.type) === "stop") {
    reportDiscarded(work, from);
    finish(work, { status: "completed", event });
  } else deliver(work, { event, scope, index, recoveries, step: null }, from.step);
}

/** Notes the reason for a run that gets stuck: an array was empty, or else a `return` was forgotten. */
function noteNothing(work: Work, { step, memory }: WorkItem): void {
  const definition = work.routing.steps.get(step);
  if (definition?.fanOut) return noteLeftover(work.state, { kind: "fanOut", step });
  if ((definition?.emits.length ?? 0) === 0) return;
  for (const record of memory?.values() ?? []) if (record.kind === "send") return;
  noteLeftover(work.state, { kind: "nothing", step });
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
  // Counted, because its opener is at work and may continue as a generator.
  const scope = isElement === true ? features.fans?.fanOf(work, item, true) : undefined;
  return scope ? { scope, index: scope.size++ } : item;
}
