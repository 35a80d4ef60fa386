/** Ticks of a run as they are stored: also of a run whose code is not here. */
import type { RawHistoryEntry } from "millrace/runtime";
import type { Target } from "../target/target.types.js";

export interface HistoryLine {
  readonly number: number;
  readonly atMs: number;
  readonly runId: string;
  readonly tick: { readonly type: string; readonly [field: string]: unknown };
}

/** @param after Only ticks after this number. */
export async function historyOf(target: Target, runId: string, after = 0): Promise<HistoryLine[]> {
  const entries: HistoryLine[] = [];
  for await (const entry of entriesOf(target, runId, after)) entries.push(entry);
  return entries;
}

/** Fields of the event that started the run; `null` where they are no longer kept, and of a fork. */
export async function inputOf(target: Target, runId: string): Promise<unknown> {
  for await (const { tick } of entriesOf(target, runId, 0)) {
    if (tick.type !== "run.started") return null;
    const event = (tick["event"] ?? {}) as { readonly type?: unknown; readonly data?: unknown };
    const { request } = (event.data ?? {}) as { readonly request?: { readonly input?: unknown } };
    return event.type === "pipeline.start" ? (request?.input ?? null) : (event.data ?? null);
  }
  return null;
}

async function* entriesOf(target: Target, runId: string, after: number): AsyncGenerator<HistoryLine, void> {
  const range = after > 0 ? { after } : {};
  const source: AsyncIterable<RawHistoryEntry | HistoryLine> =
    target.local === null
      ? target.client.history(runId, { pageSize: 1_000, ...range })
      : target.local.runtime.history(runId, { raw: true, ...range });
  for await (const { number, atMs, runId: of, tick } of source) yield { number, atMs, runId: of, tick };
}
