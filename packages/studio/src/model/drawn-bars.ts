/** Which bars of a lane are worth drawing: those in sight, and of several on one pixel the one that matters most. */
import type { TimeScale } from "./time-scale.js";
import type { Bar, Lane } from "./timeline.js";

interface DrawFacts {
  readonly scale: TimeScale;
  readonly width: number;
  readonly seen: { readonly from: number; readonly to: number };
  /** Of the lane. */
  readonly top: number;
  readonly rowHeight: number;
}

/** Bars narrower than this share their place with others. */
const leastWidth = 2;

const ranks: Readonly<Record<Bar["kind"], number>> = {
  failed: 8,
  waiting: 7,
  running: 6,
  retried: 5,
  child: 4,
  cancelled: 3,
  done: 2,
  queued: 1,
  retry: 0,
};

/** Places in `lane.bars`. */
export function drawnBars({ bars, rows }: Lane, { scale, width, seen, top, rowHeight }: DrawFacts): readonly number[] {
  if (top > seen.to || top + rows * rowHeight + rowHeight < seen.from) return [];
  const drawn: number[] = [];
  const narrow = new Map<string, number>();
  for (const [index, { row, fromMs, toMs, kind, call }] of bars.entries()) {
    const y = top + row * rowHeight;
    if (y > seen.to || y + rowHeight < seen.from) continue;
    const left = scale.place(fromMs) * width;
    if (scale.place(toMs ?? scale.toMs) * width - left >= leastWidth) {
      drawn.push(index);
      continue;
    }
    const place = `${row} ${Math.floor(left / leastWidth)} ${call === null}`;
    const there = narrow.get(place);
    if (there === undefined || ranks[kind] > ranks[(bars[there] as Bar).kind]) narrow.set(place, index);
  }
  return [...drawn, ...narrow.values()].sort((one, other) => one - other);
}

export function laneTops(
  lanes: readonly Lane[],
  { rowHeight, padding }: { rowHeight: number; padding: number },
): readonly number[] {
  const tops: number[] = [];
  let top = 0;
  for (const { rows } of lanes) {
    tops.push(top);
    top += rows * rowHeight + padding;
  }
  return tops;
}
