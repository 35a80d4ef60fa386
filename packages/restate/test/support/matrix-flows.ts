/** What the kill matrix runs: effects, fan-outs, children with and without the store of their parent, sleeps, waits, posts, and a record of all. */
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { collect, defineWorkflow, event, HumanResponseEvent, many, StartEvent, StopEvent, type Store } from "millrace";
import { recordsOf } from "millrace/runtime";
import * as z from "zod";

const effects = process.env["EFFECTS"];

function note(line: string): void {
  if (effects !== undefined) appendFileSync(effects, `${line}\n`);
}

class Order extends StartEvent.define("Order", { items: z.number(), votes: z.number() }) {}
class Item extends event("Item", { index: z.number() }) {}
class Packed extends event("Packed", { index: z.number(), price: z.number() }) {}
class Summed extends event("Summed", { sum: z.number() }) {}
class Voted extends event("Voted", { sum: z.number() }) {}
export class Vote extends HumanResponseEvent.define("Vote", { by: z.number() }) {}

/** Works on the store of its parent. */
const pack = defineWorkflow("pack")
  .step("pack", { on: StartEvent, emits: StopEvent }, async (start, ctx) => {
    await pause(20);
    await (ctx.store as unknown as Store<{ packed: number[] }>).editState((state) => {
      state.packed.push(Number(start.get("index")));
    });
    return new StopEvent({ result: null });
  })
  .build();

const price = defineWorkflow("price")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (start, ctx) => {
    const index = Number(start.get("index"));
    const found = await ctx.run("price", async () => {
      note(`price ${index} ${String(start.get("order"))}`);
      await pause(15);
      return index * index;
    });
    await ctx.sleep(30);
    return new StopEvent({ result: found });
  })
  .build();

const state = {
  packed: z.array(z.number()).default([]),
  votes: z.array(z.number()).default([]),
  wanted: z.number().default(0),
};

export const order = defineWorkflow("order", { state, children: { pack, price } })
  .step("begin", { on: Order, emits: many(Item) }, async ({ items, votes }, ctx) => {
    await ctx.store.editState((draft) => {
      draft.wanted = votes;
    });
    return Array.from({ length: items }, (_, index) => new Item({ index }));
  })
  .step("item", { on: Item, emits: Packed, workers: 3 }, async ({ index }, ctx) => {
    await ctx.runChild(pack, { index }, { store: "shared" });
    const found = await ctx.runChild(price, { index, order: ctx.runId });
    return new Packed({ index, price: Number(found) });
  })
  .step(
    "sum",
    { on: collect(Packed), emits: Summed },
    (all) => new Summed({ sum: [...all].reduce((sum, packed) => sum + packed.price, 0) }),
  )
  .step("votes", { on: Summed, emits: [Summed, Voted], waits: [Vote] }, async ({ sum }, ctx) => {
    const { by } = await ctx.waitForEvent(Vote);
    const isLast = await ctx.store.editState((draft) => {
      draft.votes.push(by);
      return draft.votes.length === draft.wanted;
    });
    return isLast ? new Voted({ sum }) : new Summed({ sum });
  })
  .step("end", { on: Voted, emits: StopEvent }, async ({ sum }, ctx) => {
    await ctx.sleep(100);
    const { packed, votes } = await ctx.store.getState();
    await recordsOf(ctx).update<string[]>("orders", "done", (runs = []) => [...runs, ctx.runId]);
    return new StopEvent({ result: { sum, packed: [...packed], votes: [...votes] } });
  })
  .build({ timeout: "10m" });

export const matrixFlows = { order };
