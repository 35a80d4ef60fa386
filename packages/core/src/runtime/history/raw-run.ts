/**
 * A run as it is stored, as plain JSON, for runs that cannot be loaded.
 *
 * @module
 */

import type { RawHistoryEntry, RawSnapshot } from "../api/history.types.js";
import { readBatch } from "../text/journal-text.js";
import { batches, type From, readText, where } from "../worker/load/load.js";

/** Ticks after `after`, from the oldest one that is kept. */
export async function* rawHistoryOf(from: From, after: number = 0): AsyncGenerator<RawHistoryEntry, void> {
  const { runId } = from.run.key;
  for await (const batch of batches(from, after, Number.MAX_SAFE_INTEGER)) {
    const place = `${where(from)}, ticks ${batch.first} to ${batch.last},`;
    let number = batch.first;
    for (const entry of readBatch(await readText(from, batch.text, place), place)) {
      if (entry.kind === "code") continue;
      const at = number++;
      if (at <= after) continue;
      yield { number: at, atMs: entry.json.atMs, runId: entry.child?.runId ?? runId, tick: entry.json };
    }
  }
}

export async function rawSnapshotOf(from: From): Promise<RawSnapshot | null> {
  const stored = await from.store.snapshot(from.run.key);
  if (stored === null) return null;
  const json = (await readText(from, stored.text, where(from))) as { readonly run?: RawSnapshot["dict"] } | null;
  return { tick: stored.tick, atMs: stored.atMs, dict: json?.run ?? {} };
}
