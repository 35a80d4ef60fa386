/**
 * Rows of runtimes that stored the work under way beside the snapshot (version 1), and not in it (version 2).
 *
 * @module
 */
import { type EncodedItem, type EncodedLoad, type Snapshot, STORED_VERSION } from "./format.js";
import { invalidSnapshot } from "./reader.js";

/** What stood beside the snapshot of one run. */
interface WorkBeside extends Pick<Snapshot, "active" | "activeMs" | "activeSinceMs"> {
  readonly loads: readonly EncodedLoad[];
  readonly items: readonly ItemBeside[];
  readonly timeout: { readonly dueAtMs: number; readonly order: number } | null;
  /** Ids of fan-outs. */
  readonly paused: readonly number[];
}

interface ItemBeside extends Pick<EncodedItem, "id" | "status" | "open" | "answered"> {
  /** Calls that the attempt awaits or has awaited. */
  readonly awaited: readonly string[];
}

/**
 * Gives the snapshot of version 2. The decoder checks its fields.
 *
 * @param beside By run id.
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when the two do not belong together.
 */
export function withWork(run: unknown, beside: unknown): unknown {
  try {
    return joined(run as Snapshot, beside as { readonly [runId: string]: WorkBeside });
  } catch (error) {
    if (error instanceof TypeError) throw invalidSnapshot("snapshot.atWork", "not the work of its runs");
    throw error;
  }
}

function joined(run: Snapshot, beside: { readonly [runId: string]: WorkBeside }): Snapshot {
  const { timeout, items, paused, ...facts } = beside[run.runId] as WorkBeside;
  const byId = new Map(items.map((item) => [item.id, item]));
  const children = Object.entries(run.children ?? {}).map(([id, child]) => [id, joined(child, beside)]);
  return {
    ...run,
    ...facts,
    version: STORED_VERSION,
    items: (run.items ?? []).map((item) => joinedItem(item, byId.get(item.id) as ItemBeside)),
    scopes: (run.scopes ?? []).map((scope) => ({ ...scope, paused: paused.includes(scope.id) })),
    timers: [...(run.timers ?? []), ...(timeout === null ? [] : [{ ...timeout, kind: "timeout" } as const])],
    children: Object.fromEntries(children),
  };
}

function joinedItem(item: EncodedItem, { awaited, ...work }: ItemBeside): EncodedItem {
  const memory = (item.memory ?? []).map((record) =>
    awaited.includes(record.call) ? { ...record, awaited: true as const } : record,
  );
  return { ...item, ...work, memory };
}
