/** Runs that move between stores, killed at any commit on the way: the same end as where nothing moves. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { memoryStore, type RunStore, type Runtime } from "../../src/entries/runtime.js";
import { type Ending, record } from "../support/drive.js";
import { type Flow, flows } from "../support/flows.js";
import { driveHandle, Mortal, runtimeOf, TurnClock } from "../support/runtimes.js";
import "../support/seed.js";

const HOUR = 3_600_000;

/** Takes the leases of those that have died. */
function opened(flow: Flow, store: RunStore, clock: TurnClock, diesAt = Number.POSITIVE_INFINITY) {
  const mortal = new Mortal(store, diesAt, HOUR);
  return { mortal, runtime: runtimeOf(flow, mortal.store, { clock, snapshotEvery: 3, leaseMs: 1_000 }) };
}

async function partsOf(exported: AsyncIterable<unknown>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of exported) parts.push(part);
  return parts;
}

async function move(
  flow: Flow,
  { from, clock }: { readonly from: RunStore; readonly clock: TurnClock },
): Promise<RunStore> {
  const to = memoryStore();
  const [source, target] = [from, to].map((store) => {
    const mortal = new Mortal(store, Number.POSITIVE_INFINITY, HOUR);
    return runtimeOf(flow, mortal.store, { clock, execute: false });
  }) as [Runtime, Runtime];
  const parts = JSON.parse(JSON.stringify(await partsOf(source.export("run")))) as unknown[];
  expect(await target.import(parts)).toMatchObject({ isNew: true });
  expect(await target.import(parts)).toMatchObject({ isNew: false });
  await source.delete("run");
  return to;
}

/** In each store it lives until its `diesAt`-th commit. */
async function runMoved(flow: Flow, lives: readonly number[]): Promise<{ ending: Ending; sequences: number[] }> {
  const clock = new TurnClock();
  let store: RunStore = memoryStore();
  for (const [index, diesAt] of lives.entries()) {
    const { mortal, runtime } = opened(flow, store, clock, diesAt);
    const handle =
      index === 0 ? runtime.run("flow", (flow.input ?? {}) as never, { runId: "run" }) : runtime.handle("run");
    await runtime.start();
    await Promise.race([mortal.death, driveHandle(flow, handle, clock).catch(() => {})]);
    mortal.kill();
    store = await move(flow, { from: store, clock });
  }
  const { runtime } = opened(flow, store, clock);
  await runtime.start();
  const handle = runtime.handle("run");
  const ending = await driveHandle(flow, handle, clock);
  const shown = ending.status === "waiting" ? [] : await handle.streamEvents().toArray();
  return { ending, sequences: shown.map(({ sequence }) => sequence) };
}

const lives = fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 3 });

describe.each(flows)("$name, moved", (flow) => {
  it("ends as it does in memory, wherever it was when it moved", async () => {
    const { ending } = await record(flow);

    await fc.assert(
      fc.asyncProperty(lives, async (places) => {
        const moved = await runMoved(flow, places);
        expect(moved.ending).toEqual(ending);
        expect(moved.sequences).toEqual(moved.sequences.map((_, index) => index));
      }),
      { numRuns: casesOf(20) },
    );
  });
});
