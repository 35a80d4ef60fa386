/** Records and runs agree, whenever the process dies. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { counter, countOf, fanOut, increment } from "../support/counters.js";
import { Mortal, silent, TurnClock } from "../support/runtimes.js";

describe("a process that dies at any commit", () => {
  const flow = fanOut(3, async (n, ctx) => {
    await increment(ctx, `of ${n}`);
    return increment(ctx);
  });

  async function killedAt(diesAt: number): Promise<{ readonly died: boolean; readonly problems: unknown[] }> {
    const clock = new TurnClock();
    const store = memoryStore();
    const mortal = new Mortal(store, diesAt);
    const open = (from: RunStore) =>
      createRuntime({ workflows: { flow }, store: from, clock, log: silent, snapshotEvery: 3 });
    const ids = ["a", "b", "c"];
    const dying = open(mortal.store);
    const runs = Promise.allSettled(ids.map((runId) => dying.run("flow", {}, { runId })));
    const died = (await Promise.race([mortal.death, runs])) === "dead";
    mortal.kill();
    const atDeath = await agreement(store);
    const next = open(new Mortal(store, Number.POSITIVE_INFINITY, 3_600_000).store);
    await next.start();
    await Promise.all(ids.map((runId) => next.run("flow", {}, { runId })));
    const atEnd = await agreement(store);
    await next.stop({ drainMs: 0 });
    return { died, problems: [...atDeath, ...atEnd, ...((await countOf(store)) === 9 ? [] : [await countOf(store)])] };
  }

  /** Every step that has ended has written each of its records once, and no other has. */
  async function agreement(store: RunStore): Promise<unknown[]> {
    const ended = [];
    for (const runId of ["a", "b", "c"])
      for (const { text } of await store.ticks({ tenant: "", runId }, { after: 0, limit: 1_000 }))
        ended.push(...JSON.parse(text).filter(isEndOfWork));
    const counts = await Promise.all([counter.id, "of 0", "of 1", "of 2"].map((id) => countOf(store, id)));
    const [all, ...each] = counts.map((count) => Number(count ?? 0)) as [number, ...number[]];
    const total = each.reduce((left, right) => left + right, 0);
    return all === ended.length && total === ended.length ? [] : [{ all, each, ended: ended.length }];
  }

  function isEndOfWork(tick: { type?: string; output?: { type?: string } | null }): boolean {
    return tick.type === "step.completed" && tick.output?.type === "Done";
  }

  it("leaves records and runs that agree, and each write is there exactly once in the end", async () => {
    let deaths = 0;
    for (;;) {
      const { died, problems } = await killedAt(deaths + 1);
      expect(problems, `died at commit ${deaths + 1}`).toEqual([]);
      if (!died) break;
      deaths++;
    }

    expect(deaths).toBeGreaterThan(5);
  });
});
