/** Workflows that ask for nothing of Node: they run in workers, too. */
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
} from "millrace";
import * as z from "zod";

class Order extends StartEvent.define("Order", { items: z.number() }) {}
class Item extends event("Item", { index: z.number() }) {}
class Packed extends event("Packed", { index: z.number(), price: z.number() }) {}
class Asked extends InputRequiredEvent.define("Asked", { sum: z.number() }) {}
export class Approved extends HumanResponseEvent.define("Approved", { by: z.string() }) {}
class Lap extends event("Lap", { left: z.number() }) {}
class Begin extends StartEvent.define("Begin", { laps: z.number() }) {}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const order = defineWorkflow("order", { state: { packed: z.array(z.number()).default([]) } })
  .step("begin", { on: Order, emits: many(Item) }, ({ items }) =>
    Array.from({ length: items }, (_, index) => new Item({ index })),
  )
  .step("pack", { on: Item, emits: Packed, workers: 3 }, async ({ index }, ctx) => {
    const price = await ctx.run("price", async () => index * index);
    await pause(20);
    await ctx.store.editState((state) => {
      state.packed.push(index);
    });
    return new Packed({ index, price });
  })
  .step("ask", { on: collect(Packed), emits: StopEvent, streams: [Asked], waits: [Approved] }, async (all, ctx) => {
    const sum = [...all].reduce((total, { price }) => total + price, 0);
    const { by } = await ctx.waitForEvent(Approved, { prompt: new Asked({ sum }) });
    await ctx.sleep(300);
    const { packed } = await ctx.store.getState();
    return new StopEvent({ result: { sum, by, packed: [...packed].sort() } });
  })
  .build({ timeout: "10m" });

const laps = defineWorkflow("laps")
  .step("begin", { on: Begin, emits: Lap }, (begin) => new Lap({ left: begin.laps }))
  .step("lap", { on: Lap, emits: [Lap, StopEvent] }, async ({ left }) => {
    await pause(5);
    return left === 0 ? new StopEvent({ result: "done" }) : new Lap({ left: left - 1 });
  })
  .build({ timeout: "10m" });

export const serverlessFlows = { order, laps };
