/** Everything that a comparison needs of one run. */
import type { HistoryEntry, RunAttempt, RunMoment, RunSummary } from "@millrace/client";
import { client } from "../api/client.js";
import { errorOf } from "../api/run-facts.js";
import { resultOf } from "../model/run-data.js";
import { short } from "../ui/format.js";

export interface LoadedRun {
  readonly handler: RunSummary;
  readonly entries: readonly HistoryEntry[];
  readonly attempts: readonly RunAttempt[];
  /** After its last tick; `null` of a run without ticks. */
  readonly end: RunMoment | null;
}

const pageSize = 1000;

async function listOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export async function loadRun(id: string, signal: AbortSignal): Promise<LoadedRun> {
  const [handler, entries, attempts] = await Promise.all([
    client.handle(id).summary({ signal }),
    listOf(client.history(id, { changes: true, pageSize, signal })),
    listOf(client.attempts(id, { pageSize, signal })),
  ]);
  const last = entries.at(-1)?.number ?? 0;
  return { handler, entries, attempts, end: last === 0 ? null : await client.at(id, last, { signal }) };
}

/** The result of a run, or why it has none, in a line. */
export function outcomeOf(handler: RunSummary): string {
  if (handler.status === "completed") return short(resultOf(handler.result).value, 160);
  return errorOf(handler)?.message ?? "no result yet";
}
