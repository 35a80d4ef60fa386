/** Ticks and attempts for tests, with times that follow from their numbers. */
import type { Attempt, HistoryEntry, Wait } from "../../src/api/contract.types.js";
import { asNamed, type StepNaming } from "../../src/model/step-names.js";

const zeroMs = Date.parse("2026-01-05T08:00:00.000Z");

export function timeAt(ms: number): string {
  return new Date(zeroMs + ms).toISOString();
}

export function msAt(ms: number): number {
  return zeroMs + ms;
}

type EntryFields = Partial<Omit<HistoryEntry, "tick">> & Readonly<Record<string, unknown>>;

/** Fields of the entry are told from those of the tick by their name. */
export function entry(number: number, type: string, fields: EntryFields = {}): HistoryEntry {
  const { at, run_id, step, item, attempt, changes, ...tick } = fields;
  return {
    number,
    at: at ?? timeAt(number * 10),
    run_id: run_id ?? "r",
    step: step ?? null,
    item: item ?? null,
    attempt: attempt ?? null,
    ...(changes !== undefined && { changes }),
    tick: { type, ...(item != null && { item, attempt: attempt ?? 1 }), ...tick },
  };
}

export function attempt(step: string, item: number, fields: Partial<Attempt> = {}): Attempt {
  const started = fields.started_at ?? timeAt(item * 100);
  return {
    run_id: "r",
    workflow_name: "w",
    step,
    item,
    attempt: 1,
    started_at: started,
    started_tick: item,
    ended_at: new Date(Date.parse(started) + 50).toISOString(),
    ended_tick: item + 1,
    status: "completed",
    error: null,
    final: true,
    retry_at: null,
    event_type: null,
    waits: [],
    calls: [],
    more_calls: 0,
    ...fields,
  };
}

export function wait(
  kind: Wait["kind"],
  [fromMs, toMs]: readonly [from: number, to: number | null],
  fields: Partial<Wait> = {},
): Wait {
  return {
    kind,
    from: timeAt(fromMs),
    from_tick: 1,
    to: toMs === null ? null : timeAt(toMs),
    to_tick: toMs === null ? null : 2,
    ...fields,
  };
}

/** Every step is shown as it is called, but for those that nobody wrote. */
export function namingWith(...inner: readonly string[]): StepNaming {
  return (step, runId) => ({ ...asNamed(step, runId), isInner: inner.includes(step) && runId === "r" });
}
