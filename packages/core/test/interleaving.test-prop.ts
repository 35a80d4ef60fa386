/** In whatever order workers finish, what was fanned out is collected as it was emitted. */

import { test as property } from "@fast-check/vitest";
import fc from "fast-check";
import { describe, expect } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../test-share.js";
import { collect, defineWorkflow, event, join, many, StartEvent, StopEvent, type Workflow } from "../src/index.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Sum extends event("Sum", { n: z.number() }) {}

/** Lets work go on one at a time, in an order made by the seed: the next is drawn from those that wait. */
class Scheduler {
  readonly #draws: Iterator<number>;
  readonly #waiting: (() => void)[] = [];
  #busy = false;

  constructor(draws: readonly number[]) {
    this.#draws = endless(draws);
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    setImmediate(() => {
      this.#busy = false;
      const [next] = this.#waiting.splice((this.#draws.next().value as number) % this.#waiting.length, 1);
      next?.();
      this.#goOn();
    });
  }
}

function* endless(draws: readonly number[]): Generator<number> {
  for (;;) yield* draws.length > 0 ? draws : [0];
}

const draws = fc.array(fc.nat({ max: 97 }), { minLength: 1, maxLength: 40 });
const workers = fc.integer({ min: 1, max: 6 });
const sizes = fc.array(fc.nat({ max: 4 }), { maxLength: 4 });

const itemsOf = (count: number, base = 0): Item[] => Array.from({ length: count }, (_, n) => new Item({ n: base + n }));
const run = async (workflow: Workflow): Promise<unknown> => (workflow.run as () => PromiseLike<unknown>)();

describe("any order of workers", () => {
  property.prop([draws, workers, fc.nat({ max: 9 })], { numRuns: casesOf(60) })(
    "gives a batch in the order it was emitted",
    async (order, slots, count) => {
      const scheduler = new Scheduler(order);
      let most = 0;
      let busy = 0;
      const workflow = defineWorkflow("batch")
        .step("split", { on: StartEvent, emits: many(Item) }, () => itemsOf(count))
        .step("work", { on: Item, emits: Done, workers: slots }, async ({ n }) => {
          most = Math.max(most, ++busy);
          await scheduler.turn();
          busy--;
          return new Done({ n });
        })
        .step(
          "end",
          { on: collect(Done), emits: StopEvent },
          (all) => new StopEvent({ result: all.map((done) => done.n) }),
        )
        .build();

      expect(await run(workflow)).toEqual(itemsOf(count).map(({ n }) => n));
      expect(most).toBeLessThanOrEqual(slots);
    },
  );

  property.prop([draws, workers, sizes], { numRuns: casesOf(60) })(
    "gives nested batches, each its own",
    async (order, slots, groups) => {
      const scheduler = new Scheduler(order);
      const workflow = defineWorkflow("nested")
        .step("groups", { on: StartEvent, emits: many(Item) }, () => itemsOf(groups.length))
        .step("members", { on: Item, emits: many(Left), workers: slots }, async ({ n }) => {
          await scheduler.turn();
          return itemsOf(groups[n] as number, n * 10).map((item) => new Left({ n: item.n }));
        })
        .step("work", { on: Left, emits: Done, workers: slots }, async ({ n }) => {
          await scheduler.turn();
          return new Done({ n });
        })
        .step("inner", { on: collect(Done), emits: Sum, workers: slots }, async (all) => {
          await scheduler.turn();
          return new Sum({ n: all.reduce((total, done) => total + done.n, 0) });
        })
        .step(
          "outer",
          { on: collect(Sum), emits: StopEvent },
          (all) => new StopEvent({ result: all.map((sum) => sum.n) }),
        )
        .build();

      expect(await run(workflow)).toEqual(
        groups.map((size, n) => itemsOf(size, n * 10).reduce((total, item) => total + item.n, 0)),
      );
    },
  );

  property.prop([draws, workers, fc.nat({ max: 6 })], { numRuns: casesOf(60) })(
    "pairs what belongs together, from a generator too",
    async (order, slots, count) => {
      const scheduler = new Scheduler(order);
      const workflow = defineWorkflow("pairs", { state: { seen: z.number().default(0) } })
        .step("split", { on: StartEvent, emits: many(Item) }, async function* () {
          for (const item of itemsOf(count)) {
            await scheduler.turn();
            yield item;
          }
        })
        .step("left", { on: Item, emits: Left, workers: slots }, async ({ n }) => {
          await scheduler.turn();
          return new Left({ n });
        })
        .step("right", { on: Item, emits: Right, workers: slots }, async ({ n }, ctx) => {
          await scheduler.turn();
          await ctx.store.editState(async (state) => {
            const before = state.seen;
            await scheduler.turn();
            state.seen = before + 1;
          });
          return new Right({ n: n * 100 });
        })
        .step(
          "pair",
          { on: join({ left: Left, right: Right }), emits: Done, workers: slots },
          async ({ left, right }) => {
            await scheduler.turn();
            return new Done({ n: left.n + right.n });
          },
        )
        .step(
          "end",
          { on: collect(Done), emits: StopEvent },
          async (all, ctx) => new StopEvent({ result: [all.map((done) => done.n), await ctx.store.get("seen")] }),
        )
        .build();

      expect(await run(workflow)).toEqual([itemsOf(count).map(({ n }) => n * 101), count]);
    },
  );
});
