/** Calls of one step, held against as many steps one after the other. */
import { AsyncLocalStorage } from "node:async_hooks";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
import { collectGarbage, type Measure } from "../measure.ts";

const COUNT = 10_000;
const ROUNDS = 9;

class Begin extends StartEvent.define("Begin", { left: z.number() }) {}
class Next extends event("Next", { left: z.number() }) {}

const after = (left: number): Next | StopEvent<number> =>
  left > 0 ? new Next({ left }) : new StopEvent({ result: 0 });
const steps = defineWorkflow("steps")
  .step("begin", { on: Begin, emits: [Next, StopEvent] }, async ({ left }) => after(left - 1))
  .step("next", { on: Next, emits: [Next, StopEvent] }, async ({ left }) => after(left - 1))
  .build();

const calls = defineWorkflow("calls")
  .step("work", { on: Begin, emits: StopEvent }, async ({ left }, ctx) => {
    for (let index = 0; index < left; index++) await ctx.run(`call ${index}`, async () => index);
    return new StopEvent({ result: 0 });
  })
  .build();

const together = defineWorkflow("together")
  .step("work", { on: Begin, emits: StopEvent }, async ({ left }, ctx) => {
    await Promise.all(Array.from({ length: left }, (_, index) => ctx.run(`call ${index}`, async () => index)));
    return new StopEvent({ result: 0 });
  })
  .build();

/** The least of a call: the code after its awaits is known to belong to it, and its result is kept by its key. */
const context = new AsyncLocalStorage<{ readonly key: string }>();
async function bareCall(results: Map<string, unknown>, key: string, work: () => Promise<unknown>): Promise<void> {
  if (results.has(key)) return;
  results.set(key, await context.run({ key }, work));
}

const bareCalls: Flow = {
  async run({ left }) {
    const results = new Map<string, unknown>();
    for (let index = 0; index < left; index++) await bareCall(results, `call ${index}`, async () => index);
  },
};

const bareTogether: Flow = {
  async run({ left }) {
    const results = new Map<string, unknown>();
    const keys = Array.from({ length: left }, (_, index) => `call ${index}`);
    await Promise.all(keys.map((key, index) => bareCall(results, key, async () => index)));
  },
};

type Flow = { run(input: { left: number }): PromiseLike<unknown> };

async function msOf(flow: Flow): Promise<number> {
  collectGarbage();
  const startMs = performance.now();
  await flow.run({ left: COUNT });
  return performance.now() - startMs;
}

/** The median of the ratios of neighbours. The first round of each is not counted. */
async function ratio(flow: Flow): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) ratios.push((await msOf(flow)) / (await msOf(steps)));
  return ratios.slice(1).toSorted((left, right) => left - right)[ROUNDS >> 1] ?? Number.NaN;
}

export const measures: readonly Measure[] = [
  {
    name: `${COUNT.toLocaleString("en")} calls of one step, by as many steps`,
    unit: "×",
    budget: 0.7,
    subjects: { millrace: () => ratio(calls), bare: () => ratio(bareCalls) },
  },
  {
    name: `${COUNT.toLocaleString("en")} calls of one step at once, by as many steps`,
    unit: "×",
    budget: 0.7,
    subjects: { millrace: () => ratio(together), bare: () => ratio(bareTogether) },
  },
];
