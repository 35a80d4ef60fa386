/**
 * A run as it is stored, as plain JSON, for runs that cannot be loaded.
 *
 * @module
 */

import { batches, type From, readText, where } from "../load/load.js";
import { readBatch } from "../text/journal-text.js";

/** One tick as it is stored. */
export interface RawHistoryEntry {
  /** Number of the tick, for `stateAt` and `fork`. From 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Id of the run that it happened to: this run, or a child. */
  readonly runId: string;
  /** The tick as plain JSON. */
  readonly tick: { readonly type: string; readonly atMs: number; readonly [field: string]: unknown };
}

/** A snapshot as it is stored. */
export interface RawSnapshot {
  /** Number of the last tick that it includes. */
  readonly tick: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Argument for `Context.fromDict`, if it can be read. */
  readonly dict: { readonly [field: string]: unknown };
}

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
