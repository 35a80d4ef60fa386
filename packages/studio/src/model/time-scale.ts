/** From times to places between 0 and 1. Stretches in which nothing ran may be folded to a small one. */
import type { RunAttempt } from "@millrace/client";

export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimeScale {
  /** All stretches in which nothing ran, folded or not. */
  readonly gaps: readonly Gap[];
  readonly folded: readonly Gap[];
  place(atMs: number): number;
  /** The time at a place, for a pointer. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Share of the width that a folded stretch takes. */
const foldedShare = 0.06;
/** Shorter ones are left as they are: in the share of the whole, and in milliseconds. */
const leastShare = 0.12;
const leastMs = 400;
const mostFolds = 6;

interface ScaleOptions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly folds: boolean;
}

export function timeScale(attempts: readonly RunAttempt[], { fromMs, toMs, folds }: ScaleOptions): TimeScale {
  const totalMs = Math.max(toMs - fromMs, 1);
  const gaps = gapsOf(busyOf(attempts, toMs), { fromMs, toMs }, Math.max(totalMs * leastShare, leastMs));
  const folded = folds ? longest(gaps, mostFolds) : [];
  const foldedMs = folded.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const perMs = (1 - folded.length * foldedShare) / Math.max(totalMs - foldedMs, 1);
  const place = (atMs: number): number => {
    let share = 0;
    let passed = fromMs;
    for (const gap of folded) {
      if (atMs <= gap.fromMs) break;
      share += (gap.fromMs - passed) * perMs;
      if (atMs < gap.toMs) return share + ((atMs - gap.fromMs) / (gap.toMs - gap.fromMs)) * foldedShare;
      share += foldedShare;
      passed = gap.toMs;
    }
    return Math.max(0, Math.min(1, share + (Math.max(atMs, passed) - passed) * perMs));
  };
  return { gaps, folded, place, fromMs, toMs };
}

/** Stretches in which an attempt ran. While it waits for a child, the child runs. */
function busyOf(attempts: readonly RunAttempt[], toMs: number): Gap[] {
  const busy: Gap[] = [];
  for (const { startedAtMs, endedAtMs, waits, status } of attempts) {
    if (status === "queued") continue;
    let since = startedAtMs;
    for (const wait of waits) {
      if (wait.kind === "child") continue;
      busy.push({ fromMs: since, toMs: wait.fromMs });
      since = wait.toMs ?? toMs;
    }
    busy.push({ fromMs: since, toMs: endedAtMs ?? toMs });
  }
  return busy.sort((one, other) => one.fromMs - other.fromMs);
}

function gapsOf(busy: readonly Gap[], whole: Gap, least: number): Gap[] {
  const gaps: Gap[] = [];
  let endMs = whole.fromMs;
  for (const { fromMs, toMs } of busy) {
    if (fromMs - endMs > least) gaps.push({ fromMs: endMs, toMs: fromMs });
    endMs = Math.max(endMs, toMs);
  }
  if (whole.toMs - endMs > least) gaps.push({ fromMs: endMs, toMs: whole.toMs });
  return gaps;
}

function longest(gaps: readonly Gap[], most: number): readonly Gap[] {
  const byLength = [...gaps].sort((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs));
  return byLength.slice(0, most).sort((one, other) => one.fromMs - other.fromMs);
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
];

export interface AxisMark {
  readonly share: number;
  readonly offsetMs: number;
  /** Length of a folded stretch; otherwise `null`. */
  readonly foldedMs: number | null;
}

/** Round times, and the folds, none of them on another. */
export function axisOf(scale: TimeScale): readonly AxisMark[] {
  const { fromMs, toMs, folded, place } = scale;
  const shownMs = toMs - fromMs - folded.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const every = steps.find((ms) => shownMs / ms <= 7) ?? shownMs / 6;
  const folds = folded.map((gap) => ({
    share: (place(gap.fromMs) + place(gap.toMs)) / 2,
    offsetMs: gap.fromMs - fromMs,
    foldedMs: gap.toMs - gap.fromMs,
  }));
  const marks: AxisMark[] = [];
  for (let offsetMs = 0; offsetMs <= toMs - fromMs; ) {
    const atMs = fromMs + offsetMs;
    const inside = folded.find((gap) => atMs > gap.fromMs && atMs < gap.toMs);
    const share = place(atMs);
    const isFree =
      share - (marks.at(-1)?.share ?? -1) >= 0.07 && folds.every((fold) => Math.abs(fold.share - share) > 0.08);
    if (inside === undefined && isFree) marks.push({ share, offsetMs, foldedMs: null });
    // A fold may be weeks: the marks that it hides are not counted through.
    offsetMs = inside === undefined ? offsetMs + every : Math.ceil((inside.toMs - fromMs) / every) * every;
  }
  return [...marks, ...folds].sort((one, other) => one.share - other.share);
}
