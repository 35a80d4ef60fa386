/** What a run may not have too much of: refused where it arises, so that every snapshot that was written can be loaded. */
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { runLimits } from "../src/engine/definition.js";
import {
  type Context,
  collect,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  type SendOptions,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "../src/index.js";
import { limited } from "./support/limited.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Item extends event("Item", { n: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", {}) {}

const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => new Item({ n }));
const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

let restore = (): void => {};
afterEach(() => restore());

type Split = (ctx: Context) => Item[] | AsyncGenerator<Item, void> | null;

/** Counts the items that `split` gives. */
function counting(split: Split): Workflow {
  class Counting extends Workflow {
    split = step({ on: StartEvent, emits: many(Item) }, (_ev, ctx: Context) => split(ctx) as Item[]);
    count = step({ on: collect(Item), emits: StopEvent }, (batch) => new StopEvent({ result: batch.length }));
  }
  return new Counting();
}

async function* yielding(count: number): AsyncGenerator<Item, void> {
  for (const item of items(count)) yield item;
}

/** Sends so many, and gives what `split` gives. */
function sending(count: number, split: Split, options: SendOptions = {}): Split {
  return (ctx) => {
    for (const item of items(count)) ctx.sendEvent(item, options);
    return split(ctx);
  };
}

const tooLarge = { code: "STEP_RESULT_INVALID", details: { reason: "too_many", step: "split", size: 6, limit: 5 } };

describe("a fan-out with more elements than it may have", () => {
  it.each<[string, (count: number) => Split]>([
    ["returned", (count) => () => items(count)],
    ["sent", (count) => sending(count, () => null)],
    ["sent and returned", (count) => sending(2, () => items(count - 2))],
    ["sent at once and returned", (count) => sending(2, () => items(count - 2), { immediate: true })],
    ["yielded", (count) => () => yielding(count)],
    ["sent and yielded", (count) => sending(1, () => yielding(count - 1))],
  ])("is refused at the first of them: %s", async (_name, giving) => {
    restore = limited(runLimits, { elements: 5 });

    expect(await counting(giving(5)).run()).toBe(5);
    expect(await rejection(counting(giving(6)).run())).toMatchObject(tooLarge);
  });

  it("counts what is yielded again once, and what is sent elsewhere not at all", async () => {
    restore = limited(runLimits, { elements: 5 });
    let attempts = 0;
    class Again extends Workflow {
      split = step({ on: StartEvent, emits: many(Item), retry: twice }, async function* (_ev, ctx: Context) {
        for (const item of items(5)) yield item;
        for (const item of items(3)) ctx.sendEvent(item, { scope: "run" });
        if (attempts++ === 0) throw new Error("again");
      });
      count = step({ on: collect(Item), emits: StopEvent }, (batch) => new StopEvent({ result: batch.length }));
    }

    expect(await new Again().run()).toBe(5);
    expect(attempts).toBe(2);
  });

  it("is refused in a snapshot by the same number", async () => {
    restore = limited(runLimits, { elements: 5 });
    const flow = counting(sending(1, () => items(4), { delay: "1d" }));
    const handler = flow.run();
    await waiting(handler);

    expect(handler.context.toDict()).toMatchObject({ scopes: [{ size: 5 }] });
    expect(() => reload(flow, handler.context)).not.toThrow();
    restore();
    restore = limited(runLimits, { elements: 4 });

    expect(() => reload(flow, handler.context)).toThrow(expect.objectContaining({ code: "SNAPSHOT_INVALID" }));
    await handler.cancel();
  });
});

class Nested extends Workflow {
  static readonly children: Record<string, typeof Nested> = {};
  static {
    Nested.children["nested"] = Nested;
  }
  go = step({ on: StartEvent, emits: StopEvent, waits: Answer }, async (ev, ctx: Context) => {
    const left = ev.get("left") as number;
    if (left > 0) await ctx.runChild("nested" as never, { left: left - 1 } as never);
    else await ctx.waitForEvent(Answer);
    return new StopEvent();
  });
}

describe("runs inside of each other", () => {
  it("are loaded as deep as they may be", async () => {
    const flow = new Nested();
    const handler = flow.run({ left: 200 });
    await waiting(handler);

    expect(() => reload(flow, handler.context)).not.toThrow();
    await handler.cancel();
  });

  it("are refused one level deeper", async () => {
    restore = limited(runLimits, { nestedRuns: 3 });

    const error = await rejection(new Nested().run({ left: 4 }));

    expect(deepest(error)).toMatchObject({
      code: "CALL_INVALID",
      details: { reason: "depth", step: "go", levels: 4, limit: 3 },
    });
  });
});

function deepest(error: { cause?: unknown }): unknown {
  return error.cause === undefined ? error : deepest(error.cause as { cause?: unknown });
}
