import type { TickBatch } from "millrace/runtime";
import type { KeptCommit } from "./kept-run.js";

/** Merges the commits of one round: every key that a commit changes costs one message. */
export function mergeCommits(commits: readonly KeptCommit[]): KeptCommit[] {
  const merged: KeptCommit[] = [];
  for (const commit of commits) {
    const last = merged.at(-1);
    const one = last === undefined ? null : mergeTwo(last, commit);
    if (one === null) merged.push(commit);
    else merged.splice(-1, 1, one);
  }
  return merged;
}

function mergeTwo(one: KeptCommit, other: KeptCommit): KeptCommit | null {
  const ticks = mergeTicks(one.ticks, other.ticks);
  if (ticks === null) return null;
  const lists = {
    events: [...(one.events ?? []), ...(other.events ?? [])],
    receipts: [...(one.receipts ?? []), ...(other.receipts ?? [])],
    received: [...(one.received ?? []), ...(other.received ?? [])],
    blobs: [...(one.blobs ?? []), ...(other.blobs ?? [])],
  };
  return { ...one, ...other, ...lists, ...(ticks !== undefined && { ticks }) };
}

/** Null: a text with large values has another form, and stays by itself. */
function mergeTicks(one: TickBatch | undefined, other: TickBatch | undefined): TickBatch | undefined | null {
  if (one === undefined || other === undefined) return one ?? other;
  if (!one.text.startsWith("[") || !other.text.startsWith("[")) return null;
  return { ...other, first: one.first, text: `${one.text.slice(0, -1)},${other.text.slice(1)}` };
}
