/** Faults that were seen in another runtime, one test each: here they do not happen. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  join,
  many,
  resource,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "../src/index.js";
import { rejection } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Left extends event("Left", { n: z.number() }) {}
class Right extends event("Right", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });
const stopped = (result: unknown): StopEvent => new StopEvent({ result });

describe("collectEvents", () => {
  const flowOf = (failFirst: boolean) => {
    let failures = failFirst ? 1 : 0;
    return defineWorkflow("sets")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step("gather", { on: Item, emits: StopEvent, workers: 1, retry: twice }, async (ev, ctx) => {
        const set = await ctx.collectEvents(ev, [Item, Item]);
        if (failures-- > 0) throw new Error("after it was counted");
        return set === null ? null : stopped(set.map((item) => item.n));
      })
      .build();
  };

  it("counts the event of a retried attempt once", async () => {
    expect(await flowOf(true).run()).toEqual([1, 2]);
  });

  it("keeps surplus for the next set", async () => {
    const flow = defineWorkflow("surplus")
      .step("start", { on: StartEvent, emits: many(Left, Right) }, async () => [
        ...[1, 2].map((n) => new Left({ n })),
        ...[3, 4].map((n) => new Right({ n })),
      ])
      .step("gather", { on: [Left, Right], emits: Done, workers: 1 }, async (ev, ctx) => {
        const set = await ctx.collectEvents(ev, [Left, Right]);
        return set && new Done({ n: set[0].n * 10 + set[1].n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.map((done) => done.n)))
      .build();

    expect(await flow.run()).toEqual([13, 24]);
  });
});

describe("joins in a fan-out", () => {
  it("pair the events of one element, whatever order they come in", async () => {
    const flow = defineWorkflow("pairs")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [0, 1, 2, 3].map((n) => new Item({ n })))
      .step("split", { on: Item, emits: [Left, Right] }, async ({ n }, ctx) => {
        ctx.sendEvent(new Left({ n }));
        ctx.sendEvent(new Right({ n }), { delay: (4 - n) * 10 });
      })
      .step("pair", { on: join({ left: Left, right: Right }), emits: Done }, async ({ left, right }) => {
        return new Done({ n: left.n * 10 + right.n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.map((done) => done.n)))
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();

    await clock.advance(100);

    expect(await handler).toEqual([0, 11, 22, 33]);
  });
});

describe("what a step gives back", () => {
  it("has to be declared", async () => {
    const flow = defineWorkflow("undeclared")
      .step("start", { on: StartEvent, emits: StopEvent }, (async () => new Item({ n: 1 })) as never)
      .build();

    const error = await rejection(flow.run());

    expect(error).toMatchObject({ code: "EVENT_UNDECLARED", details: { step: "start", event: "Item" } });
  });

  it.each([
    ["a number", 7, /the number 7/],
    ["a class", StopEvent, /use `new`/],
    ["a list", [stopped(1)], /an array of 1/],
  ])("has to be an event, not %s", async (_, value, message) => {
    const flow = defineWorkflow("results")
      .step("start", { on: StartEvent, emits: StopEvent }, (async () => value) as never)
      .build();

    expect(await rejection(flow.run())).toMatchObject({
      code: "STEP_RESULT_INVALID",
      message: expect.stringMatching(message),
    });
  });
});

describe("the stream", () => {
  it("refuses a stop event, and goes on", async () => {
    const flow = defineWorkflow("shown")
      .step("start", { on: StartEvent, emits: StopEvent, streams: Item }, async (_, ctx) => {
        const refused = await rejection(
          Promise.resolve().then(() => ctx.writeEventToStream(stopped("early") as never)),
        );
        const unsent = await rejection(Promise.resolve().then(() => ctx.sendEvent(stopped("early") as never)));
        ctx.writeEventToStream(new Item({ n: 1 }));
        return stopped([refused.code, unsent.code]);
      })
      .build();
    const handler = flow.run();

    const shown = await handler.streamEvents().toArray();

    expect(shown.map(({ event: { type } }) => type)).toEqual(["Item", "StopEvent"]);
    expect(await handler).toEqual(["EVENT_NOT_SENDABLE", "EVENT_NOT_SENDABLE"]);
  });

  it("gives two readers everything, also one that broke off and began again", async () => {
    const flow = defineWorkflow("readers")
      .step("start", { on: StartEvent, emits: StopEvent, streams: Item }, async (_, ctx) => {
        for (const n of [1, 2, 3]) ctx.writeEventToStream(new Item({ n }));
        return stopped(null);
      })
      .build();
    const handler = flow.run();
    const stream = handler.streamEvents().filter(Item);

    const [one, other, first] = await Promise.all([stream.toArray(), stream.toArray(), stream.take(1).toArray()]);
    const again = await stream.toArray();

    expect(one.map((item) => item.event.n)).toEqual([1, 2, 3]);
    expect([other, again]).toEqual([one, one]);
    expect(first).toEqual(one.slice(0, 1));
  });
});

describe("a wrong start event", () => {
  it("is refused at once", () => {
    class Begin extends StartEvent.define("Begin", { topic: z.string() }) {}
    class Other extends StartEvent.define("Other") {}
    const flow = defineWorkflow("start")
      .step("start", { on: Begin, emits: StopEvent }, async (ev) => stopped(ev.topic))
      .build();

    expect(() => flow.run(new Other() as never)).toThrow(/does not start with Other/);
    expect(() => flow.run({ topic: 7 } as never)).toThrow(/topic/);
  });
});

describe("a resource that two workers need at once", () => {
  it("is made once, and is no cycle", async () => {
    let made = 0;
    const slow = resource("slow", async () => {
      await settle();
      return ++made;
    });
    const both = resource("both", async ({ inner }) => inner, { resources: { inner: slow } });
    const flow = defineWorkflow("shared")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step("use", { on: Item, emits: Done, resources: { slow, both } }, async (_ev, _ctx, used) => {
        return new Done({ n: used.slow + used.both });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.map((done) => done.n)))
      .build();

    expect(await flow.run()).toEqual([2, 2, 2]);
    expect(made).toBe(1);
  });
});

describe("the state", () => {
  class Counter extends Workflow.withState({ count: z.number().default(0) }) {
    work = step({ on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      const failures = [
        await rejection(ctx.store.set("count" as never, "many" as never)),
        await rejection(ctx.store.editState((state) => void ((state as { count: unknown }).count = "many"))),
        await rejection(ctx.store.editState(async () => Promise.all([ctx.store.set("count" as never, 5 as never)]))),
      ];
      return stopped([...failures.map((failure) => failure.code), await ctx.store.get("count" as never), ev.type]);
    });
  }

  it("is checked at every commit, and a writer inside an edit is refused instead of waiting for ever", async () => {
    expect(await new Counter().run()).toEqual(["STATE_INVALID", "STATE_INVALID", "STATE_LOCKED", 0, "StartEvent"]);
  });

  it("has fields named like methods", async () => {
    const flow = defineWorkflow("names")
      .step("start", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        await ctx.store.set("items.get", 1);
        return stopped([await ctx.store.get("items"), await ctx.store.get("keys", "none")]);
      })
      .build();

    expect(await flow.run()).toEqual([{ get: 1 }, "none"]);
  });
});

describe("cost", () => {
  it("of a fan-out grows with its size, not with the square of it", async () => {
    const flow = defineWorkflow("large")
      .step("start", { on: StartEvent, emits: many(Item) }, async (ev) =>
        Array.from({ length: ev.get("size") as number }, (_, n) => new Item({ n })),
      )
      .step("work", { on: Item, emits: Done }, async ({ n }) => new Done({ n }))
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.length))
      .build();
    const cpuOf = async (size: number): Promise<number> => {
      const before = process.cpuUsage();
      expect(await flow.run({ size })).toBe(size);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };

    // The least of several rounds, of the processor and not of the clock: whatever else goes on only adds to it.
    const least = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 3 || (round < 30 && least.many > 30 * least.few); round++) {
      least.few = Math.min(least.few, await cpuOf(4_000));
      least.many = Math.min(least.many, await cpuOf(32_000));
    }

    expect(least.many / least.few).toBeLessThan(30); // about 8, and with the square about 64
  });
});
