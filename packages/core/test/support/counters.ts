/** Steps that count in records. */
import * as z from "zod";
import { type RunStore, recordsOf } from "../../src/entries/runtime.js";
import { type Context, collect, defineWorkflow, event, many, StartEvent, StopEvent } from "../../src/index.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number(), value: z.unknown() }) {}

export const counter = { kind: "counter", id: "visits" };

export async function increment(ctx: Context, id: string = counter.id): Promise<number> {
  return Number(await recordsOf(ctx).update<number>("counter", id, (count = 0) => count + 1));
}

export const counting = defineWorkflow("counting")
  .step(
    "count",
    { on: StartEvent, emits: StopEvent },
    async (_ev, ctx) => new StopEvent({ result: await increment(ctx) }),
  )
  .build();

/** `count` steps at once; the result lists what they gave, in their order. */
export function fanOut(count: number, work: (n: number, ctx: Context) => Promise<unknown>) {
  return defineWorkflow("fan out")
    .step("start", { on: StartEvent, emits: many(Item) }, () =>
      Array.from({ length: count }, (_, n) => new Item({ n })),
    )
    .step(
      "work",
      { on: Item, emits: Done, workers: count },
      async ({ n }, ctx) => new Done({ n, value: await work(n, ctx) }),
    )
    .step(
      "end",
      { on: collect(Done), emits: StopEvent },
      async (all) => new StopEvent({ result: all.map(({ value }) => value) }),
    )
    .build();
}

export const countOf = async (store: RunStore, id: string = counter.id): Promise<unknown> => {
  const record = await store.record({ tenant: "", kind: "counter", id });
  return record === null ? null : JSON.parse(record.text).json;
};
