/** Steps that end with an edit, over a store: one commit for many, and none that holds others up. */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "../../src/index.js";
import { increment } from "../support/counters.js";
import { Machine, withMethods } from "../support/processes.js";
import { silent } from "../support/runtimes.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Said extends event("Said", { by: z.string(), said: z.any() }) {}
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

it("what an edit writes and shows stands once in its tick, and is read, followed and forked as it was", async () => {
  const said = { text: "a rather long text ".repeat(5), at: [1, 2] };
  const flow = defineWorkflow("shown", { state: { said: z.array(z.any()).default(() => []) } })
    .step("say", { on: StartEvent, emits: Item, streams: Said }, (_, ctx) =>
      ctx.finish((draft) => {
        draft.said.push(said);
        ctx.writeEventToStream(new Said({ by: "say", said }));
        return new Item({ n: 1 });
      }),
    )
    .step("end", { on: Item, emits: StopEvent }, async (_, ctx) => {
      return new StopEvent({ result: (await ctx.store.get("said")).length });
    })
    .build();
  const store = memoryStore();
  const first = createRuntime({ workflows: { flow }, store, log: silent });
  const run = first.run("flow", {}, { runId: "r" });
  await run;
  await first.stop();

  const batches = await store.ticks({ tenant: "", runId: "r" }, { after: 1, limit: 1 });
  expect(batches[0]?.text.split(said.text)).toHaveLength(2);
  const second = createRuntime({ workflows: { flow }, store, log: silent });
  const shown = [];
  for await (const { event: one } of second.handle("r").streamEvents()) shown.push(one);
  expect(shown[0]).toEqual(new Said({ by: "say", said }));
  const ticks = [];
  for await (const { tick } of second.history("r")) ticks.push(tick);
  expect(ticks[1]).toMatchObject({
    attempt: 1,
    sends: null,
    change: { patches: [{ op: "add", path: ["said", 0], value: said }] },
    shown: [{ by: "say", said }],
  });
  const fork = await second.fork("r", { at: 2 });
  expect(await fork).toBe(1);
  await second.stop();
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
