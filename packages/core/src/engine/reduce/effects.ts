/**
 * Attempts of `ctx.run`: begun, failed, succeeded. Between two attempts a call waits as a sleep does, without a worker slot.
 *
 * @module
 */
import { applyChange } from "../../state/apply-change.js";
import type { EffectRecord, WorkItem } from "../state.js";
import type { EffectFailed, EffectOpened, EffectRecorded } from "../tick.js";
import { sendAll } from "./calls.js";
import { setTimer } from "./clock.js";
import { allWritten } from "./engine-events.js";
import { remember } from "./open-calls.js";
import { suspend } from "./slots.js";
import { byItem, currentItem, decide, publish, type Work } from "./work.js";

export function onEffectOpened(work: Work, tick: EffectOpened): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const { callAttempt } = tick;
  const { atMs } = work.state;
  const record = effectOf(item, tick.call) ?? begin(item, tick, atMs);
  record.attempts = callAttempt ?? 1;
  record.status = "working";
  if (record.sinceMs < 0) record.sinceMs = atMs;
}

/** The next attempt begins at once where the policy says so, else with a timer. */
export function onEffectFailed(work: Work, tick: EffectFailed): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const { call, callAttempt, error, retryAtMs, elapsedMs, written } = tick;
  const beganAtMs = work.state.atMs - elapsedMs;
  const record = effectOf(item, call) ?? begin(item, tick, beganAtMs);
  if (record.sinceMs < 0) record.sinceMs = beganAtMs;
  record.attempts = callAttempt ?? 1;
  record.failures++;
  record.lastError = error;
  if (written !== undefined) publish(work, allWritten(call, written), byItem(item, call));
  if (retryAtMs !== null && retryAtMs > work.state.atMs) {
    record.status = "open";
    record.openedAtMs = work.state.atMs;
    record.dueAtMs = retryAtMs;
    record.awaitedIn = 0;
    suspend(work, item, record);
    record.timer = setTimer(work, retryAtMs, { kind: "call", item: item.id, call });
    return;
  }
  record.status = retryAtMs === null ? "failed" : "working";
  settle(work, item, call);
}

export function onEffectRecorded(work: Work, tick: EffectRecorded): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  const { call, value, sends, hasShown, change, shown, written } = tick;
  if (change !== undefined) work.state.store = applyChange(work.state.store, change);
  for (const event of shown ?? []) publish(work, event, byItem(item, call));
  const shows = hasShown === true || shown !== undefined;
  if (written !== undefined) publish(work, allWritten(call, written), byItem(item, call));
  item.memory?.delete(call); // listed in the order of the answers
  remember(item, { kind: "run", call, value, ...(shows && { hasShown: true }) });
  sendAll(work, item, sends);
  settle(work, item, call);
}

function settle(work: Work, item: WorkItem, call: string): void {
  decide(work, { type: "call.settle", item: item.id, call });
}

function effectOf({ memory }: WorkItem, call: string): EffectRecord | null {
  const record = memory?.get(call);
  return record?.kind === "effect" ? record : null;
}

function begin(item: WorkItem, { call, label }: EffectOpened | EffectFailed, atMs: number): EffectRecord {
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
