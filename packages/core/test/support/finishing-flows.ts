/** Flows whose steps end with an edit: see `flows.ts`. */
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  keyed,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";
import type { Flow } from "./flows.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Group extends event("Group", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });
const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => new Item({ n }));
const state = {
  list: z.array(z.object({ n: z.number() })).default(() => []),
  seen: z.map(z.string(), z.bigint()).default(() => new Map()),
  total: z.number().default(0),
};
const thrice = retryPolicy({ wait: wait.fixed("20ms"), stop: stop.afterAttempts(3) });
const sorted = (list: readonly { readonly n: number }[]): number[] => list.map(({ n }) => n).toSorted((a, b) => a - b);

export const finishingFlows: readonly Flow[] = [
  {
    name: "a chain whose steps edit and end with an edit, one after retries",
    make: () => ({
      workflow: defineWorkflow("finishing chain", { state })
        .step("first", { on: StartEvent, emits: [Left, Group], retry: thrice }, async (_ev, ctx) => {
          await ctx.store.editState((draft) => void draft.list.push({ n: 1 }));
          ctx.sendEvent(new Group({ n: 5 }), { delay: "1s" });
          return ctx.finish((draft) => {
            draft.list.push({ n: 2 });
            draft.seen.set("first", 2n ** 70n);
            if (ctx.retryInfo().retry < 2) throw new Error("Not yet.");
            return new Left({ n: draft.list.length });
          });
        })
        .step("late", { on: Group }, (_ev, ctx) => ctx.finish((draft) => void (draft.total += 100)))
        .step("second", { on: Left, emits: StopEvent }, async ({ n }, ctx) => {
          await ctx.sleep("5s");
          return ctx.finish((draft) => {
            draft.list.push({ n: n * 10 });
            return stopped([draft.list, String(draft.seen.get("first")), draft.total]);
          });
        })
        .build(),
    }),
  },
  {
    name: "branches that end with an edit, beside others that edit",
    make: () => ({
      workflow: defineWorkflow("finishing branches", { state })
        .step("split", { on: StartEvent, emits: many(Item) }, (_ev, ctx) =>
          ctx.finish((draft) => {
            draft.total = 1000;
            return items(9);
          }),
        )
        .step("work", { on: Item, emits: Done, workers: 5 }, async ({ n }, ctx) => {
          if (n % 3 === 1) await ctx.sleep(n);
          if (n % 3 === 2) await ctx.store.editState((draft) => void draft.list.push({ n }));
          return ctx.finish((draft) => {
            if (n % 3 !== 2) draft.list.unshift({ n });
            draft.total += n;
            return new Done({ n });
          });
        })
        .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) => {
          const { list, total } = await ctx.store.getState();
          return stopped([all.map(({ n }) => n), sorted(list), total]);
        })
        .build(),
    }),
  },
  {
    name: "generators and settling branches that end with an edit",
    make: () => ({
      workflow: defineWorkflow("finishing generators", { state })
        .step("groups", { on: StartEvent, emits: many(Group) }, async function* (_ev, ctx) {
          for (const n of [0, 1, 2]) yield keyed(`group ${n}`, new Group({ n })) as never;
          return ctx.finish((draft) => void draft.seen.set("groups", 3n));
        })
        .step("members", { on: Group, emits: many(Item) }, ({ n }, ctx) =>
          ctx.finish((draft) => {
            draft.total += n;
            return items(n + 1);
          }),
        )
        .step("work", { on: Item, emits: Done, retry: thrice }, ({ n }, ctx) =>
          ctx.finish((draft) => {
            draft.list.push({ n });
            if (n === 1) throw new Error("One never works.");
            return new Done({ n });
          }),
        )
        .step("inner", { on: collect(Done, { settle: true }), emits: Left }, (all) => new Left({ n: all.length }))
        .step("outer", { on: collect(Left), emits: StopEvent }, async (all, ctx) => {
          const { list, total, seen } = await ctx.store.getState();
          return stopped([all.map(({ n }) => n), sorted(list), total, String(seen.get("groups"))]);
        })
        .build(),
    }),
  },
  {
    name: "children that end with an edit of the store that they share",
    sharesStore: true,
    make() {
      const child = defineWorkflow("finishing child", { state })
        .step("split", { on: StartEvent, emits: many(Item) }, () => items(3))
        .step("work", { on: Item, emits: Done }, ({ n }, ctx) =>
          ctx.finish((draft) => {
            draft.list.push({ n });
            return new Done({ n });
          }),
        )
        .step("end", { on: collect(Done), emits: StopEvent }, (all, ctx) =>
          ctx.finish((draft) => {
            draft.total++;
            return stopped(all.length);
          }),
        )
        .build();
      const workflow = defineWorkflow("finishing parent", { state, children: { child } })
        .step("split", { on: StartEvent, emits: many(Group) }, () => [1, 2, 3].map((n) => new Group({ n })))
        .step("call", { on: Group, emits: Left }, async ({ n }, ctx) => {
          if (n > 1) await ctx.runChild(child, {}, { store: "shared" });
          return ctx.finish((draft) => {
            draft.list.push({ n: n * 10 });
            return new Left({ n });
          });
        })
        .step("end", { on: collect(Left), emits: StopEvent }, async (all, ctx) => {
          const { list, total } = await ctx.store.getState();
          return stopped([all.map(({ n }) => n), sorted(list), total]);
        })
        .build();
      return { workflow, children: [child] };
    },
  },
];
