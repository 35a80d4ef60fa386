/** Steps that take one event for each of their slots. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  JoinIncompleteEvent,
  join,
  many,
  retryPolicy,
  type Settled,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Order extends event("Order", { orderId: z.string() }) {}
class Paid extends event("Paid", { orderId: z.string() }) {}
class Shipped extends event("Shipped", { orderId: z.string(), paid: z.string() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Loud extends Left.extend("Loud") {}
class Right extends event("Right", { n: z.number() }) {}
class Pair extends event("Pair", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { orderId: z.string() }) {}
class Poke extends ExternalEvent.define("Poke") {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const both = join({ left: Left, right: Right });

describe("a join outside of fan-outs", () => {
  it("pairs in the order of arrival and keeps what is over", async () => {
    const flow = defineWorkflow("arrival")
      .step("start", { on: StartEvent, emits: [Left, Right, Poke] }, async (_, ctx) => {
        for (const n of [1, 2, 3]) ctx.sendEvent(new Left({ n }));
        for (const n of [7, 8]) ctx.sendEvent(new Right({ n }));
      })
      .step("pair", { on: both, emits: Pair }, async ({ left, right }) => new Pair({ text: `${left.n}${right.n}` }))
      .step("end", { on: Pair, emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        const pairs = await ctx.collectEvents(ev, [Pair, Pair]);
        return pairs && stopped(pairs.map(({ text }) => text));
      })
      .step("poked", { on: Poke }, async () => {})
      .build();
    const handler = flow.run();

    const notices = await handler.streamEvents().filter(JoinIncompleteEvent).toArray();

    expect(await handler).toEqual(["17", "28"]);
    expect(notices.map((notice) => notice.event)).toMatchObject([
      { step: "pair", missing: ["right"], events: [{ n: 3 }] },
    ]);
  });

  it("finds an assignment when a slot takes subclasses of another", async () => {
    const flow = defineWorkflow("overlap")
      .step("start", { on: StartEvent, emits: [Left, Loud] }, async (_, ctx) => {
        ctx.sendEvent(new Loud({ n: 1 }));
        ctx.sendEvent(new Left({ n: 2 }));
      })
      .step(
        "pair",
        { on: join({ any: Left, loud: Loud }), subclasses: true, emits: StopEvent },
        async ({ any, loud }) => stopped([any.n, loud.n]),
      )
      .build();

    expect(await flow.run()).toEqual([2, 1]);
  });

  it("that stays incomplete is named when the run is stuck", async () => {
    const flow = defineWorkflow("incomplete")
      .step("start", { on: StartEvent, emits: [Left, Right] }, async () => new Left({ n: 1 }))
      .step("pair", { on: both, emits: StopEvent }, async () => stopped(1))
      .build();

    expect(await rejection(flow.run())).toMatchObject({
      code: "RUN_STUCK",
      message: expect.stringContaining('the join "pair" has Left'),
    });
  });
});

describe("a join in a fan-out", () => {
  it("reports what is left of each batch, when the batch closes and when the run ends before", async () => {
    const flow = defineWorkflow("leftovers")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step("split", { on: Item, emits: [Left, Right], waits: Answer }, async ({ n }, ctx) => {
        if (n === 3) await ctx.waitForEvent(Answer);
        ctx.sendEvent(new Left({ n }));
        if (n === 1) ctx.sendEvent(new Right({ n }));
      })
      .step("pair", { on: both, emits: Pair }, async ({ left, right }) => new Pair({ text: `${left.n}${right.n}` }))
      .step("end", { on: collect(Pair), emits: StopEvent }, async (pairs) => stopped(pairs.map(({ text }) => text)))
      .step("early", { on: Poke, emits: StopEvent }, async () => stopped("early"))
      .build();
    const whole = flow.run();
    await waiting(whole);
    const early = flow.resume(reload(flow, whole.context));
    await waiting(early);

    await whole.sendEvent(new Answer({ orderId: "" }));
    await early.sendEvent(new Poke());
    const [closed] = await Promise.all([whole.streamEvents().filter(JoinIncompleteEvent).toArray()]);
    const [ended] = await Promise.all([early.streamEvents().filter(JoinIncompleteEvent).toArray()]);

    expect(await whole).toEqual(["11"]);
    expect(closed.flatMap(({ event: { events } }) => events)).toEqual([new Left({ n: 2 }), new Left({ n: 3 })]);
    expect(await early).toBe("early");
    expect(ended.flatMap(({ event: { events } }) => events)).toEqual([new Left({ n: 2 })]);
  });
});

describe("a join by a field", () => {
  const flow = defineWorkflow("orders")
    .step("start", { on: StartEvent, emits: [many(Order), Paid] }, async () =>
      ["a", "b"].map((orderId) => new Order({ orderId })),
    )
    .step("pay", { on: Answer, emits: Paid }, async ({ orderId }) => new Paid({ orderId }))
    .step(
      "ship",
      { on: join({ order: Order, paid: Paid }, { by: "orderId" }), emits: Shipped },
      async ({ order, paid }) => {
        return new Shipped({ orderId: order.orderId, paid: paid.orderId });
      },
    )
    .step("end", { on: Shipped, emits: StopEvent, workers: 1 }, async (ev, ctx) => {
      const all = await ctx.collectEvents(ev, [Shipped, Shipped]);
      return all && stopped(all.map((shipped) => `${shipped.orderId}${shipped.paid}`));
    })
    .build();

  it("pairs over the run, wherever the events come from", async () => {
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(new Answer({ orderId: "b" }));
    await handler.sendEvent(new Answer({ orderId: "a" }));

    expect(await handler).toEqual(["bb", "aa"]);
  });

  it("keeps what came from a batch that has closed, also in a snapshot", async () => {
    const first = flow.run();
    await waiting(first);
    await first.sendEvent(new Answer({ orderId: "a" }));
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ orderId: "b" }));

    expect(await second).toEqual(["aa", "bb"]);
  });
});

describe("what a gathering step is given", () => {
  it("is its own in each attempt: what one attempt takes out, the next one has again", async () => {
    class Half extends event("Half", { n: z.number() }) {}
    class Whole extends event("Whole", { n: z.number() }) {}
    const seen: string[] = [];
    const failOnce = (name: string, given: unknown): void => {
      seen.push(`${name} ${JSON.stringify(given)}`);
      if (seen.filter((line) => line.startsWith(name)).length === 1) throw new Error(`${name} fails once`);
    };
    const retry = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });
    const flow = defineWorkflow("lists")
      .step("split", { on: StartEvent, emits: many(Item) }, () => [1, 2].map((n) => new Item({ n })))
      .step("batch", { on: collect(Item), emits: [Left, Right], retry }, (all: Item[], ctx) => {
        const taken = all.splice(0);
        failOnce("batch", taken);
        for (const { n } of taken) ctx.sendEvent(n === 1 ? new Left({ n }) : new Right({ n }));
      })
      .step("pair", { on: both, emits: many(Half), retry }, (slots: { left: Left; right?: Right }) => {
        const { left, right } = slots;
        delete slots.right;
        failOnce("pair", [left, right]);
        return [new Half({ n: left.n }), new Half({ n: right?.n ?? 0 })];
      })
      .step("settled", { on: collect(Half, { settle: true }), emits: Whole, retry }, (all: Settled<Half>[]) => {
        const last = all.pop();
        failOnce("settled", [all.length, last]);
        return new Whole({ n: all.length });
      })
      .step("end", { on: Whole, emits: StopEvent, retry }, async (whole, ctx) => {
        const own = (await ctx.collectEvents(whole, [Whole])) as Whole[];
        failOnce("collected", own.splice(0));
        return stopped(seen);
      })
      .build();

    const lines = (await flow.run()) as string[];

    expect(lines.filter((_line, index) => index % 2 === 0)).toEqual(lines.filter((_line, index) => index % 2 === 1));
    expect(lines).toHaveLength(8);
  });
});
