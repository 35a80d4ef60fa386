/**
 * One reduction, and the helpers of all its parts: commands, streamed events, timers and the active time.
 *
 * @module
 */

import { Timers } from "../collections.js";
import type { Routing } from "../routing.js";
import type { EventData, FanOutState, RunState, Timer, TimerPurpose, WorkItem } from "../state.js";
import { type Command, type Receipt, runFinished, type Tick } from "../tick.js";

/** One reduction: what it reads, what it changes, what it decides. */
export interface Reduction {
  readonly routing: Routing;
  readonly state: RunState;
  /** Added to by {@link emitCommand}; `null` before the first. */
  commands: Command[] | null;
  /** Fan-outs without open work, which are closed first; `null` before the first one. */
  emptied: FanOutState[] | null;
}

export function emitCommand(reduction: Reduction, command: Command): void {
  // A list made of its first command takes the memory of one: to push to an empty one takes that of seventeen.
  if (reduction.commands === null) reduction.commands = [command];
  else reduction.commands.push(command);
}

export type Shown = Omit<Extract<Command, { readonly type: "stream.publish" }>, "type" | "sequence" | "event">;
const plain: Shown = { origin: null, promptId: null };

/** Publishes an event to readers of the stream. */
export function publish(reduction: Reduction, event: EventData, shown: Shown = plain): void {
  emitCommand(reduction, { type: "stream.publish", sequence: reduction.state.streamed++, event, ...shown });
}

/** Events of one work item have the same writer. */
export function byItem({ id }: Pick<WorkItem, "id">, call?: string): Shown {
  return { ...plain, writer: String(id), ...(call !== undefined && { call }) };
}

/** Notes a refused tick: its sender gets a receipt, and inspection shows it. */
export function refuse(reduction: Reduction, tick: Tick, reason: string): void {
  const ticket = tick.type === "event.received" || tick.type === "run.cancelled" ? (tick.ticket ?? null) : null;
  if (ticket !== null) answerSender(reduction, ticket, runFinished(reduction.state.status));
  emitCommand(reduction, { type: "note", note: { kind: "tick.refused", tick: tick.type, reason } });
}

export function answerSender(reduction: Reduction, ticket: number, receipt: Receipt): void {
  emitCommand(reduction, { type: "receipt.send", ticket, receipt });
}

/** Returns whether the tick of this attempt still counts. */
export function isCurrent({ attempt, status }: WorkItem, said: number): boolean {
  return attempt === said && (status === "running" || status === "suspended" || status === "resuming");
}

/** The item whose attempt this tick is from; `null` (and a note) when that attempt no longer counts. */
export function currentItem(
  reduction: Reduction,
  tick: Tick & { readonly item: number; readonly attempt: number },
): WorkItem | null {
  const item = reduction.state.items.get(tick.item);
  if (item && isCurrent(item, tick.attempt)) return item;
  refuse(reduction, tick, `attempt ${tick.attempt} of item ${tick.item} has ended`);
  return null;
}

// ---- timers, and the active time of a run

export function setTimer(reduction: Reduction, dueAtMs: number, purpose: TimerPurpose): Timer {
  const { state } = reduction;
  state.timers ??= new Timers();
  return state.timers.add({ dueAtMs, order: state.nextId++, position: 0, ...purpose });
}

/** Counts one more item that is ready or running. */
export function markActive(reduction: Reduction): void {
  const { state } = reduction;
  if (state.active++ > 0) return;
  state.activeSinceMs = state.atMs;
  if (state.timeoutMs !== null)
    state.runTimer = setTimer(reduction, state.atMs + state.timeoutMs - state.activeMs, { kind: "timeout" });
}

/** Counts one less item that is ready or running. */
export function markInactive(reduction: Reduction): void {
  const { state } = reduction;
  if (--state.active === 0) stopClock(reduction);
}

/** Stops counting active time until an item is ready or running again. */
export function stopClock({ state }: Pick<Reduction, "state">): void {
  if (state.activeSinceMs === null) return;
  state.activeMs += state.atMs - state.activeSinceMs;
  state.activeSinceMs = null;
  if (state.runTimer !== null) state.timers?.remove(state.runTimer);
  state.runTimer = null;
}
