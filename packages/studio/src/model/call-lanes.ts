/** The calls of one step as a tree: a lane for each scope, and below it those of what was made in it. */

import type { RunAttempt } from "@millrace/client";
import { placesOf } from "millrace/engine";
import { type Bar, callBar, type Lane } from "./timeline.js";

/** A step may make thousands of calls: too many to read in a timeline. */
const MOST = 200;

/** The lanes of steps, that of the selected one with its calls. */
export function withCalls(lanes: readonly Lane[], selected: string | null): readonly Lane[] {
  return lanes.flatMap((lane) => (lane.step === selected ? [lane, ...callLanesOf(lane)] : [lane]));
}

/** @param lane The lane of the step. */
export function callLanesOf(lane: Lane): readonly Lane[] {
  const bare = { ...lane, child: null, rows: 1, items: 0, retries: 0, failures: 0, bars: [] };
  const known = new Map<string, Branch>();
  const root: Branch = { ...bare, inner: [] };
  for (const attempt of attemptsOf(lane)) {
    for (const call of attempt.calls) {
      let at = root;
      for (const { kind, name } of placesOf(call.call)) {
        const key = `${at.key}›${kind}=${name}`;
        const branch = known.get(key) ?? { ...bare, key, label: name, depth: at.depth + 1, bars: [], inner: [] };
        if (!known.has(key)) at.inner.push(branch);
        known.set(key, branch);
        at = branch;
      }
      at.label = call.label ?? at.label;
      at.bars.push({ ...callBar(attempt, call), row: 0, attempts: 1 });
    }
  }
  const lanes = root.inner.flatMap(flat);
  if (lanes.length <= MOST) return lanes;
  const label = `${lanes.length - MOST} more`;
  return [...lanes.slice(0, MOST), { ...bare, key: `${lane.key}›`, label, depth: lane.depth + 1 }];
}

/** A lane that is being filled. */
interface Branch extends Lane {
  label: string;
  readonly bars: Bar[];
  readonly inner: Branch[];
}

function attemptsOf({ step, bars }: Lane): ReadonlySet<RunAttempt> {
  return new Set(bars.flatMap(({ attempt }) => (attempt.step === step ? [attempt] : [])));
}

/** Calls of one name by several items share a lane, in as many rows as were at work at once. */
function flat({ inner, ...lane }: Branch): readonly Lane[] {
  const ends: number[] = [];
  const bars = lane.bars.map((bar) => {
    const free = ends.findIndex((endMs) => endMs <= bar.fromMs);
    const row = free === -1 ? ends.length : free;
    ends[row] = bar.toMs ?? Number.POSITIVE_INFINITY;
    return { ...bar, row };
  });
  const retries = bars.reduce((sum, { call }) => sum + (call?.attempts ?? 1) - 1, 0);
  const failures = bars.filter(({ kind }) => kind === "failed").length;
  const own = { ...lane, bars, rows: Math.max(1, ends.length), items: bars.length, retries, failures };
  return [own, ...inner.flatMap(flat)];
}
