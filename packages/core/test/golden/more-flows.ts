/** Flows of the kept files that no other test has. What they hold is fixed, as that of `support/flows.ts` is: add, and change nothing. */
import * as z from "zod";
import { collect, defineWorkflow, event, join, keyed, many, retryPolicy, StartEvent, StopEvent, stop, wait } from "../../src/index.js";
import type { Flow } from "../support/flows.js";

class Shelf extends event("Shelf", { n: z.number() }) {}
class Box extends event("Box", { shelf: z.number(), n: z.number() }) {}
class Weighed extends event("Weighed", { shelf: z.number(), n: z.number() }) {}
class Labelled extends event("Labelled", { n: z.number() }) {}
class Packed extends event("Packed", { n: z.number() }) {}
class Stored extends event("Stored", { n: z.number() }) {}
class Turn extends event("Turn", { n: z.number() }) {}

const State = {
  counts: z.map(z.string(), z.bigint()).default(() => new Map()),
  tags: z.set(z.string()).default(() => new Set<string>()),
  list: z.array(z.object({ n: z.number(), at: z.date().optional() })).default(() => []),
  at: z.date().default(new Date(0)),
  bytes: z.instanceof(Uint8Array).default(() => new Uint8Array()),
};

const twice = retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(2) });

export const moreFlows: readonly Flow[] = [
  {
    name: "fan-outs three deep, with generators, a take and a settle",
    make: () => ({
      workflow: defineWorkflow("deep", { state: { seen: z.number().default(0) } })
        .step("shelves", { on: StartEvent, emits: many(Shelf) }, async function* (_ev, ctx) {
          for (const n of [0, 1, 2]) {
            await ctx.store.editState((state) => void state.seen++);
            yield keyed(`shelf ${n}`, new Shelf({ n })) as never;
          }
        })
        .step("boxes", { on: Shelf, emits: many(Box) }, async function* ({ n }, ctx) {
          for (let box = 0; box <= n; box++) {
            yield new Box({ shelf: n, n: box });
            await ctx.sleep("1m", { key: `after ${box}` });
          }
        })
        .step("weigh", { on: Box, emits: Weighed, retry: twice }, async ({ shelf, n }, ctx) => {
          if (shelf === 1 && ctx.retryInfo().retry === 0) throw new Error("The scale is busy.");
          if (shelf === 2 && n === 1) throw new RangeError("The box is too heavy.");
          if (shelf === 2 && n === 2) return null;
          return new Weighed({ shelf, n });
        })
        .step("pack", { on: collect(Weighed, { settle: true }), emits: Packed }, (all) => {
          return new Packed({ n: all.reduce((sum, one) => sum + { ok: 100, empty: 10, failed: 1 }[one.status], 0) });
        })
        .step("store", { on: collect(Packed, { take: 2, rest: "finish" }), emits: Stored }, async (some, ctx) => {
          await ctx.sleep("1h");
          return new Stored({ n: some.length });
        })
        .step("end", { on: Stored, emits: StopEvent }, async ({ n }, ctx) => new StopEvent({ result: [n, await ctx.store.get("seen")] }))
        .build(),
    }),
  },
  {
    name: "a state with maps, sets, dates, bytes and big numbers",
    make: () => ({
      workflow: defineWorkflow("state", { state: State })
        .step("begin", { on: StartEvent, emits: many(Box) }, async (_ev, ctx) => {
          await ctx.store.editState((state) => {
            state.counts.set("big", 2n ** 80n);
            state.tags.add("one").add("two");
            state.at = new Date(86_400_000);
            state.list.push({ n: 1 }, { n: 2, at: new Date(5) });
          });
          await ctx.store.set("bytes", new Uint8Array([1, 2, 255]));
          return [0, 1, 2].map((n) => new Box({ shelf: 0, n }));
        })
        .step("count", { on: Box, emits: Labelled, workers: 1 }, async ({ n }, ctx) => {
          const before = await ctx.store.editState((state) => {
            state.counts.set("big", (state.counts.get("big") ?? 0n) + 1n);
            state.list.splice(n, 1, { n: n + 10 });
            state.tags.delete("one");
            return state.list.length;
          });
          await ctx.sleep("1m");
          await ctx.store.set(`list.${n}.n`, before * 10 + n);
          return new Labelled({ n });
        })
        .step("again", { on: collect(Labelled), emits: Turn }, async (all, ctx) => {
          const { list, ...rest } = await ctx.store.getState();
          await ctx.store.setState({ ...rest, list: list.map((one) => ({ ...one })), tags: new Set(["set"]) });
          return new Turn({ n: all.length });
        })
        .step("end", { on: Turn, emits: StopEvent }, async ({ n }, ctx) => {
          await ctx.sleep("1m");
          const { counts, tags, list, at, bytes } = await ctx.store.getState();
          return new StopEvent({ result: [n, String(counts.get("big")), [...tags], list.map((one) => one.n), at.getTime(), [...bytes]] });
        })
        .build(),
    }),
  },
  {
    name: "a loop that waits for two sides of a join in each turn",
    make: () => ({
      workflow: defineWorkflow("turns", { state: { turns: z.number().default(0) } })
        .step("begin", { on: StartEvent, emits: many(Turn) }, () => [new Turn({ n: 0 }), new Turn({ n: 10 })])
        .step("fork", { on: Turn, emits: [Shelf, Labelled] }, ({ n }, ctx) => {
          ctx.sendEvent(new Shelf({ n }), { delay: "30s" });
          ctx.sendEvent(new Labelled({ n }), { immediate: true });
        })
        .step("pair", { on: join({ shelf: Shelf, label: Labelled }), emits: [Turn, Packed] }, async ({ shelf, label }, ctx) => {
          await ctx.store.editState((state) => void state.turns++);
          return shelf.n % 10 === 3 ? new Packed({ n: shelf.n + label.n }) : new Turn({ n: shelf.n + 1 });
        })
        .step("end", { on: collect(Packed), emits: StopEvent }, async (all, ctx) => {
          return new StopEvent({ result: [all.map(({ n }) => n), await ctx.store.get("turns")] });
        })
        .build(),
    }),
  },
];
