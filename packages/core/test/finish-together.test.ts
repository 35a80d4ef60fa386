/** Steps that end with an edit at the same time, of one run and of several, and what is seen of it. */
import { describe, expect, it } from "vitest";
import { projectedState } from "../src/entries/engine.js";
import { Context, collect, defineWorkflow, many, type RunContext, StartEvent, StopEvent } from "../src/index.js";
import {
  add,
  branches,
  Done,
  flowOf,
  Group,
  Item,
  journalOf,
  pushOne,
  state,
  stopped,
  Taken,
  twice,
  type Values,
} from "./support/finishing.js";
import { gate, rejection } from "./support/runs.js";
import { recordLog, settle, withVirtualClock } from "./support/virtual-clock.js";

describe("many branches that finish at once", () => {
  it("see each other's edits and are one round", async () => {
    const flow = branches(50, (n, ctx) => ctx.finish(add(n)));
    const journal = journalOf();
    withVirtualClock(flow, { journal });

    const [counts, end] = (await flow.run()) as [number[], Values];

    expect(counts).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(end).toEqual({ list: Array.from({ length: 50 }, (_, n) => n), total: (49 * 50) / 2 });
    expect(journal.rounds).toBeLessThanOrEqual(5);
  });

  it.each([[false], [true]])(
    "lose nothing to edits of others that are open meanwhile, journal: %s",
    async (isStored) => {
      const open = gate();
      const flow = branches(6, async (n, ctx) => {
        if (n % 2 === 0) return ctx.finish(add(n));
        await ctx.store.editState(async (draft) => {
          const before = draft.total;
          if (n === 1) await open.promise;
          draft.list.push(n);
          draft.total = before + n;
        });
        return new Done({ n: -n });
      });
      withVirtualClock(flow, isStored ? { journal: journalOf() } : {});
      const run = flow.run();
      await settle();
      open.open();

      const [, end] = (await run) as [number[], Values];

      expect(end.list.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(end.total).toBe(15);
    },
  );

  it("are in the settled state before they are stored", async () => {
    const journal = journalOf(true);
    const seen: unknown[] = [];
    const flow = branches(3, async (n, ctx) => {
      if (n > 0) return ctx.finish(add(n));
      await settle();
      const settled = projectedState(ctx).then(({ total }) => seen.push(total));
      seen.push((await ctx.store.getState()).total);
      await settled;
      return new Done({ n });
    });
    withVirtualClock(flow, { journal });
    const run = flow.run();
    for (let round = 0; round < 10; round++) {
      await settle();
      await journal.store();
    }
    await run;

    expect(seen).toEqual([0, 3]);
  });

  it("and the edit of whoever called the run lose nothing to each other", async () => {
    const open = gate();
    const begun = gate();
    const flow = branches(4, async (n, ctx) => {
      await begun.promise;
      return ctx.finish(add(n));
    });
    withVirtualClock(flow, { journal: journalOf() });
    const handler = flow.run();
    const edit = (handler.context as RunContext<Values>).store.editState(async (draft) => {
      begun.open();
      await open.promise;
      draft.total += 100;
    });
    await settle();
    open.open();
    await edit;

    const [, end] = (await handler) as [number[], Values];

    expect([end.total, end.list.toSorted()]).toEqual([106, [0, 1, 2, 3]]);
  });

  it.each([[false], [true]])("count only as far as their fan-out was not called off, journal: %s", async (isStored) => {
    const flow = branches(8, (n, ctx) => ctx.finish(add(n)), 3);
    withVirtualClock(flow, isStored ? { journal: journalOf() } : {});

    expect(await flow.run()).toEqual([[1, 2, 3], { list: [0, 1, 2], total: 3 }]);
  });

  it("do not build on one of another fan-out that is called off before it counts", async () => {
    const open = gate();
    const flow = defineWorkflow("groups", { state })
      .step("groups", { on: StartEvent, emits: many(Group) }, () => [new Group({ n: 1 }), new Group({ n: 100 })])
      .step("members", { on: Group, emits: many(Item) }, ({ n }) => [new Item({ n }), new Item({ n: n * 2 })])
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        await open.promise;
        return ctx.finish(add(n));
      })
      .step("first", { on: collect(Done, { take: 1, rest: "cancel" }), emits: Taken }, () => new Taken())
      .step("end", { on: collect(Taken), emits: StopEvent }, async (_all, ctx) => stopped(await ctx.store.get()))
      .build();
    withVirtualClock(flow, { journal: journalOf() });
    const run = flow.run();
    await settle();
    open.open();

    expect(await run).toEqual({ list: [1, 100], total: 101 });
  });

  it("wait for a writer who waits: none is kept out for ever", async () => {
    let isWritten = false;
    const flow = defineWorkflow("busy", { state })
      .step("begin", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 0 }), new Item({ n: 1 })])
      .step("loop", { on: Item, emits: [Item, Done], retry: twice }, ({ n }, ctx) => {
        if (n % 2 === 0 && !isWritten && n < 5000)
          return ctx.finish((draft) => {
            draft.total = n % 1000;
            return new Item({ n: n + 2 });
          });
        if (n === 1)
          return ctx.store.set("list", [1]).then(() => {
            isWritten = true;
            return new Done({ n: 1 });
          });
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.map(({ n }) => n)))
      .build();
    withVirtualClock(flow, { journal: journalOf() });

    const [turns] = (await flow.run()) as [number];

    expect(turns).toBeLessThan(100);
  });
});

describe("a finish that is on its way", () => {
  it("is in no snapshot before it is stored, and is made again by whoever goes on from one", async () => {
    const { flow } = flowOf((ctx) => ctx.finish(pushOne));
    const journal = journalOf(true);
    withVirtualClock(flow, { journal });
    const handler = flow.run();
    await settle();
    await journal.store(); // the start

    const dict = JSON.parse(JSON.stringify(handler.context.toDict()));

    expect(journal.types()).toEqual(["run.started", "step.completed"]);
    expect(await (handler.context as RunContext<Values>).store.get("list")).toEqual([]);
    const { flow: other } = flowOf((ctx) => ctx.finish(pushOne));
    const loaded = Context.fromDict(other as never, dict);
    expect(await (other as unknown as { resume(context: unknown): Promise<unknown> }).resume(loaded)).toEqual([
      1,
      { list: [1], total: 0 },
    ]);
  });

  it("does not count when the run was cancelled before", async () => {
    const { flow } = flowOf(async (ctx) => {
      await begun.promise;
      return ctx.finish(pushOne);
    });
    const begun = gate();
    const journal = journalOf(true);
    withVirtualClock(flow, { journal });
    const handler = flow.run();
    await settle();
    await journal.store(); // the start
    void handler.cancel("enough");
    begun.open();
    await settle();
    while (handler.context.toDict()["status"] === "running") await journal.store();

    expect((await rejection(handler)).code).toBe("RUN_CANCELLED");
    expect(await (handler.context as RunContext<Values>).store.get("list")).toEqual([]);
  });

  it("does not count when the time of the step is up before its turn comes", async () => {
    const open = gate();
    const flow = defineWorkflow("late", { state })
      .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 0 }), new Item({ n: 1 })])
      .step("edit", { on: Item, emits: Done }, async ({ n }, ctx) => {
        if (n === 1) await ctx.store.editState(() => open.promise);
        return new Done({ n });
      })
      .step("work", { on: Item, emits: Done, timeout: "1s" }, ({ n }, ctx) =>
        n === 1 ? null : new Promise((resolve) => setImmediate(resolve)).then(() => ctx.finish(add(1))),
      )
      .step("end", { on: collect(Done), emits: StopEvent }, () => stopped("end"))
      .build({ log: recordLog() });
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await settle();
    await clock.advance(2000);
    open.open();

    expect((await rejection(handler)).code).toBe("STEP_TIMEOUT");
    await settle();
    expect(await (handler.context as RunContext<Values>).store.get("list")).toEqual([]);
  });
});

describe("a generator that finishes", () => {
  it("ends its fan-out with an edit", async () => {
    const { flow } = flowOf((ctx) =>
      (async function* () {
        yield new Done({ n: 1 });
        yield new Done({ n: 2 });
        return ctx.finish((draft) => void (draft.total = 9));
      })(),
    );

    expect(await flow.run()).toEqual([[1, 2], { list: [], total: 9 }]);
  });
});

describe("runs that share a store", () => {
  it.each([[false], [true]])("finish at once, and lose nothing, journal: %s", async (isStored) => {
    const child = defineWorkflow("child")
      .step("split", { on: StartEvent, emits: many(Item) }, () => [10, 20, 30].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: Done }, (({ n }: Item, ctx: Context<Values>) => ctx.finish(add(n))) as never)
      .step("end", { on: collect(Done), emits: StopEvent }, (all) => stopped(all.length))
      .build();
    const parent = defineWorkflow("parent", { state, children: { child } })
      .step("split", { on: StartEvent, emits: many(Item) }, () => [1, 2, 3, 4].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        if (n < 3) await ctx.runChild(child, {}, { store: "shared" });
        return ctx.finish(add(n));
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (_all, ctx) => stopped(await ctx.store.get()))
      .build();
    const journal = journalOf();
    for (const one of [child, parent]) withVirtualClock(one, isStored ? { journal } : {});

    const end = (await parent.run()) as Values;

    expect(end.list.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 10, 10, 20, 20, 30, 30]);
    expect(end.total).toBe(130);
  });
});

describe("watching a finish", () => {
  it("shows the edit as any other, once it is in the state", async () => {
    const flow = defineWorkflow("watched", { state })
      .step("work", { on: StartEvent, emits: Item }, (_, ctx) =>
        ctx.finish((draft) => {
          draft.total = 1;
          return pushOne(draft);
        }),
      )
      .step("end", { on: Item, emits: StopEvent }, () => stopped(1))
      .build();
    const seen: unknown[] = [];
    flow.on("step.completed", ({ step }) => seen.push(`${step} completed`));
    flow.on("state.edited", ({ step, paths }) => seen.push([step, paths.toSorted()]));

    await flow.run();

    expect(seen).toEqual(["work completed", ["work", ["list.0", "total"]], "end completed"]);
  });
});
