import { describe, expect, it } from "vitest";
import { BLOB_LENGTH } from "../../text/blob-text.js";
import { SnapshotPolicy } from "../run/run-measures.js";

const entry = "x".repeat(1_000);
const long = BLOB_LENGTH + 1_000;
const short = 100;

/** The ticks of so many with a snapshot that is due after them. */
function dueAt(pace: SnapshotPolicy, ticks: number, from = 0): number[] {
  return Array.from({ length: ticks }, (_, index) => from + index + 1).filter((tick) => {
    pace.stored([entry]);
    return pace.isDue(tick);
  });
}

describe("a snapshot", () => {
  it("is due after as many ticks as the settings say, counted from the last one", () => {
    const pace = new SnapshotPolicy({ snapshotEvery: 3, keepTicks: null }, { lastAt: 10, hasPartialHistory: false });

    expect(dueAt(pace, 4, 10)).toEqual([13, 14]);
    expect(pace.taken(14, short)).toEqual({ ticks: 0, snapshots: 14 });
    expect(dueAt(pace, 3, 14)).toEqual([17]);
  });

  it("waits after a long one for as much in ticks", () => {
    const pace = new SnapshotPolicy({ snapshotEvery: 3, keepTicks: null }, { lastAt: 0, hasPartialHistory: false });
    pace.taken(3, long);

    expect(dueAt(pace, 100, 3).at(0)).toBe(3 + Math.ceil(long / entry.length));
  });

  it("takes in all no more than the ticks do, twice, however long a run becomes", () => {
    const pace = new SnapshotPolicy({ snapshotEvery: 200, keepTicks: null }, { lastAt: 0, hasPartialHistory: false });
    let written = 0;
    for (let tick = 1; tick <= 100_000; tick++) {
      pace.stored([entry]);
      const length = tick * 900; // of a state that grows with every tick
      if (!pace.isDue(tick)) continue;
      written += length;
      pace.taken(tick, length);
    }

    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(2 * 100_000 * entry.length);
  });

  it("keeps the snapshots of a fork with its ticks, which produce no state by themselves", () => {
    const pace = new SnapshotPolicy({ snapshotEvery: 3, keepTicks: null }, { lastAt: 0, hasPartialHistory: true });

    expect(pace.taken(3, short)).toEqual({ ticks: 0, snapshots: 0 });
    expect(pace.taken(6, short)).toEqual({ ticks: 0, snapshots: 0 });
  });

  it("leaves what a run needs to return its last ticks", () => {
    const pace = new SnapshotPolicy({ snapshotEvery: 2, keepTicks: 4 }, { lastAt: 0, hasPartialHistory: false });

    expect([2, 4, 6, 8, 10].map((tick) => pace.taken(tick, short).ticks)).toEqual([0, 0, 2, 4, 6]);
  });
});
