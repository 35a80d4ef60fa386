/** Ticks and attempts for tests, with times that follow from their numbers. */
import type { AttemptWait, HistoryEntry, RunAttempt } from "@millrace/client";
import { asNamed, type StepNaming } from "../../src/model/step-names.js";

const zeroMs = Date.parse("2026-01-05T08:00:00.000Z");

export function msAt(ms: number): number {
  return zeroMs + ms;
}

type EntryFields = Partial<Omit<HistoryEntry, "tick">> & Readonly<Record<string, unknown>>;

/** Fields of the entry are told from those of the tick by their name. */
export function entry(number: number, type: string, fields: EntryFields = {}): HistoryEntry {
  const { atMs, runId, step, item, attempt, changes, ...tick } = fields;
  return {
    number,
    atMs: atMs ?? msAt(number * 10),
    runId: runId ?? "r",
    step: step ?? null,
    item: item ?? null,
    attempt: attempt ?? null,
    ...(changes !== undefined && { changes }),
    tick: { type, ...(item != null && { item, attempt: attempt ?? 1 }), ...tick },
  };
}

export function attempt(step: string, item: number, fields: Partial<RunAttempt> = {}): RunAttempt {
  const startedAtMs = fields.startedAtMs ?? msAt(item * 100);
  return {
    runId: "r",
    workflow: "w",
    step,
    item,
    attempt: 1,
    startedAtMs,
    startedTick: item,
    endedAtMs: startedAtMs + 50,
    endedTick: item + 1,
    status: "completed",
    error: null,
    isFinal: true,
    retryAtMs: null,
    eventType: null,
    waits: [],
    calls: [],
    moreCalls: 0,
    ...fields,
  };
}

export function wait(
  kind: AttemptWait["kind"],
  [fromMs, toMs]: readonly [from: number, to: number | null],
  fields: Partial<AttemptWait> = {},
): AttemptWait {
  return {
    kind,
    fromMs: msAt(fromMs),
    fromTick: 1,
    toMs: toMs === null ? null : msAt(toMs),
    toTick: toMs === null ? null : 2,
    ...fields,
  };
}

/** Every step is shown as it is called, but for those that nobody wrote. */
export function namingWith(...inner: readonly string[]): StepNaming {
  return (step, runId) => ({ ...asNamed(step, runId), isInner: inner.includes(step) && runId === "r" });
}
