/**
 * Failed attempts: they are retried, go to an error handler or a settling batch, or end the run.
 *
 * @module
 */
import { optionalModules } from "../optional-modules.js";
import type { EffectRecord, EventData, Failure, SlotlessRecord, WorkItem } from "../state.js";
import type { StepFailed } from "../tick.js";
import { markActive, setTimer } from "./clock.js";
import { finish } from "./finish.js";
import { currentItem, emitCommand, type Reduction } from "./reduction.js";
import { dispatch, endAttempt, loadOf } from "./slots.js";

export function onStepFailed(reduction: Reduction, tick: StepFailed): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  item.failures++;
  item.lastError = tick.error;
  item.lastFailedAtMs = reduction.state.atMs;
  forgetFailures(item);
  if (tick.retryAtMs === null) {
    if (tick.isGenerator === true) optionalModules.fanOuts?.fanOutOf(reduction, item, false);
    failForGood(reduction, item);
  } else retry(reduction, item, tick.retryAtMs);
}

/**
 * Forgets timed-out waits and failed children, which are then tried again, and with them all of a race that they have decided. Calls of
 * `ctx.run` that have used up their retries are retried, too, and keep the number of their attempts.
 */
function forgetFailures({ calls }: WorkItem): void {
  const races = new Set<string>();
  for (const [call, record] of calls ?? []) {
    if (record.kind === "effect" && record.status === "failed") renewEffect(record);
    else if (
      (record.kind === "wait" && record.status === "timedOut") ||
      (record.kind === "child" && record.status === "failed")
    ) {
      calls?.delete(call);
      if (record.race !== undefined) races.add(record.race);
    }
  }
  if (races.size === 0) return;
  for (const [call, record] of calls ?? [])
    if (races.has(record.kind === "race" ? call : ((record as Partial<SlotlessRecord>).race as string)))
      calls?.delete(call);
}

/** The policy of a call counts anew. */
export function renewEffect(record: EffectRecord): void {
  record.status = "working";
  record.failures = 0;
  record.sinceMs = -1;
  record.dueAtMs = null;
}

function retry(reduction: Reduction, item: WorkItem, retryAtMs: number): void {
  emitCommand(reduction, { type: "note", note: { kind: "step.retrying", item: item.id, retryAtMs } });
  if (retryAtMs > reduction.state.atMs) {
    endAttempt(reduction, item);
    item.retryTimer = setTimer(reduction, retryAtMs, { kind: "retry", item: item.id });
    return;
  }
  retryNow(reduction, item);
}

/** Goes before all queued items, in the slot that it has. */
function retryNow(reduction: Reduction, item: WorkItem): void {
  const load = loadOf(reduction, item.step);
  if (item.status === "suspended") markActive(reduction);
  if (item.status === "running") load.running--;
  item.open = 0;
  item.answered = null;
  item.status = "ready";
  load.ready.unshift(item.id);
  dispatch(reduction, load);
}

function failForGood(reduction: Reduction, item: WorkItem): void {
  const failure = failureOf(reduction, item);
  if (optionalModules.recovery?.(reduction, item, failure) || optionalModules.collect?.settle(reduction, item, failure))
    return;
  item.status = "failed"; // its open calls stay listed, so that `retry` finds them unchanged
  finish(reduction, { status: "failed", failure });
}

function failureOf(reduction: Reduction, item: WorkItem): Failure {
  const shape = optionalModules.gathered?.shapeOf(item.input);
  return {
    stepName: item.step,
    error: item.lastError ?? { name: "Error", message: "unknown" },
    attempts: item.failures,
    elapsedMs: reduction.state.atMs - item.firstStartedAtMs,
    failedAtMs: reduction.state.atMs,
    input: inputEvents(item),
    ...(shape !== undefined && { shape }),
  };
}

/** The events of an input with several are known to the feature that made it. */
export function inputEvents({ input }: WorkItem): readonly EventData[] {
  return input.kind === "event" ? [input.event] : (optionalModules.gathered?.eventsOf(input) ?? []);
}
