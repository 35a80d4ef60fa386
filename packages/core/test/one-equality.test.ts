/** What a wait is `where` and what a join pairs `by`: equal by content, and nothing else. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, event, HumanResponseEvent, join, StartEvent, StopEvent } from "../src/index.js";
import { reload, waiting } from "./support/runs.js";

class Order extends event("Order", { key: z.unknown(), n: z.number() }) {}
class Paid extends event("Paid", { key: z.unknown(), n: z.number() }) {}
class Payment extends HumanResponseEvent.define("Payment", { key: z.unknown(), n: z.number() }) {}
class Enough extends ExternalEvent.define("Enough") {}

const keys: readonly unknown[] = [
  new Date(1_000),
  new Date(1_999),
  { a: 1, b: 2 },
  { a: 1 },
  [1],
  ["1"],
  "1",
  1,
  -0,
  0,
  Number.NaN,
  "NaN",
  1n,
  "1n",
  null,
  undefined,
  "undefined",
  true,
  new Map([["a", 1]]),
  new Map([["a", 2]]),
  new Set([1]),
  new URL("https://example.com/1"),
  new Uint8Array([1]),
  new Uint8Array([2]),
];
/** Equal, and no value is the same object. The order of keys is another. */
const copies = keys.map((key) => (key instanceof URL ? new URL(key) : structuredClone(key)));
copies[2] = { b: 2, a: 1 };

const orders = defineWorkflow("orders")
  .step("start", { on: StartEvent, emits: Order }, async (_, ctx) => {
    for (const [n, key] of keys.entries()) ctx.sendEvent(new Order({ key, n }));
  })
  .step("pay", { on: Payment, emits: Paid }, async ({ key, n }) => new Paid({ key, n }))
  .step("pair", { on: join({ order: Order, paid: Paid }, { by: "key" }), workers: 1 }, async ({ order, paid }, ctx) => {
    await ctx.store.editState((state) => void (state[String(paid.n)] = order.n));
  })
  .step("end", { on: Enough, emits: StopEvent }, async (_, ctx) => new StopEvent({ result: await ctx.store.get() }))
  .build({ skipChecks: ["deadEnd"] });
const paired = Object.fromEntries(keys.map((_, n) => [String(n), n]));

describe("a join by a field", () => {
  it("pairs equal values of any kind, and no others", async () => {
    const handler = orders.run();
    await waiting(handler);

    for (const [n, key] of copies.entries()) await handler.sendEvent(new Payment({ key, n }));
    await waiting(handler);
    await handler.sendEvent(new Enough());

    expect(await handler).toEqual(paired);
  });

  it("pairs with what arrived before a restore", async () => {
    const first = orders.run();
    await waiting(first);
    const handler = orders.resume(reload(orders, first.context));

    for (const [n, key] of [...copies.entries()].reverse()) await handler.sendEvent(new Payment({ key, n }));
    await waiting(handler);
    await handler.sendEvent(new Enough());

    expect(await handler).toEqual(paired);
  });
});

describe("`where` of a wait", () => {
  it.each(keys.map((key, n) => ({ key, n })))("takes the event with an equal value: $key", async ({ key, n }) => {
    const flow = defineWorkflow("where")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Payment }, async (_, ctx) => {
        const { n: answer } = await ctx.waitForEvent(Payment, { where: { key } });
        return new StopEvent({ result: answer });
      })
      .build();
    const first = flow.run();
    await waiting(first);
    const handler = flow.resume(reload(flow, first.context));

    for (const [other, copy] of copies.entries()) await handler.sendEvent(new Payment({ key: copy, n: other }));

    expect(await handler).toBe(n);
  });
});
