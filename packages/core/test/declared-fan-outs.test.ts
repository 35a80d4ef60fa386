/** Which batch an event is in: two phases, fan-outs in fan-outs, steps between a collect and the next one, loops and recursion. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Context, collect, defineWorkflow, event, join, many, StartEvent, StopEvent } from "../src/index.js";
import { rejection } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class A extends event("A", { n: z.number().default(0), ns: z.array(z.number()).nullable().default(null) }) {}
class B extends event("B", { n: z.number() }) {}
class C extends event("C", { n: z.number() }) {}
class D extends event("D", { n: z.number() }) {}
class X extends event("X", { n: z.number() }) {}
class Node extends event("Node", { depth: z.number(), path: z.string().default("") }) {}
class Sum extends event("Sum", { n: z.number(), depth: z.number() }) {}

const stopped = <Result>(result: Result) => new StopEvent({ result });
const numbers = (all: readonly { readonly n: number }[]) => all.map(({ n }) => n);
const split = (ev: StartEvent) => (ev.get("ns") as number[]).map((n) => new A({ n }));
const outer = (ev: StartEvent) => (ev.get("nss") as (number[] | null)[]).map((ns) => new A({ ns }));
const inner = ({ ns }: A) => ns?.map((n) => new B({ n })) ?? null;
const fail = (): never => {
  throw new Error("no");
};

describe("two phases: a collect step that fans out again", () => {
  const phases = defineWorkflow("phases")
    .step("split", { on: StartEvent, emits: many(A) }, split)
    .step("phase1", { on: collect(A), emits: many(B) }, (all) => all.map(({ n }) => new B({ n: n * 10 })))
    .step("phase2", { on: collect(B), emits: StopEvent }, (all) => stopped(numbers(all)))
    .build();

  it("gives the second batch what the first one became", async () => {
    expect(await phases.run({ ns: [1, 2, 3] })).toEqual([10, 20, 30]);
  });

  it("has an empty second batch after an empty first one", async () => {
    expect(await phases.run({ ns: [] })).toEqual([]);
  });

  it("is the same for generators", async () => {
    const flow = defineWorkflow("yielding")
      .step("split", { on: StartEvent, emits: many(A) }, async function* () {
        for (const n of [1, 2, 3]) yield new A({ n });
      })
      .step("phase1", { on: collect(A), emits: many(B) }, async function* (all) {
        for (const { n } of all) yield new B({ n: n * 10 });
      })
      .step("phase2", { on: collect(B), emits: StopEvent }, (all) => stopped(numbers(all)))
      .build();

    expect(await flow.run()).toEqual([10, 20, 30]);
  });

  it("settles the second batch by itself", async () => {
    const flow = defineWorkflow("settled")
      .step("split", { on: StartEvent, emits: many(A) }, split)
      .step("phase1", { on: collect(A), emits: many(B) }, (all) => all.map(({ n }) => new B({ n })))
      .step("phase2", { on: collect(B, { settle: true }), emits: StopEvent }, (all) =>
        stopped(all.map(({ status }) => status)),
      )
      .build();

    expect(await flow.run({ ns: [1, 2] })).toEqual(["ok", "ok"]);
  });

  it("fires each collect once, with a step behind the second", async () => {
    const batches: number[][] = [];
    const flow = defineWorkflow("behind")
      .step("split", { on: StartEvent, emits: many(A) }, split)
      .step("phase1", { on: collect(A), emits: many(B) }, (all) => all.map(({ n }) => new B({ n: n * 10 })))
      .step("phase2", { on: collect(B), emits: X }, (all) => {
        batches.push(numbers(all));
        return new X({ n: all.length });
      })
      .step("end", { on: X, emits: StopEvent }, async ({ n }, ctx) => {
        await ctx.sleep("1h");
        return stopped(n);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run({ ns: [1, 2, 3] });
    await clock.advance(3_600_000);

    expect(await handler).toBe(3);
    expect(batches).toEqual([[10, 20, 30]]);
  });

  it("fires once for each element of an outer fan-out", async () => {
    const batches: number[][] = [];
    const flow = defineWorkflow("inside")
      .step("outer", { on: StartEvent, emits: many(A) }, outer)
      .step("split", { on: A, emits: many(B) }, inner)
      .step("phase1", { on: collect(B), emits: many(C) }, (all) => all.map(({ n }) => new C({ n })))
      .step("phase2", { on: collect(C), emits: X }, (all) => {
        batches.push(numbers(all));
        return new X({ n: all.length });
      })
      .step("end", { on: collect(X), emits: StopEvent }, (all) => stopped(numbers(all)))
      .build();

    expect(await flow.run({ nss: [[1, 2], [], [3]] })).toEqual([2, 0, 1]);
    expect(batches.toSorted()).toEqual([[], [1, 2], [3]]);
  });
});

interface Nested {
  readonly sum?: { readonly settle: true };
  readonly end?: { readonly settle: true };
  readonly c?: (ev: B) => C;
  readonly x?: (ev: D) => X;
}

/** Outer → inner → collect(C) → D → an ordinary step → X → collect(X). */
function nested({ sum, end, c = ({ n }) => new C({ n }), x = ({ n }) => new X({ n }) }: Nested = {}) {
  const batches = { sum: 0, end: 0 };
  const flow = defineWorkflow("nested")
    .step("outer", { on: StartEvent, emits: many(A) }, outer)
    .step("inner", { on: A, emits: many(B) }, inner)
    .step("c", { on: B, emits: C }, c)
    .step("sum", { on: collect(C, { ...sum }), emits: D }, (all: readonly unknown[]) => {
      batches.sum++;
      return new D({ n: all.length });
    })
    .step("x", { on: D, emits: X }, x)
    .step("end", { on: collect(X, { ...end }), emits: StopEvent }, (all: readonly unknown[]) => {
      batches.end++;
      return stopped(
        (all as readonly { n?: number; event?: X; status?: string }[]).map(
          (one) => one.n ?? one.event?.n ?? one.status,
        ),
      );
    })
    .build();
  return { flow, batches };
}

describe("an ordinary step between an inner collect and the outer one", () => {
  it("loses no element, and fires each collect once for each fan-out", async () => {
    const { flow, batches } = nested();

    expect(await flow.run({ nss: [[1, 2], [], [3]] })).toEqual([2, 0, 1]);
    expect(batches).toEqual({ sum: 3, end: 1 });
  });

  it("does not open a fan-out where a step returns nothing", async () => {
    const { flow, batches } = nested();

    expect(await flow.run({ nss: [[1, 2], null, [3]] })).toEqual([2, 1]);
    expect(batches).toEqual({ sum: 2, end: 1 });
  });

  it("settles inside, each fan-out by itself", async () => {
    const { flow } = nested({ sum: { settle: true }, c: ({ n }) => (n % 2 ? new C({ n }) : fail()) });

    expect(
      await flow.run({
        nss: [
          [1, 2],
          [4, 6],
        ],
      }),
    ).toEqual([2, 2]);
  });

  it("settles outside: the whole element has failed, and its inner collect does not fire", async () => {
    const { flow, batches } = nested({ end: { settle: true }, c: ({ n }) => (n % 2 ? new C({ n }) : fail()) });

    expect(await flow.run({ nss: [[1, 3], [1, 2], null, []] })).toEqual([2, "failed", "empty", 0]);
    expect(batches).toEqual({ sum: 2, end: 1 });
  });

  it("fails the run where only the inner fan-out settles and a step behind it throws", async () => {
    const { flow } = nested({ sum: { settle: true }, x: fail });

    expect(await rejection(flow.run({ nss: [[1]] }))).toMatchObject({ message: "no" });
  });
});

describe("`of`", () => {
  const tree = defineWorkflow("tree")
    .step("begin", { on: StartEvent, emits: many(Node) }, () => [new Node({ depth: 0 })])
    .step("grow", { on: Node, emits: [many(Node), X] }, ({ depth, path }) => {
      if (depth === 3) return new X({ n: Number.parseInt(path, 2) });
      return [0, 1].map((n) => new Node({ depth: depth + 1, path: path + n }));
    })
    .step("end", { on: collect(X, { of: "begin" }), emits: StopEvent }, (all) => stopped(numbers(all)))
    .build();

  it("gathers across the fan-outs inside, in the order in which they were emitted", async () => {
    expect(await tree.run()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("takes the nearest fan-out of a step that fans out into itself", async () => {
    const folded: number[] = [];
    const flow = defineWorkflow("fold")
      .step("begin", { on: StartEvent, emits: Node }, () => new Node({ depth: 0 }))
      .step("grow", { on: Node, emits: [many(Node), Sum] }, ({ depth }) => {
        if (depth === 3) return new Sum({ n: 1, depth });
        return [0, 1, 2].map(() => new Node({ depth: depth + 1 }));
      })
      .step("fold", { on: collect(Sum, { of: "grow" }), emits: [Sum, D], skipChecks: ["uncollected"] }, (all) => {
        const n = numbers(all).reduce((sum, one) => sum + one, 0);
        folded.push(n);
        const depth = (all[0]?.depth ?? 0) - 1;
        return depth === 0 ? new D({ n }) : new Sum({ n, depth });
      })
      .step("end", { on: D, emits: StopEvent }, ({ n }) => stopped(n))
      .build();

    expect(await flow.run()).toBe(27);
    expect(folded).toHaveLength(13);
  });

  it("gathers with `take` over the whole fan-out, and calls off what is inside", async () => {
    const done: number[] = [];
    const flow = defineWorkflow("race")
      .step("outer", { on: StartEvent, emits: many(A) }, outer)
      .step("inner", { on: A, emits: many(B) }, inner)
      .step("work", { on: B, emits: X }, async ({ n }, ctx) => {
        await ctx.sleep(n);
        done.push(n);
        return new X({ n });
      })
      .step(
        "end",
        { on: collect(X, { of: "outer", take: 2, rest: "cancel" }), emits: D },
        (all) => new D({ n: all.length }),
      )
      .step("stop", { on: D, emits: StopEvent }, async ({ n }, ctx) => {
        await ctx.sleep("1h");
        return stopped(n);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run({
      nss: [
        [30, 10],
        [20, 40],
      ],
    });
    await clock.advance(3_700_000);

    expect(await handler).toBe(2);
    expect(done).toEqual([10, 20]);
  });
});

it("a loop that fans out each turn has one batch per turn", async () => {
  const sizes: number[] = [];
  const flow = defineWorkflow("turns")
    .step("go", { on: StartEvent, emits: D }, () => new D({ n: 3 }))
    .step("turn", { on: D, emits: many(B) }, ({ n }) => Array.from({ length: n }, (_, at) => new B({ n: at })))
    .step("item", { on: B, emits: X }, ({ n }) => new X({ n }))
    .step("next", { on: collect(X), emits: [D, StopEvent] }, (all) => {
      sizes.push(all.length);
      return all.length === 1 ? stopped(sizes) : new D({ n: all.length - 1 });
    })
    .build();

  expect(await flow.run()).toEqual([3, 2, 1]);
});

describe("an element that is sent", () => {
  const gathering = (send: (ev: StartEvent, ctx: Context) => Promise<A[] | void>) =>
    defineWorkflow("sending")
      .step("split", { on: StartEvent, emits: many(A) }, send)
      .step("work", { on: A, emits: X }, ({ n }) => new X({ n }))
      .step("end", { on: collect(X), emits: StopEvent }, (all) => stopped(numbers(all)))
      .build();

  it("is in the batch of the step's own fan-out", async () => {
    const flow = gathering(async (_ev, ctx) => {
      for (const n of [1, 2]) ctx.sendEvent(new A({ n }));
    });

    expect(await flow.run()).toEqual([1, 2]);
  });

  it("comes before those that the step returns, however often it commits", async () => {
    const flow = gathering(async (_ev, ctx) => {
      ctx.sendEvent(new A({ n: 1 }), { immediate: true });
      await ctx.sleep(0);
      ctx.sendEvent(new A({ n: 2 }));
      await ctx.sleep(0);
      ctx.sendEvent(new A({ n: 3 }));
      return [new A({ n: 4 })];
    });

    expect(await flow.run()).toEqual([1, 2, 3, 4]);
  });

  it("keeps the fan-out open while it is delayed, and has the place in which it was sent", async () => {
    const flow = gathering(async (_ev, ctx) => {
      ctx.sendEvent(new A({ n: 1 }), { delay: "1h" });
      return [new A({ n: 2 })];
    });
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(3_600_000);

    expect(await handler).toEqual([1, 2]);
  });

  it("is there once when the step runs again", async () => {
    let attempts = 0;
    const flow = defineWorkflow("again")
      .step("split", { on: StartEvent, emits: many(A), retry: { next: () => 0 } }, async (_ev, ctx) => {
        ctx.sendEvent(new A({ n: 1 }), { immediate: true });
        ctx.sendEvent(new A({ n: 2 }));
        await ctx.sleep(0);
        if (++attempts < 3) throw new Error("again");
        return [new A({ n: 3 })];
      })
      .step("end", { on: collect(A), emits: StopEvent }, (all) => stopped(numbers(all)))
      .build();

    expect(await flow.run()).toEqual([1, 2, 3]);
  });

  it("is there once in every process that resumes the run between two sends", async () => {
    const flow = gathering(async (_ev, ctx) => {
      ctx.sendEvent(new A({ n: 1 }));
      await ctx.sleep("1h");
      ctx.sendEvent(new A({ n: 2 }));
      await ctx.sleep("1h");
      return [new A({ n: 3 })];
    });
    const clock = withVirtualClock(flow);
    const first = flow.run();
    await clock.advance(60_000);
    const dict = JSON.parse(JSON.stringify(first.context.toDict()));
    const second = flow.resume(Context.fromDict(flow, dict));
    await clock.advance(7_200_000);

    expect(await second).toEqual([1, 2, 3]);
    expect(await first).toEqual([1, 2, 3]);
  });

  it("is dropped once the fan-out was cancelled, also after a restore, and the sender goes on", async () => {
    const flow = defineWorkflow("cancelled")
      .step("split", { on: StartEvent, emits: [many(A), D] }, async (_ev, ctx) => {
        ctx.sendEvent(new A({ n: 1 }));
        await ctx.sleep("1h");
        ctx.sendEvent(new A({ n: 2 }));
        return new D({ n: 9 });
      })
      .step("first", { on: collect(A, { take: 1, rest: "cancel" }) }, (all) => void batches.push(numbers(all)))
      .step("end", { on: D, emits: StopEvent }, ({ n }) => stopped(n))
      .build();
    const batches: number[][] = [];
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(60_000);
    const resumed = flow.resume(Context.fromDict(flow, JSON.parse(JSON.stringify(handler.context.toDict()))));
    await clock.advance(3_600_000);

    expect(await resumed).toBe(9);
    expect(await handler).toBe(9);
    expect(batches).toEqual([[1]]);
  });
});

describe("a generator", () => {
  it("that yields nothing is an empty fan-out", async () => {
    const flow = defineWorkflow("silent")
      .step("split", { on: StartEvent, emits: many(A) }, async function* () {})
      .step("end", { on: collect(A), emits: StopEvent }, (all) => stopped(all.length))
      .build();

    expect(await flow.run()).toBe(0);
  });

  it("that fails for good before its first yield has opened its fan-out", async () => {
    const flow = defineWorkflow("broken")
      .step("split", { on: StartEvent, emits: many(A) }, async function* () {
        await Promise.resolve();
        if (Date.now() > 0) throw new Error("no source");
        yield new A({});
      })
      .step("end", { on: collect(A), emits: StopEvent }, (all) => stopped(all.length))
      .catchError("ignore", { steps: ["split"] }, () => null)
      .build();

    expect(await flow.run()).toBe(0);
  });
});

it("two lists inside one element are paired by a field, and collected there", async () => {
  class Order extends event("Order", { at: z.number() }) {}
  class Line extends event("Line", { id: z.string() }) {}
  class Price extends event("Price", { id: z.string() }) {}
  class Paired extends event("Paired", { id: z.string() }) {}
  const ids = ({ at }: Order) => [`${at}a`, `${at}b`];
  const flow = defineWorkflow("lists")
    .step("orders", { on: StartEvent, emits: many(Order) }, () => [0, 1].map((at) => new Order({ at })))
    .step("lines", { on: Order, emits: many(Line) }, (order) => ids(order).map((id) => new Line({ id })))
    .step("prices", { on: Order, emits: many(Price) }, (order) =>
      ids(order)
        .reverse()
        .map((id) => new Price({ id })),
    )
    .step("pair", { on: join({ line: Line, price: Price }, { by: "id" }), emits: Paired }, ({ line, price }) => {
      expect(line.id).toBe(price.id);
      return new Paired({ id: line.id });
    })
    .step("all", { on: collect(Paired), emits: StopEvent }, (all) => stopped(all.map(({ id }) => id).sort()))
    .build();

  expect(await flow.run()).toEqual(["0a", "0b", "1a", "1b"]);
});
