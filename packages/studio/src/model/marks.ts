/** Marks above the slider, merged by pixel: of ticks that fall on one, the one that matters most is drawn. */
import type { RunStore } from "./run-store.js";

export type MarkKind = "failure" | "question" | "done" | "tick";

export interface Mark {
  /** Pixels from the left end of the first tick. */
  readonly x: number;
  readonly kind: MarkKind;
}

const kinds: readonly MarkKind[] = ["tick", "done", "question", "failure"];

/** @param width Pixels between the first and the last tick. */
export function marksOf(store: RunStore, width: number): readonly Mark[] {
  const { first, last, entries } = store;
  const ranks = new Int8Array(Math.max(1, Math.floor(width) + 1)).fill(-1);
  const scale = Math.max(0, Math.floor(width)) / Math.max(1, last - first);
  for (const [index, { number }] of entries.entries()) {
    const x = Math.round((number - first) * scale);
    ranks[x] = Math.max(ranks[x] ?? -1, rankOf(store, index));
  }
  const marks: Mark[] = [];
  for (const [x, rank] of ranks.entries()) if (rank >= 0) marks.push({ x, kind: kinds[rank] as MarkKind });
  return marks;
}

function rankOf(store: RunStore, index: number): number {
  const { isFailure, isQuestion, icon } = store.lineAt(index);
  if (isFailure) return 3;
  if (isQuestion) return 2;
  return icon === "done" ? 1 : 0;
}
