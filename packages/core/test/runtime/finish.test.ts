/** Steps that end with an edit, over a store: one commit for many, and none that holds others up. */
import { expect, it } from "vitest";
import * as z from "zod";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "../../src/index.js";
import { createRuntime, memoryStore, type RunStore } from "../../src/runtime.js";
import { increment } from "../support/counters.js";
import { Machine, withMethods } from "../support/processes.js";
import { silent } from "../support/runtimes.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
const state = { list: z.array(z.number()).default(() => []) };

function counted(inner: RunStore) {
  let commits = 0;
  const store = withMethods(inner, {
    commit(all) {
      if (all.some(({ ticks }) => ticks)) commits++;
      return inner.commit(all);
    },
  });
  return { store, commits: () => commits };
}

it("400 branches that end with an edit are a few commits", async () => {
  const flow = defineWorkflow("branches", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () => Array.from({ length: 400 }, (_, n) => new Item({ n })))
    .step("work", { on: Item, emits: Done, workers: 400 }, async ({ n }, ctx) => {
      await new Promise(setImmediate);
      return ctx.finish((draft) => {
        draft.list.push(n);
        return new Done({ n });
      });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) => {
      return new StopEvent({ result: [all.length, (await ctx.store.get("list")).length] });
    })
    .build();
  const { store, commits } = counted(memoryStore());
  const runtime = createRuntime({ workflows: { flow }, store, log: silent });

  expect(await runtime.run("flow")).toEqual([400, 400]);
  expect(commits()).toBeLessThanOrEqual(20);
  await runtime.stop();
});

it("an end that the store refuses, because another run has written its record, is made again and holds nobody up", async () => {
  const flow = defineWorkflow("records", { state })
    .step("split", { on: StartEvent, emits: many(Item) }, () => Array.from({ length: 6 }, (_, n) => new Item({ n })))
    .step("work", { on: Item, emits: Done, workers: 6 }, async ({ n }, ctx) => {
      if (n % 2 === 0) await increment(ctx);
      return ctx.finish((draft) => {
        draft.list.push(n);
        return new Done({ n });
      });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, async (_all, ctx) => {
      return new StopEvent({ result: await ctx.store.get("list") });
    })
    .build();
  const machine = new Machine();
  const runtimes = [machine.open({ flow }).runtime, machine.open({ flow }).runtime];

  const runs = await Promise.all(runtimes.map((runtime) => runtime.run("flow")));

  for (const list of runs) expect((list as number[]).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await runtimes[0]?.records.read("counter", "visits")).toMatchObject({ value: 6 });
});
