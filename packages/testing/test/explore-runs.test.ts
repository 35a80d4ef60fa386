/** Planted races: `exploreRuns` finds each, and nothing in what is right. */
import { collect, defineWorkflow, event, many, resource, StartEvent, StopEvent, type Workflow } from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { exploreRuns } from "../src/index.js";
import { type Ctx, increment, parallel, races, right } from "./planted-races.js";

const kindsOf = (findings: readonly { readonly kind: string }[]): string[] =>
  [...new Set(findings.map(({ kind }) => kind))].sort();
const explored = (workflow: Workflow, options: object = {}) =>
  exploreRuns(workflow, {}, { crashes: false, ...options });

describe("a race", () => {
  it.for(races)("is found: %s", async ([, make, kinds, options]) => {
    const { findings, isComplete } = await explored(make(), options);
    expect(kindsOf(findings), JSON.stringify(findings, null, 1)).toEqual(kinds);
    expect(isComplete).toBe(true);
    for (const { kind, message, schedule } of findings) {
      const again = await explored(make(), { ...options, schedule });
      expect(again.findings).toContainEqual(expect.objectContaining({ kind, message }));
    }
  });

  it.for(right)("is not found where there is none: %s", async ([, make, , options]) => {
    const { findings, isComplete, endings } = await explored(make(), options);
    expect(findings).toEqual([]);
    expect(isComplete).toBe(true);
    expect(endings).toHaveLength(1);
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** The second attempt begins a turn later, and writes between the read and the write of the first. */
const slowBegin = (): Workflow =>
  parallel((n, ctx) => (n === 0 ? increment(ctx) : ctx.store.set("count", 9))).use(async (call, next) => {
    if (call.step === "work" && (call.event as { readonly n: number }).n === 1) await turn();
    return next();
  });
class Early extends event("Early", {}) {}
class Late extends event("Late", {}) {}
class Next extends event("Next", {}) {}
class Done extends event("Done", {}) {}
const slowResource = (): Workflow => {
  const slow = resource("slow", turn, { scope: "call" });
  return defineWorkflow("flow", { state: { count: z.number().default(0) } })
    .step("split", { on: StartEvent, emits: [many(Early), many(Late)] }, () => [new Early(), new Late()])
    .step("early", { on: Early, emits: Done }, async (_ev, ctx) => {
      await increment(ctx as never);
      return new Done();
    })
    .step("late", { on: Late, emits: Done, resources: { slow } }, async (_ev, ctx) => {
      await ctx.store.set("count", 9);
      return new Done();
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as never;
};

/** A run inside of a step has the time of the host. */
const nestedRun = (): Workflow => {
  const inner = defineWorkflow("inner")
    .step("only", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build();
  return defineWorkflow("flow", { state: { count: z.number().default(0) } })
    .step("split", { on: StartEvent, emits: [many(Early), many(Late)] }, () => [new Early(), new Late()])
    .step("early", { on: Early, emits: Done }, async (_ev, ctx) => {
      await increment(ctx as never);
      return new Done();
    })
    .step("late", { on: Late, emits: Next }, async () => {
      await inner.run();
      return new Next();
    })
    .step("next", { on: Next, emits: Done }, async (_ev, ctx) => {
      await ctx.store.set("count", 9);
      return new Done();
    })
    .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: null }))
    .build() as never;
};

describe("exploreRuns", () => {
  const lossy = () => parallel((_n, ctx) => increment(ctx));

  it("gives the shortest order, in words and as a schedule", async () => {
    const { findings, orders } = await explored(lossy());
    expect(orders).toBe(4);
    expect(findings[0]).toEqual({
      kind: "lostUpdate",
      message: '"work" overwrites "count", which "work" has written since "work" has read it.',
      schedule: "0.0.1",
      parts: expect.arrayContaining(["work 3.1: get count", "work 4.1: set count"]),
    });
  });

  it.for([
    ["a middleware", slowBegin],
    ["a resource", slowResource],
  ] as const)("waits between two calls for %s that takes a turn of the host", async ([, make]) => {
    const { findings } = await explored(make());
    expect(kindsOf(findings)).toContain("lostUpdate");
  });

  it("sees what comes after a step that has called another run", async () => {
    const { endings } = await explored(nestedRun());
    expect(endings.map(({ state }) => (state as { count: number }).count).sort()).toEqual([1, 10, 9]);
  });

  it("finds orders in which the run waits for ever or does not end, also if those are all", async () => {
    const ask = (ctx: Ctx) => ctx.ask({ title: "Go on?", schema: { yes: z.boolean() } });
    const some = await explored(
      parallel(async (n, ctx) => {
        if (n === 0) await ctx.store.set("count", 1);
        else if ((await ctx.store.get("count")) === 1) await ask(ctx);
      }),
    );
    const all = await exploreRuns(() => parallel(async (n, ctx) => n === 1 && ask(ctx)), {});
    const endless = await explored(
      parallel(async (n, ctx) => {
        while (n === 1) await ctx.sleep(10);
      }),
      { orders: 3 },
    );

    expect([some, all, endless].map(({ findings }) => kindsOf(findings))).toEqual([["stuck"], ["stuck"], ["stuck"]]);
    expect(some.endings).toHaveLength(1);
    expect(all.endings).toEqual([]);
    expect(some.findings[0]?.message).toMatch(/^The run waits for ever\./);
    expect(endless.findings[0]).toMatchObject({ message: "The run does not end." });
    expect(endless.findings[0]?.parts).toHaveLength(201);
  });

  it("says when it has not seen all orders", async () => {
    const make = () => parallel((_n, ctx) => increment(ctx), { count: 3 });
    expect(await explored(make(), { orders: 5 })).toMatchObject({ orders: 5, isComplete: false });
    expect(await explored(make(), { depth: 2 })).toMatchObject({ isComplete: false });
    expect(await explored(make())).toMatchObject({ isComplete: true });
  });

  it("crashes the run at each tick, and takes an ending of any order for right", async () => {
    const { findings, crashes } = await exploreRuns(() => parallel((n, { store }) => store.set("count", n)), {});
    expect(crashes).toBeGreaterThan(4);
    expect(kindsOf(findings)).toEqual(["order"]);
  });

  it("finds what a crash does twice", async () => {
    const make = () => {
      const paid: number[] = [];
      return { create: () => parallel((n) => paid.push(n), { count: 1 }) as Workflow, observe: () => paid };
    };
    const { findings } = await exploreRuns(make, {});
    expect(kindsOf(findings)).toEqual(["crash"]);
    expect(findings[0]?.message).toContain("seeds: [1], at:");
  });

  it("compares the world, too", async () => {
    const make = () => {
      let balance = 0;
      const work = async (n: number, ctx: Ctx) => {
        const before = await ctx.run("account", () => balance);
        await ctx.run("account again", () => void (balance = before + n + 1));
      };
      return { create: () => parallel(work) as Workflow, observe: () => balance };
    };
    const { findings, endings } = await exploreRuns(make, {}, { crashes: false });
    expect(endings.map(({ observed }) => observed)).toContain(3);
    expect(kindsOf(findings)).toEqual(["order"]);
  });

  it("refuses a schedule of another workflow, and wrong options", async () => {
    await expect(explored(lossy(), { schedule: "0.0.7" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(explored(lossy(), { schedule: "0.x" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(explored(lossy(), { depht: 1, orders: 0 })).rejects.toThrow(/depht.*`orders` is 0/);
  });
});

describe("a call without await", () => {
  const forgetful = (end: () => StopEvent): Workflow =>
    defineWorkflow("flow", { state: { count: z.number().default(0) } })
      .step("work", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
        void ctx.store.set("count", 1);
        void ctx.run("mail", async () => 1);
        return end();
      })
      .build() as never;

  it("is made before its step ends, as without exploration", async () => {
    const { findings, endings } = await explored(forgetful(() => new StopEvent({ result: null })));

    expect(findings).toEqual([]);
    expect(endings).toHaveLength(1);
  });

  it("is made before its step fails", async () => {
    const failing = forgetful(() => {
      throw new Error("no");
    });

    expect((await explored(failing)).findings).toEqual([]);
  });
});
