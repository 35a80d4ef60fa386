/** Events that a step sends: when they leave, for whom, and which are refused. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "../src/index.js";
import { Answer, flowOf, Note, note, stopped } from "./support/note-flow.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Item extends event("Item", { n: z.number() }) {}
class Lost extends event("Lost") {}

describe("sendEvent", () => {
  it("leaves at the next commit point, in the order of the calls, before what is returned", async () => {
    const held = gate();
    const { flow, notes } = flowOf(async (ctx) => {
      ctx.sendEvent(note("a"), { step: "first" });
      ctx.sendEvent(note("b"), { step: "first" });
      await held.promise;
      await ctx.sleep(0);
      ctx.sendEvent(note("c"), { step: "first" });
      return note("last");
    });
    const handler = flow.run();
    await settle();
    const before = [...notes];

    held.open();

    expect(await handler).toBe("by note");
    expect(before).toEqual([]);
    expect(notes.filter((line) => line.startsWith("first"))).toEqual(["first a", "first b", "first c", "first last"]);
  });

  it("of an attempt that fails has not happened", async () => {
    let attempts = 0;
    const { flow, notes } = flowOf(async (ctx) => {
      ctx.sendEvent(note(`${++attempts}`), { step: "first" });
      if (attempts === 1) throw new Error("no");
      await ctx.sleep(0);
      return "ok";
    });

    await flow.run();

    expect(notes).toEqual(["first 2"]);
  });

  it("with `immediate` leaves now, once over attempts; a key tells sends apart", async () => {
    let attempts = 0;
    const { flow, notes } = flowOf(async (ctx) => {
      attempts++;
      if (attempts === 2) ctx.sendEvent(note("b"), { step: "first", immediate: true, key: "b" });
      ctx.sendEvent(note("a"), { step: "first", immediate: true, key: "a" });
      await settle();
      if (attempts === 1) throw new Error("no");
      return "ok";
    });

    await flow.run();

    expect(notes).toEqual(["first a", "first b"]);
  });

  it("with `delay` leaves at its time, also after a restore", async () => {
    const { flow, notes } = flowOf(async (ctx) => {
      ctx.sendEvent(note("last"), { delay: "1h" });
      await ctx.waitForEvent(Answer);
    });
    const clock = withVirtualClock(flow);
    const first = flow.run();
    await waiting(first);
    const second = flow.resume(reload(flow, first.context));
    await first.cancel();

    await clock.advance(3_599_999);
    const before = [...notes];
    await clock.advance(1);

    expect(await second).toBe("by note");
    expect(before).toEqual([]);
    expect(notes).toContain("first last");
  });

  it("to a step reaches its open wait or the one it will open", async () => {
    const flow = defineWorkflow("targets")
      .step("start", { on: StartEvent, emits: [Item, Note] }, async (_, ctx) => {
        ctx.sendEvent(note("early"), { step: "work" });
        return new Item({ n: 1 });
      })
      .step(
        "other",
        { on: StartEvent, waits: Note },
        async (_, ctx) => void (await ctx.waitForEvent(Note, { where: { text: "?" } })),
      )
      .step("work", { on: Item, waits: Note, emits: StopEvent }, async (_, ctx) => {
        return stopped((await ctx.waitForEvent(Note)).text);
      })
      .build();

    expect(await flow.run()).toBe("early");
  });

  it.each([
    ["an unknown step", note("a"), { step: "frist" }, "STEP_UNKNOWN", /Did you mean "first"/],
    ["a step that does not accept it", note("a"), { step: "work2" }, "STEP_UNKNOWN", /"work"/],
    ["an undeclared event", new Lost(), {}, "EVENT_UNDECLARED", /emits/],
    ["a stop event", stopped(1), {}, "EVENT_NOT_SENDABLE", /Return it/],
    ["no event", { type: "Note" }, {}, "EVENT_NOT_SENDABLE", /event class/],
  ])("of %s is refused", async (_, sent, options, code, hint) => {
    const { flow } = flowOf(async (ctx) => ctx.sendEvent(sent as never, options));

    const error = await rejection(flow.run());

    expect(error).toMatchObject({ code, hint: expect.stringMatching(hint) });
  });

  it("to a step that takes another event is refused", async () => {
    const flow = defineWorkflow("refusal")
      .step("start", { on: StartEvent, emits: [Item, Note] }, async (_, ctx) =>
        ctx.sendEvent(note("a"), { step: "work" }),
      )
      .step("work", { on: Item, emits: StopEvent }, async () => stopped(1))
      .step("note", { on: Note }, async () => {})
      .build();

    expect(await rejection(flow.run())).toMatchObject({
      code: "EVENT_NOT_ACCEPTED",
      message: expect.stringContaining("accepts Item"),
    });
  });
});

describe("a batch", () => {
  const batchOf = (options: { readonly delay: string; readonly scope?: "run" }) =>
    defineWorkflow("batch")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [new Item({ n: 1 }), new Item({ n: 2 })])
      .step("work", { on: Item, emits: Note }, async ({ n }, ctx) => ctx.sendEvent(note(`${n}`), options as never))
      .step("end", { on: collect(Note), emits: StopEvent }, async (notes) => stopped(notes.map(({ text }) => text)))
      .build();

  it("waits for what its members sent, also while it is delayed", async () => {
    const flow = batchOf({ delay: "1s" });
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await waiting(handler);

    await clock.advance(1_000);

    expect(await handler).toEqual(["1", "2"]);
  });

  it("does not wait for what they sent to the run", async () => {
    expect(await batchOf({ delay: "1h", scope: "run" }).run()).toEqual([]);
  });
});

describe("a delayed send in a fan-out that is cancelled", () => {
  class Late extends event("Late", { n: z.number() }) {}
  class First extends event("First") {}
  const hour = 3_600_000;

  /** Each of three items sends a `Late`; when the answer comes, the first gives the one note that is taken. */
  function cancelling(options: { readonly scope?: "run" } = {}) {
    const late: number[] = [];
    const flow = defineWorkflow("cancelling")
      .step("start", { on: StartEvent, emits: many(Item) }, () => [1, 2, 3].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: [Note, Late], waits: Answer }, async ({ n }, ctx) => {
        ctx.sendEvent(new Late({ n }), { delay: "1h", ...options } as never);
        if (n > 1) return null;
        await ctx.waitForEvent(Answer);
        return note("first");
      })
      .step("late", { on: Late, emits: Note }, ({ n }) => void late.push(n))
      .step("first", { on: collect(Note, { take: 1, rest: "cancel" }), emits: First }, () => new First({}))
      .step("end", { on: First, emits: StopEvent, waits: Answer }, async (_ev, ctx) => {
        await ctx.waitForEvent(Answer);
        return stopped("end");
      })
      .build();
    return { flow, late, clock: withVirtualClock(flow) };
  }
  const timersOf = ({ context }: { context: { toDict(): object } }): unknown[] =>
    (JSON.parse(JSON.stringify(context.toDict())) as { timers?: unknown[] }).timers ?? [];

  it("is dropped: nothing comes later, and nobody waits for it", async () => {
    const { flow, late, clock } = cancelling();
    const handler = flow.run();
    await waiting(handler);
    const before = timersOf(handler).length;

    await handler.sendEvent(new Answer({ text: "go" }));
    await waiting(handler);
    const after = timersOf(handler).length;
    await clock.advance(2 * hour);
    await handler.sendEvent(new Answer({ text: "end" }));

    expect([before, after, late]).toEqual([3, 0, []]);
    expect(await handler).toBe("end");
  });

  it("is dropped after a restore, too, whenever the snapshot was taken", async () => {
    const { flow, late, clock } = cancelling();
    const pending = flow.run();
    await waiting(pending);
    const loaded = flow.resume(reload(flow, pending.context) as never);
    await waiting(loaded);

    await loaded.sendEvent(new Answer({ text: "go" }));
    await waiting(loaded);
    const again = flow.resume(reload(flow, loaded.context) as never);
    await pending.cancel();
    await loaded.cancel();
    await clock.advance(2 * hour);
    await again.sendEvent(new Answer({ text: "end" }));

    expect([await again, late]).toEqual(["end", []]);
  });

  it("comes at its time where nothing is cancelled before", async () => {
    const { flow, late, clock } = cancelling();
    const handler = flow.run();
    await waiting(handler);

    await clock.advance(hour);
    await handler.cancel();

    expect(late).toEqual([1, 2, 3]);
  });

  it("comes when it was sent to the run", async () => {
    const { flow, late, clock } = cancelling({ scope: "run" });
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "go" }));
    await waiting(handler);
    await clock.advance(hour);
    await handler.cancel();

    expect(late).toEqual([1, 2, 3]);
  });

  it("is dropped with its own element alone, where that has failed", async () => {
    const flow = defineWorkflow("settling")
      .step("start", { on: StartEvent, emits: many(Item) }, () => [1, 2, 3].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: [Note, Late] }, ({ n }, ctx) => {
        ctx.sendEvent(new Late({ n }), { delay: "1h", immediate: true });
        if (n === 2) throw new Error("no");
      })
      .step("late", { on: Late, emits: Note }, ({ n }) => note(`${n}`))
      .step("end", { on: collect(Note, { settle: true }), emits: StopEvent }, (all) =>
        stopped(all.map((one) => (one.status === "ok" ? one.event.text : one.status))),
      )
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await waiting(handler);
    const pending = timersOf(handler).length;

    await clock.advance(hour);

    expect([pending, await handler]).toEqual([2, ["1", "failed", "3"]]);
  });
});
