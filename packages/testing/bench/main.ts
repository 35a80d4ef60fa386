/**
 * What an order of `exploreRuns` costs, beside the run alone: ten attempts that write one place of the state. Orders in a second of
 * processor time, in turns; the quickest turn of each counts: what else the machine does only adds to it.
 */

import { exploreRuns } from "@millrace/testing";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

const ATTEMPTS = 10;
const ORDERS = 10_000;
const TURNS = 6;

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const flow = () =>
  defineWorkflow("flow", { state: { count: z.number().default(0) } })
    .step("split", { on: StartEvent, emits: many(Item) }, () =>
      Array.from({ length: ATTEMPTS }, (_, n) => new Item({ n })),
    )
    .step("work", { on: Item, emits: Done, workers: ATTEMPTS }, async ({ n }, { store }) => {
      await store.set("count", n);
      return new Done({ n });
    })
    .step("end", { on: collect(Done), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
    .build();

const explored = flow();
const alone = flow();
const wrapped = flow().use((_call, next) => next());
const options = { crashes: false, orders: ORDERS };
const repeat = async (run: () => PromiseLike<unknown>): Promise<void> => {
  for (let count = 0; count < ORDERS; count++) await run();
};
const subjects = {
  exploreRuns: () => exploreRuns(explored, {}, options),
  "exploreRuns, each workflow made anew": () => exploreRuns(flow, {}, options),
  "the run alone": () => repeat(() => alone.run({})),
  "the run alone, with an empty middleware": () => repeat(() => wrapped.run({})),
};

const most = new Map<string, number>();
for (let turn = 0; turn < TURNS; turn++)
  for (const [name, subject] of Object.entries(subjects)) {
    const before = process.cpuUsage();
    await subject();
    const { user, system } = process.cpuUsage(before);
    most.set(name, Math.max(most.get(name) ?? 0, ORDERS / ((user + system) / 1e6)));
  }

for (const [name, orders] of most)
  console.log(`${name.padEnd(40)} ${orders.toFixed(0)} in a second of processor time, ${(1e6 / orders).toFixed(0)} µs`);
