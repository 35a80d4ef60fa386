/**
 * The output of an attempt: an event, a batch, or nothing, and what it has sent.
 *
 * @module
 */
import { applyChange } from "../../state/patches.js";
import { optionalModules } from "../optional-modules.js";
import { enter } from "../routing.js";
import type { EventData, PendingEvent, WorkItem } from "../state.js";
import type { Send, StepCompleted } from "../tick.js";
import { finish, noteLeftover, reportDiscarded } from "./finish.js";
import { endItem, type FanOutPlace, leaveFanOut } from "./items.js";
import { deliver } from "./receive.js";
import { byItem, currentItem, publish, type Reduction, setTimer } from "./reduction.js";

export function onStepCompleted(reduction: Reduction, tick: StepCompleted): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { output, sends, change, shown } = tick;
  if (change !== undefined) reduction.state.store = applyChange(reduction.state.store, change);
  if (shown !== undefined) for (const event of shown) publish(reduction, event, byItem(item));
  if (sends !== null) lastSends(reduction, item, sends);
  if (isBatch(output)) optionalModules.fanOuts?.take(reduction, item, output);
  else if (output !== null) emit(reduction, output, item);
  else if (sends === null && item.fanOut === null) noteNothing(reduction, item);
  if (reduction.state.status !== "running") return;
  leaveFanOut(reduction, item);
  endItem(reduction, item);
}

function lastSends(reduction: Reduction, item: WorkItem, sends: readonly Send[]): void {
  for (const send of sends) {
    if (item.calls?.has(send.call)) continue;
    if (send.isElement === true) optionalModules.fanOuts?.fanOutOf(reduction, item, false);
    sendOut(reduction, item, send);
  }
}

function isBatch(output: EventData | readonly EventData[] | null): output is readonly EventData[] {
  return Array.isArray(output);
}

/** @param from The place from which the event continues, and its step. */
export function emit(reduction: Reduction, event: EventData, from: FanOutPlace & { readonly step: string }): void {
  const { scope, index, recoveries } = from;
  if (reduction.routing.roles.get(event.type) === "stop") {
    reportDiscarded(reduction, from);
    finish(reduction, { status: "completed", event });
  } else deliver(reduction, { event, scope, index, recoveries, step: null }, from.step);
}

/** Notes a possible reason for a stuck run: an array was empty, or a `return` was forgotten. */
function noteNothing(reduction: Reduction, { step, calls }: WorkItem): void {
  const definition = reduction.routing.steps.get(step);
  if (definition?.fanOut) return noteLeftover(reduction.state, { kind: "fanOut", step });
  if ((definition?.emits.length ?? 0) === 0) return;
  for (const record of calls?.values() ?? []) if (record.kind === "send") return;
  noteLeftover(reduction.state, { kind: "nothing", step });
}

/**
 * Sends an event of a step, now or at its time. Until then it is open work of the sender's fan-out, or of the one that
 * the sender opens.
 */
export function sendOut(reduction: Reduction, item: WorkItem, send: Send): void {
  const { scope, index } = placeOf(reduction, item, send);
  const pendingEvent: PendingEvent = { event: send.event, scope, index, recoveries: item.recoveries, step: send.step };
  if (send.dueAtMs === null || send.dueAtMs <= reduction.state.atMs) return deliver(reduction, pendingEvent, item.step);
  if (scope?.closed) return;
  if (scope !== null) enter(scope, index);
  setTimer(reduction, send.dueAtMs, { kind: "send", pendingEvent });
}

function placeOf(
  reduction: Reduction,
  item: WorkItem,
  { toRun, isElement }: Send,
): Pick<PendingEvent, "scope" | "index"> {
  if (toRun) return { scope: null, index: 0 };
  // Counted, because its opener is at work and may continue as a generator.
  const scope = isElement === true ? optionalModules.fanOuts?.fanOutOf(reduction, item, true) : undefined;
  return scope ? { scope, index: scope.size++ } : item;
}
