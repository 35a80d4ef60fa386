/**
 * Failed attempts: they are retried, go to an error handler or a settling batch, or end the run.
 *
 * @module
 */
import { features } from "../features.js";
import type { EffectRecord, EventData, Failure, SlotlessRecord, WorkItem } from "../state.js";
import type { StepFailed } from "../tick.js";
import { gain, setTimer } from "./clock.js";
import { finish } from "./finish.js";
import { dispatch, endAttempt, loadOf } from "./slots.js";
import { currentItem, decide, type Work } from "./work.js";

export function onStepFailed(work: Work, tick: StepFailed): void {
  const item = currentItem(work, tick);
  if (item === null) return;
  if (tick.isRefused !== true) {
    item.failures++;
    item.lastError = tick.error;
    item.lastFailedAtMs = work.state.atMs;
    forgetFailures(item);
  }
  if (tick.retryAtMs === null) {
    if (tick.isGenerator === true) features.fans?.fanOf(work, item, false);
    failForGood(work, item);
  } else retry(work, item, tick.retryAtMs);
}

/**
 * Forgets timed-out waits and failed children, which are then tried again, and with them all of a race that they have decided. Calls of
 * `ctx.run` that have failed for good are tried again, too, and keep the number of their attempts.
 */
function forgetFailures({ memory }: WorkItem): void {
  const races = new Set<string>();
  for (const [call, record] of memory ?? []) {
    if (record.kind === "effect" && record.status === "failed") renewEffect(record);
    else if (
      (record.kind === "wait" && record.status === "timedOut") ||
      (record.kind === "child" && record.status === "failed")
    ) {
      memory?.delete(call);
      if (record.race !== undefined) races.add(record.race);
    }
  }
  if (races.size === 0) return;
  for (const [call, record] of memory ?? [])
    if (races.has(record.kind === "race" ? call : ((record as Partial<SlotlessRecord>).race as string)))
      memory?.delete(call);
}

/** The policy of a call counts anew. */
export function renewEffect(record: EffectRecord): void {
  record.status = "working";
  record.failures = 0;
  record.sinceMs = -1;
  record.dueAtMs = null;
}

function retry(work: Work, item: WorkItem, retryAtMs: number): void {
  decide(work, { type: "note", note: { kind: "step.retrying", item: item.id, retryAtMs } });
  if (retryAtMs > work.state.atMs) {
    endAttempt(work, item);
    item.retryTimer = setTimer(work, retryAtMs, { kind: "retry", item: item.id });
    return;
  }
  retryNow(work, item);
}

/** Goes before all queued items, in the slot that it has. */
function retryNow(work: Work, item: WorkItem): void {
  const load = loadOf(work, item.step);
  if (item.status === "suspended") gain(work);
  if (item.status === "running") load.running--;
  item.open = 0;
  item.answered = null;
  item.status = "ready";
  load.ready.unshift(item.id);
  dispatch(work, load);
}

function failForGood(work: Work, item: WorkItem): void {
  const failure = failureOf(work, item);
  if (features.recovery?.(work, item, failure) || features.collect?.settle(work, item, failure)) return;
  item.status = "failed"; // its open calls stay listed, so that `retry` finds them unchanged
  finish(work, { status: "failed", failure });
}

function failureOf(work: Work, item: WorkItem): Failure {
  const shape = features.gathered?.shapeOf(item.input);
  return {
    stepName: item.step,
    error: item.lastError ?? { name: "Error", message: "unknown" },
    attempts: item.failures,
    elapsedMs: work.state.atMs - item.firstStartedAtMs,
    failedAtMs: work.state.atMs,
    input: inputEvents(item),
    ...(shape !== undefined && { shape }),
  };
}

/** The events of an input with several are known to the feature that made it. */
export function inputEvents({ input }: WorkItem): readonly EventData[] {
  return input.kind === "event" ? [input.event] : (features.gathered?.eventsOf(input) ?? []);
}
