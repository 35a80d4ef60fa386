/** Steps that feed their batch while they run. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  keyed,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { n: z.number() }) {}
class Never extends ExternalEvent.define("Never") {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const numbers = (all: readonly { readonly n: number }[]): number[] => all.map(({ n }) => n);

describe("an async generator", () => {
  function streaming(
    gen: (attempt: number) => AsyncGenerator<Item>,
    options: { hold?: Promise<void>; attempts?: number } = {},
  ) {
    let attempt = 0;
    const retry = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(options.attempts ?? 1) });
    return defineWorkflow("streaming")
      .step("start", { on: StartEvent, emits: many(Item), retry }, () => gen(++attempt))
      .step("work", { on: Item, emits: Done, workers: 1_000 }, async ({ n }) => {
        await options.hold;
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .build();
  }

  it("dispatches each yield at once, and its batch closes when it returns", async () => {
    const held = gate();
    const flow = streaming(async function* () {
      yield new Item({ n: 1 });
      await held.promise;
      yield new Item({ n: 2 });
    });
    flow.on("step.completed", ({ step }) => void (step === "work" && held.open()));

    expect(await flow.run()).toEqual([1, 2]);
  });

  it("that yields nothing is an empty batch", async () => {
    expect(await streaming(async function* () {}).run()).toEqual([]);
  });

  it("is asked for more only while fewer than 100 are unfinished", async () => {
    const held = gate();
    let yielded = 0;
    const flow = streaming(
      async function* () {
        for (let n = 0; n < 250; n++) {
          yielded++;
          yield new Item({ n });
        }
      },
      { hold: held.promise },
    );
    const handler = flow.run();
    await settle();
    await settle();
    const before = yielded;

    held.open();

    expect((await handler) as unknown[]).toHaveLength(250);
    expect(before).toBe(100);
  });

  it("that runs again goes on after what it gave before", async () => {
    const flow = streaming(
      async function* (attempt) {
        yield new Item({ n: 1 });
        yield new Item({ n: 2 });
        if (attempt === 1) throw new Error("lost");
        yield new Item({ n: 3 });
      },
      { attempts: 2 },
    );

    expect(await flow.run()).toEqual([1, 2, 3]);
  });

  it.each([
    ["something else", [1, 9], 'Element 1 of the fan-out of step "start" was another Item when the step ran again.'],
    ["less", [1], 'Element 1 of the fan-out of step "start" was missing when the step ran again.'],
    ["the same in another order", [2, 1], 'Element 0 of the fan-out of step "start" was another Item'],
  ])("that gives %s the second time has diverged", async (_, second, message) => {
    const flow = streaming(
      async function* (attempt) {
        for (const n of attempt === 1 ? [1, 2] : second) yield new Item({ n });
        if (attempt === 1) throw new Error("lost");
      },
      { attempts: 2 },
    );

    expect(await rejection(flow.run())).toMatchObject({
      code: "FAN_OUT_DIVERGED",
      message: expect.stringContaining(message),
    });
  });

  it("may give the same in another order with keys", async () => {
    const flow = streaming(
      async function* (attempt): AsyncGenerator<never> {
        for (const n of attempt === 1 ? [1, 2] : [3, 2, 1]) yield keyed(`row ${n}`, new Item({ n })) as never;
        if (attempt === 1) throw new Error("lost");
      },
      { attempts: 2 },
    );

    expect(await flow.run()).toEqual([1, 2, 3]);
  });

  it("is named with its key when it diverged", async () => {
    const flow = streaming(
      async function* (attempt): AsyncGenerator<never> {
        yield keyed("row 7", new Item({ n: attempt })) as never;
        if (attempt === 1) throw new Error("lost");
      },
      { attempts: 2 },
    );

    expect(await rejection(flow.run())).toMatchObject({
      code: "FAN_OUT_DIVERGED",
      message: 'Element "row 7" of the fan-out of step "start" was another Item when the step ran again.',
    });
  });

  it("survives a restore between two yields", async () => {
    const flow = defineWorkflow("resumed")
      .step("start", { on: StartEvent, emits: many(Item), waits: Answer }, async function* (_, ctx) {
        yield new Item({ n: 1 });
        const { n } = await ctx.waitForEvent(Answer);
        yield new Item({ n });
      })
      .step("work", { on: Item, emits: Done }, async ({ n }) => new Done({ n }))
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .build();
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ n: 2 }));

    expect(await second).toEqual([1, 2]);
  });

  it("is stopped, with its `finally`, when the run is", async () => {
    const cleaned = gate<string>();
    const flow = defineWorkflow("stopped")
      .step("start", { on: StartEvent, emits: many(Item), waits: Answer }, async function* (_, ctx) {
        try {
          yield new Item({ n: 1 });
          await ctx.waitForEvent(Answer);
        } finally {
          cleaned.open("cleaned");
        }
      })
      .step("work", { on: [Item, Never], emits: StopEvent }, async (ev) => (Never.is(ev) ? stopped(1) : null))
      .build();
    const handler = flow.run();
    await waiting(handler);

    await handler.cancel();

    expect(await cleaned.promise).toBe("cleaned");
  });
});
