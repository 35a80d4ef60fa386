import { describe, expect, it } from "vitest";
import { attempt, msAt } from "../../test/support/ticks.js";
import { drawnBars, laneTops } from "./drawn-bars.js";
import { asNamed } from "./step-names.js";
import { timeScale } from "./time-scale.js";
import { type Lane, lanesOf } from "./timeline.js";

const facts = { runId: "r", naming: asNamed };

function lane(count: number, length: number, gap: number, fails: number[] = []): { lane: Lane; toMs: number } {
  const attempts = Array.from({ length: count }, (_, index) => {
    const span = { startedAtMs: msAt(index * gap), endedAtMs: msAt(index * gap + length) };
    return attempt("a", index + 1, fails.includes(index) ? { ...span, status: "failed", isFinal: true } : span);
  });
  return { lane: lanesOf(attempts, facts)[0] as Lane, toMs: msAt(count * gap + length) };
}

describe("drawnBars", () => {
  it("draws ten thousand short attempts as one bar per two pixels, and of those the failure", () => {
    const { lane: one, toMs } = lane(10_000, 1, 2, [5001]);
    const scale = timeScale([], { fromMs: msAt(0), toMs, folds: false });

    const drawn = drawnBars(one, { scale, width: 800, seen: { from: 0, to: 500 }, top: 0, rowHeight: 15 });

    expect(drawn.length).toBeLessThanOrEqual(401);
    expect(drawn.length).toBeGreaterThan(390);
    expect(drawn).toContain(5001);
  });

  it("draws only rows in sight", () => {
    const { lane: one, toMs } = lane(1000, 100_000, 1);
    const scale = timeScale([], { fromMs: msAt(0), toMs, folds: false });
    const facts = { scale, width: 800, top: 0, rowHeight: 15 };

    expect(one.rows).toBe(1000);
    expect(drawnBars(one, { ...facts, seen: { from: 0, to: 300 } }).length).toBeLessThan(25);
    expect(drawnBars(one, { ...facts, seen: { from: 20_000, to: 20_300 } })).toEqual([]);
  });

  it("knows where each lane begins", () => {
    const lanes = [{ rows: 2 }, { rows: 1 }, { rows: 4 }] as unknown as Lane[];

    expect(laneTops(lanes, { rowHeight: 15, padding: 13 })).toEqual([0, 43, 71]);
  });
});
