import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runToEnd, seededScheduler } from "../src/index.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Gives the items in the order in which their work was done. @param work what a worker does meanwhile */
function fanOut(work: (n: number) => Promise<unknown> = async () => {}, workers = 4) {
  return defineWorkflow("fan-out")
    .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1, 2, 3].map((n) => new Item({ n })))
    .step("work", { on: Item, emits: Done, workers }, async ({ n }) => {
      await work(n);
      return new Done({ n });
    })
    .step("end", { on: collect(Done, { order: "arrived" }), emits: StopEvent }, (all) => {
      return new StopEvent({ result: all.map(({ n }) => n).join("") });
    })
    .build();
}

async function orderOf(
  seed: number,
  workflow = fanOut(),
): Promise<{ readonly order: string; readonly result: string }> {
  const scheduler = seededScheduler(seed);
  const result = await workflow.use(scheduler.middleware).run();
  return { order: scheduler.order.join(", "), result };
}

describe("seededScheduler", () => {
  it("gives the same order for the same seed, on every machine", async () => {
    const { order, result } = await orderOf(7);

    expect(order.split(", ")).toEqual([
      "split 1.1 begins",
      "split 1.1 ends",
      "work 3.1 begins",
      "work 3.1 ends",
      "work 4.1 begins",
      "work 6.1 begins",
      "work 4.1 ends",
      "work 6.1 ends",
      "work 5.1 begins",
      "work 5.1 ends",
      "end 7.1 begins",
      "end 7.1 ends",
    ]);
    expect(result).toBe("0132");
    expect(await orderOf(7)).toEqual({ order, result });
  });

  it("gives the same order however long the steps take", async () => {
    const slow = () => fanOut((n) => pause([9, 1, 14, 4][n] as number));

    for (const seed of [1, 2, 3]) expect(await orderOf(seed, slow())).toEqual(await orderOf(seed));
  });

  it("gives other orders for other seeds, of which work begins and of which it ends", async () => {
    const orders = await Promise.all([...Array(20).keys()].map((seed) => orderOf(seed)));
    const beginnings = orders.map(({ order }) => order.match(/work \d\.1 begins/g)?.join());

    expect(new Set(orders.map(({ result }) => result)).size).toBeGreaterThan(8);
    expect(new Set(beginnings).size).toBeGreaterThan(8);
  });

  it("finds two steps that overwrite what the other has written", async () => {
    const counter = defineWorkflow("counter")
      .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 0 }), new Item({ n: 1 })])
      .step("add", { on: Item, emits: Done }, async ({ n }, ctx) => {
        const count = Number(await ctx.store.get("count", 0));
        await ctx.store.set("count", count + 1);
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (_all, ctx) => {
        return new StopEvent({ result: Number(await ctx.store.get("count")) });
      })
      .build();
    const results = new Set<number>();

    for (let seed = 0; seed < 20; seed++) results.add((await runToEnd(counter, {}, { seed })).result as number);

    expect(results).toEqual(new Set([1, 2]));
  });

  it("lets workers wait for each other", async () => {
    let open = () => {};
    let arrived = 0;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const barrier = fanOut(() => {
      if (++arrived === 4) open();
      return all;
    });

    expect((await orderOf(3, barrier)).result).toHaveLength(4);
    expect(arrived).toBe(4);
  });

  it("holds each element of a generator too, and lets it clean up", async () => {
    const cleaned: string[] = [];
    const generator = defineWorkflow("generator")
      .step("split", { on: StartEvent, emits: many(Item) }, async function* () {
        try {
          for (const n of [0, 1, 2]) yield new Item({ n });
        } finally {
          cleaned.push("split");
        }
      })
      .step("work", { on: Item, emits: Done }, ({ n }) => new Done({ n }))
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
      .build();
    const scheduler = seededScheduler(1);

    expect(await generator.use(scheduler.middleware).run()).toBe(3);
    expect(scheduler.order.filter((line) => line.endsWith("yields"))).toHaveLength(3);
    expect(cleaned).toEqual(["split"]);
  });

  it("does not begin work that was called off while it was held", async () => {
    const begun: number[] = [];
    const race = defineWorkflow("race")
      .step("split", { on: StartEvent, emits: many(Item) }, () => [0, 1, 2, 3].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: StopEvent, workers: 4 }, ({ n }) => {
        begun.push(n);
        return new StopEvent({ result: n });
      })
      .build();

    const begins = [];
    for (let seed = 0; seed < 10; seed++) {
      begun.length = 0;
      const result = await race.use(seededScheduler(seed).middleware).run();
      expect(begun).toContain(result);
      begins.push(begun.length);
    }

    expect(Math.min(...begins)).toBeLessThan(4);
  });
});
