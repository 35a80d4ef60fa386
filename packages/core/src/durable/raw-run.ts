/**
 * A run as it is stored, for when it cannot be loaded: plain JSON, of which nothing is read.
 *
 * @module
 */
import { readBatch } from "./journal-text.js";
import { batches, type From, readText, where } from "./load.js";

/** One tick as it is stored. */
export interface RawHistoryEntry {
  /** For `stateAt` and `fork`. From 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** The run that it happened to: this one, or a child. */
  readonly runId: string;
  /** Plain JSON. */
  readonly tick: { readonly type: string; readonly atMs: number; readonly [field: string]: unknown };
}

/** A snapshot as it is stored. */
export interface RawSnapshot {
  /** The last tick that is in it. */
  readonly tick: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** What `Context.fromDict` would take, if it can be read. */
  readonly dict: { readonly [field: string]: unknown };
}

/** From the oldest tick that is kept after `after`. */
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
