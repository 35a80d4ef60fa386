import type { HistoryEntry, HistoryOptions } from "../client.types.js";
import type { HistoryRecord } from "../wire/contract.types.js";
import { type Connection, handlerPath } from "./handler-calls.js";

interface HistoryPage {
  readonly entries: readonly HistoryRecord[];
  readonly next: number | null;
}

export async function* readHistory(
  { transport }: Connection,
  handlerId: string,
  { after = 0, pageSize, signal }: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  const path = `${handlerPath(handlerId)}/history`;
  for (let from: number | null = after; from !== null; ) {
    const query = { after: from, limit: pageSize };
    const page: HistoryPage = await transport.json({ method: "GET", path, query, signal }, "entries");
    for (const { number, at, run_id: runId, tick } of page.entries) {
      yield { number, atMs: Date.parse(at), runId, tick };
    }
    from = page.next;
  }
}
