import type { StoredEvent } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf } from "./rows.js";
import { commitOf, type HeldRun, type Runs } from "./runs.js";

export function eventSuite(test: StoreTest): void {
  describe("streamed events", () => streaming(test));
}

async function createStream(runs: Runs, runId = "run"): Promise<HeldRun> {
  const run = await runs.create(runId);
  await runs.commitAll(commitOf(run, { events: [eventOf(0), eventOf(1)] }), commitOf(run, { events: [eventOf(2)] }));
  return run;
}

const sequencesOf = (events: readonly StoredEvent[]): number[] => events.map((event) => event.sequence);

function streaming(test: StoreTest): void {
  const withStream = test.with(createStream);

  withStream("returns them in order and as they were stored", async (store, run) => {
    expect(await store.events(run.key, { after: -1, limit: 9 })).toEqual([eventOf(0), eventOf(1), eventOf(2)]);
    expect((await store.run(run.key))?.lastEvent).toBe(2);
  });

  withStream("returns those after a number, no more than the limit", async (store, run) => {
    expect(sequencesOf(await store.events(run.key, { after: 0, limit: 9 }))).toEqual([1, 2]);
    expect(sequencesOf(await store.events(run.key, { after: -1, limit: 2 }))).toEqual([0, 1]);
    expect(sequencesOf(await store.events(run.key, { after: 2, limit: 9 }))).toEqual([]);
  });

  test("keeps the first of two with the same number, and takes the new ones beside it", async (store, runs) => {
    const run = await createStream(runs);

    await runs.commit(run, { events: [eventOf(1, '"again"'), eventOf(2, '"again"'), eventOf(3)] });

    const expected = [eventOf(0), eventOf(1), eventOf(2), eventOf(3)];
    expect(await store.events(run.key, { after: -1, limit: 9 })).toEqual(expected);
    expect((await store.run(run.key))?.lastEvent).toBe(3);
  });

  withStream("keeps the number of the last one when older ones are written again", async (store, run, runs) => {
    await runs.commit(run, { events: [eventOf(0)] });

    expect((await store.run(run.key))?.lastEvent).toBe(2);
  });

  withStream("forgets those that a commit names, or keeps them, and never others", async (store, run, runs) => {
    const other = await createStream(runs, "other");
    await runs.commit(run, { events: [eventOf(3)], forget: [0, 1, 77] });
    await runs.commit(run, { forget: [] });

    const left = sequencesOf(await store.events(run.key, { after: -1, limit: 9 }));
    expect(left.slice(-2)).toEqual([2, 3]);
    expect(left.slice(0, -2)).toEqual(left.length === 2 ? [] : [0, 1]);
    expect((await store.run(run.key))?.lastEvent).toBe(3);
    expect(await store.events(other.key, { after: -1, limit: 9 })).toHaveLength(3);
  });

  withStream("keeps the number of the last one when older ones are forgotten", async (store, run, runs) => {
    await runs.commit(run, { ticks: batchOf(1), forget: [0] });

    expect((await store.run(run.key))?.lastEvent).toBe(2);
  });

  withStream("keeps them when ticks and snapshots are pruned", async (store, run, runs) => {
    await runs.commit(run, { ticks: batchOf(1), prune: { ticks: 1, snapshots: 1 } });

    expect(await store.events(run.key, { after: -1, limit: 9 })).toHaveLength(3);
  });

  test("keeps those of each run apart", async (store, runs) => {
    await createStream(runs, "one");
    const two = await runs.create("two");
    await runs.commit(two, { events: [eventOf(0, '"two"')] });

    expect(await store.events(two.key, { after: -1, limit: 9 })).toEqual([eventOf(0, '"two"')]);
    expect((await store.run(two.key))?.lastEvent).toBe(0);
  });

  test.held("takes a thousand of one commit", async (store, run, runs) => {
    const events = Array.from({ length: 1_000 }, (_, index) => eventOf(index));

    await runs.commit(run, { events });

    expect(await store.events(run.key, { after: 900, limit: 1_000 })).toEqual(events.slice(901));
  });
}
