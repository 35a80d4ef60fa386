/**
 * Attempts of `ctx.run`: begun, failed, succeeded. Between two attempts a call waits as a sleep does, without a worker slot.
 *
 * @module
 */
import { applyChange } from "../../state/patches.js";
import type { EffectRecord, WorkItem } from "../state.js";
import type { EffectFailed, EffectOpened, EffectRecorded } from "../tick.js";
import { sendAll } from "./calls.js";
import { allWritten } from "./engine-events.js";
import { byItem, currentItem, emitCommand, publish, type Reduction, setTimer } from "./reduction.js";
import { remember, suspend } from "./slots.js";

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
  settle(reduction, item, call);
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
  settle(reduction, item, call);
}

function settle(reduction: Reduction, item: WorkItem, call: string): void {
  emitCommand(reduction, { type: "call.settle", item: item.id, call });
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
