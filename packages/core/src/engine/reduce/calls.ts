/**
 * Calls of attempts through `ctx`. Each becomes a record of its work item.
 *
 * @module
 */

import { applyChange } from "../../state/patches.js";
import { listWait } from "../routing.js";
import type {
  ChildRecord,
  EffectRecord,
  EventData,
  RunState,
  SleepRecord,
  SlotlessRecord,
  WaitRecord,
  WorkItem,
} from "../state.js";
import type {
  CallAwaited,
  CallClosed,
  ChildClosed,
  ChildOpened,
  EffectFailed,
  EffectOpened,
  EffectRecorded,
  EventCollected,
  Send,
  SendsCommitted,
  SleepOpened,
  StateEdited,
  StreamWritten,
  WaitOpened,
} from "../tick.js";
import { allWritten } from "./engine-events.js";
import { sendOut } from "./finish.js";
import { closeCall, enterRace, isOpen, remember, settleCall, suspend, wake } from "./items.js";
import { resolveWait, takeKept } from "./receive.js";
import { byItem, currentItem, emitCommand, publish, type Reduction, setTimer } from "./reduction.js";

export function onSendsCommitted(reduction: Reduction, tick: SendsCommitted): void {
  const item = currentItem(reduction, tick);
  if (item !== null) sendAll(reduction, item, tick.sends);
}

function sendAll(reduction: Reduction, item: WorkItem, sends: readonly Send[] = []): void {
  for (const send of sends) {
    if (item.calls?.has(send.call)) continue;
    remember(item, { kind: "send", call: send.call });
    sendOut(reduction, item, send);
  }
}

/** The item that opens a call; `null` if its attempt is over, or an earlier one has opened the call. */
function opening(reduction: Reduction, tick: WaitOpened | SleepOpened | ChildOpened): WorkItem | null {
  const item = currentItem(reduction, tick);
  if (item === null || !item.calls?.has(tick.call)) return item;
  awaitCall(reduction, item, tick.call);
  return null;
}

/** Returns `false` for a call of a race that is decided: it is closed, and nothing was opened. */
function open(reduction: Reduction, item: WorkItem, record: SlotlessRecord): boolean {
  remember(item, record);
  if (enterRace(item, record)) {
    suspend(reduction, item, record);
    return true;
  }
  record.status = "closed";
  settleCall(reduction, item, record.call);
  return false;
}

export function onWaitOpened(reduction: Reduction, tick: WaitOpened): void {
  const item = opening(reduction, tick);
  if (item === null) return;
  const { state } = reduction;
  const { call, accepts, where, prompt, dueAtMs } = tick;
  const order = state.nextId++;
  const promptId = prompt === null ? null : promptIdOf(state, tick.promptId, order);
  const wait: WaitRecord = {
    kind: "wait",
    call,
    openedAtMs: state.atMs,
    awaitedIn: 0,
    order,
    item: item.id,
    accepts,
    where,
    promptId,
    prompt,
    dueAtMs,
    status: "open",
    event: null,
    timer: null,
    ...raceOf(tick),
  };
  if (!open(reduction, item, wait)) return;
  // An answer from before its prompt was not meant for it, so only a wait without a prompt takes kept events.
  const kept = prompt === null ? takeKept(reduction, item.step, wait) : null;
  if (kept !== null) return resolveWait(reduction, wait, kept.event);
  listWait(state, wait);
  if (dueAtMs !== null) wait.timer = setTimer(reduction, dueAtMs, { kind: "call", item: item.id, call });
  if (prompt !== null) publish(reduction, prompt, { promptId, origin: null });
}

function promptIdOf({ runId, prompts }: RunState, given: string | undefined, order: number): string {
  return given === undefined || prompts?.has(given) === true ? `${runId}:${order}` : given;
}

export function onSleepOpened(reduction: Reduction, tick: SleepOpened): void {
  const item = opening(reduction, tick);
  if (item === null) return;
  const { call, dueAtMs } = tick;
  const record: SleepRecord = {
    kind: "sleep",
    call,
    openedAtMs: reduction.state.atMs,
    awaitedIn: 0,
    dueAtMs,
    status: "open",
    timer: null,
    ...raceOf(tick),
  };
  if (open(reduction, item, record)) record.timer = setTimer(reduction, dueAtMs, { kind: "call", item: item.id, call });
}

/** Absent for calls outside of races, which are nearly all. */
function raceOf({ race }: WaitOpened | SleepOpened | ChildOpened): { readonly race?: string } | null {
  return race === undefined ? null : { race };
}

export function onChildOpened(reduction: Reduction, tick: ChildOpened): void {
  const item = opening(reduction, tick);
  if (item === null) return;
  const { call, name, start, sharesStore = false, timeoutMs = null } = tick;
  const runId = `${reduction.state.runId}/${reduction.state.nextId++}`;
  const record: ChildRecord = {
    kind: "child",
    call,
    openedAtMs: reduction.state.atMs,
    awaitedIn: 0,
    name,
    runId,
    start,
    sharesStore,
    timeoutMs,
    status: "open",
    result: null,
    error: null,
    ...raceOf(tick),
  };
  if (!open(reduction, item, record)) return;
  emitCommand(reduction, { type: "child.start", item: item.id, call });
}

export function onChildClosed(reduction: Reduction, tick: ChildClosed): void {
  const item = reduction.state.items.get(tick.item);
  const record = item?.calls?.get(tick.call);
  if (!item || record?.kind !== "child" || record.status !== "open") return;
  record.status = tick.error === null ? "completed" : "failed";
  record.result = tick.result;
  record.error = tick.error;
  wake(reduction, item, record);
}

/** A later attempt repeats a call that an earlier one opened: answered already, or still open. */
export function onCallAwaited(reduction: Reduction, tick: CallAwaited): void {
  const item = currentItem(reduction, tick);
  if (item !== null) awaitCall(reduction, item, tick.call);
}

/** An open call is not opened again. */
function awaitCall(reduction: Reduction, item: WorkItem, call: string): void {
  const record = item.calls?.get(call);
  if (!record) return;
  if (isOpen(record)) suspend(reduction, item, record);
  else settleCall(reduction, item, call);
}

/** A call that was answered meanwhile keeps its answer. */
export function onCallClosed(reduction: Reduction, tick: CallClosed): void {
  const item = currentItem(reduction, tick);
  const record = item?.calls?.get(tick.call);
  if (item === null || !isOpen(record)) return;
  closeCall(reduction, record);
  record.reason = tick.reason;
  wake(reduction, item, record);
}

/**
 * Counts each event once. The last missing event completes the set, which is removed; surplus events stay for the next
 * set.
 */
export function onEventCollected(reduction: Reduction, tick: EventCollected): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { state } = reduction;
  const key = `${item.step}:${tick.buffer}`;
  state.sets ??= new Map();
  const buffer = state.sets.get(key) ?? [];
  const places = tick.accepts ?? tick.expected.map((type) => [type]);
  if (places.some((accepts) => accepts.includes(tick.event.type))) buffer.push(tick.event);
  const events = buffer.length < places.length ? null : takeSet(buffer, places);
  if (buffer.length === 0) state.sets.delete(key);
  else state.sets.set(key, buffer);
  remember(item, { kind: "set", call: tick.call, events });
  settleCall(reduction, item, tick.call);
}

/** The place with the fewest types chooses first: its events fit every wider place, so no set is missed. */
function takeSet(buffer: EventData[], places: readonly (readonly string[])[]): EventData[] | null {
  const left = [...buffer];
  const set: EventData[] = [];
  const narrowFirst = [...places.entries()].sort(([, one], [, other]) => one.length - other.length);
  for (const [place, accepts] of narrowFirst) {
    const position = left.findIndex((event) => accepts.includes(event.type));
    if (position < 0) return null;
    set[place] = left.splice(position, 1)[0] as EventData;
  }
  buffer.splice(0, buffer.length, ...left);
  return set;
}

export function onStateEdited(reduction: Reduction, tick: StateEdited): void {
  const { state } = reduction;
  const { call, value, sends, hasShown } = tick;
  if (tick.item === null) {
    state.store = applyChange(state.store, tick.change);
    return;
  }
  const item = currentItem(reduction, tick as StateEdited & { item: number });
  if (item === null) return;
  if (call !== null) remember(item, { kind: "edit", call, value, ...(hasShown && { hasShown }) });
  state.store = applyChange(state.store, tick.change);
  sendAll(reduction, item, sends);
}

export function onStreamWritten(reduction: Reduction, tick: StreamWritten): void {
  if (tick.item === null) {
    const { type: _, atMs, item, attempt, event, ...shown } = tick;
    return publish(reduction, event, shown);
  }
  const item = currentItem(reduction, tick as StreamWritten & { item: number });
  if (item !== null) publish(reduction, tick.event, byItem(item, tick.call));
}

// ---- attempts of `ctx.run`: begun, failed, succeeded
// Between two attempts a call waits as a sleep does, without a worker slot.

export function onEffectOpened(reduction: Reduction, tick: EffectOpened): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { callAttempt } = tick;
  const { atMs } = reduction.state;
  const record = effectOf(item, tick.call) ?? beginEffect(item, tick, atMs);
  record.attempts = callAttempt ?? 1;
  record.status = "working";
  if (record.sinceMs < 0) record.sinceMs = atMs;
}

/** The next attempt begins at once if the policy has no delay, otherwise with a timer. */
export function onEffectFailed(reduction: Reduction, tick: EffectFailed): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { call, callAttempt, error, retryAtMs, elapsedMs, written } = tick;
  const beganAtMs = reduction.state.atMs - elapsedMs;
  const record = effectOf(item, call) ?? beginEffect(item, tick, beganAtMs);
  if (record.sinceMs < 0) record.sinceMs = beganAtMs;
  record.attempts = callAttempt ?? 1;
  record.failures++;
  record.lastError = error;
  if (written !== undefined) publish(reduction, allWritten(call, written), byItem(item, call));
  if (retryAtMs !== null && retryAtMs > reduction.state.atMs) {
    record.status = "open";
    record.openedAtMs = reduction.state.atMs;
    record.dueAtMs = retryAtMs;
    record.awaitedIn = 0;
    suspend(reduction, item, record);
    record.timer = setTimer(reduction, retryAtMs, { kind: "call", item: item.id, call });
    return;
  }
  record.status = retryAtMs === null ? "failed" : "working";
  settleCall(reduction, item, call);
}

export function onEffectRecorded(reduction: Reduction, tick: EffectRecorded): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const { call, value, sends, hasShown, change, shown, written } = tick;
  if (change !== undefined) reduction.state.store = applyChange(reduction.state.store, change);
  for (const event of shown ?? []) publish(reduction, event, byItem(item, call));
  const shows = hasShown === true || shown !== undefined;
  if (written !== undefined) publish(reduction, allWritten(call, written), byItem(item, call));
  item.calls?.delete(call); // listed in the order of the answers
  remember(item, { kind: "run", call, value, ...(shows && { hasShown: true }) });
  sendAll(reduction, item, sends);
  settleCall(reduction, item, call);
}

function effectOf({ calls }: WorkItem, call: string): EffectRecord | null {
  const record = calls?.get(call);
  return record?.kind === "effect" ? record : null;
}

export function beginEffect(
  item: WorkItem,
  { call, label }: Pick<EffectOpened, "call" | "label">,
  atMs: number,
): EffectRecord {
  const record: EffectRecord = {
    kind: "effect",
    call,
    ...(label !== undefined && { label }),
    openedAtMs: atMs,
    awaitedIn: 0,
    status: "working",
    attempts: 0,
    failures: 0,
    sinceMs: atMs,
    lastError: null,
    dueAtMs: null,
    timer: null,
  };
  remember(item, record);
  return record;
}
