/** Everything that a comparison needs of one run. */
import type { Attempt, Handler, HistoryEntry, Moment } from "../api/contract.types.js";
import { get } from "../api/request.js";

export interface LoadedRun {
  readonly handler: Handler;
  readonly entries: readonly HistoryEntry[];
  readonly attempts: readonly Attempt[];
  /** After its last tick; `null` of a run without ticks. */
  readonly end: Moment | null;
}

const pageSize = 1000;

export async function loadRun(id: string, signal: AbortSignal): Promise<LoadedRun> {
  const path = pathOf(id);
  const [handler, entries, attempts] = await Promise.all([
    get<Handler>(path, {}, signal),
    allOf(`${path}/history`, signal, (page: { entries: HistoryEntry[]; next: number | null }) => page.entries),
    allOf(`${path}/attempts`, signal, (page: { attempts: Attempt[]; next: number | null }) => page.attempts),
  ]);
  const last = entries.at(-1)?.number ?? 0;
  return { handler, entries, attempts, end: last === 0 ? null : await momentOf(id, last, signal) };
}

export function momentOf(id: string, tick: number, signal: AbortSignal): Promise<Moment> {
  return get(`${pathOf(id)}/at/${tick}`, {}, signal);
}

function pathOf(id: string): string {
  return `handlers/${encodeURIComponent(id)}`;
}

async function allOf<Page extends { readonly next: number | null }, Item>(
  path: string,
  signal: AbortSignal,
  itemsOf: (page: Page) => readonly Item[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Page = await get<Page>(path, { after, limit: pageSize, changes: true }, signal);
    items.push(...itemsOf(page));
    after = page.next;
  }
  return items;
}
