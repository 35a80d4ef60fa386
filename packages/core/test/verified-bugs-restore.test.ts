/** Faults of restores and second attempts that were seen in another runtime, one test each: here they do not happen. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string(), id: z.number().default(0) }) {}
class Item extends event("Item", { n: z.number() }) {}

const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });
const stopped = (result: unknown): StopEvent => new StopEvent({ result });

describe("a context after the end of its run", () => {
  it.each(["fails", "times out"])("starts anew when the run %s: leftover work does not run", async (how) => {
    const worked: string[] = [];
    const flow = defineWorkflow("leftovers")
      .step("start", { on: StartEvent, emits: [many(Item), StopEvent] }, async (ev, ctx) => {
        await ctx.store.set("by", ev.get("by"));
        return ev.get("by") === "first" ? [new Item({ n: 1 }), new Item({ n: 2 })] : stopped("fresh");
      })
      .step("work", { on: Item, workers: 1 }, async ({ n }, ctx) => {
        worked.push(`${n}`);
        if (how === "fails") throw new Error("no");
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      })
      .build();
    const clock = withVirtualClock(flow);
    const first = flow.run({ by: "first" }, how === "fails" ? {} : { timeout: 5 });
    const failure = rejection(first);
    await clock.advance(5);
    await failure;

    const second = flow.run({ by: "second" }, { context: reload(flow, first.context) });

    expect(await second).toBe("fresh");
    expect(worked).toEqual(["1"]);
    expect(second.runId).not.toBe(first.runId);
  });

  it("can be snapshotted: the next run starts on its state", async () => {
    const flow = defineWorkflow("state")
      .step("count", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        const count = Number(await ctx.store.get("count", 0)) + 1;
        await ctx.store.set("count", count);
        return stopped(count);
      })
      .build();
    const first = flow.run();
    await first;

    expect(await flow.run({}, { context: reload(flow, first.context) })).toBe(2);
  });
});

describe("a restored wait", () => {
  const flow = defineWorkflow("waits")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
      const answer = await ctx.waitForEvent(Answer, { where: { id: 42 }, timeout: "1m" });
      return stopped(answer.text);
    })
    .build();
  const clock = withVirtualClock(flow);

  it("still has its `where`", async () => {
    const first = flow.run();
    await waiting(first);
    const second = flow.resume(reload(flow, first.context));

    const wrong = await second.sendEvent(new Answer({ text: "wrong", id: 7 }));
    await second.sendEvent(new Answer({ text: "right", id: 42 }));

    expect(wrong.status).toBe("accepted"); // kept, for a wait that takes it
    expect(await second).toBe("right");
  });

  it("still has its timer, which runs on while nobody has it in memory", async () => {
    const first = flow.run();
    const { wakeAtMs } = await waiting(first);
    const context = reload(flow, first.context);
    await clock.advance(30_000);

    const second = flow.resume(context);
    const restored = await waiting(second);
    await clock.advance(30_000);

    expect(restored.wakeAtMs).toBe(wakeAtMs);
    expect(await rejection(second)).toMatchObject({ code: "WAIT_TIMED_OUT" });
  });

  it("does not lose to its timer what came before it was due", async () => {
    let isHeld = true;
    const held = defineWorkflow("held")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
        const answer = await ctx.waitForEvent(Answer, { timeout: "1m" });
        if (isHeld) await new Promise(() => {});
        return stopped(answer.text);
      })
      .build();
    const time = withVirtualClock(held);
    const first = held.run();
    await waiting(first);
    await first.sendEvent(new Answer({ text: "in time" }));
    const context = reload(held, first.context);
    isHeld = false;
    await time.advance(120_000);

    expect(await held.resume(context)).toBe("in time");
  });
});

describe("a retry that waits for its time", () => {
  it("is in the snapshot and fires once", async () => {
    let attempts = 0;
    const flow = defineWorkflow("delayed")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.exponential({ initial: "1s" }) }) },
        async (_, ctx) => {
          if (++attempts < 3) throw new Error(`no ${attempts}`);
          return stopped([ctx.retryInfo().retry, ctx.retryInfo().elapsedMs]);
        },
      )
      .build();
    const clock = withVirtualClock(flow);
    const first = flow.run();
    await settle();
    const context = reload(flow, first.context);
    await first.cancel();

    const second = flow.resume(context);
    const { wakeAtMs } = await waiting(second);
    await clock.advance(1_000);
    await clock.advance(2_000);

    expect(wakeAtMs).toBe(clock.now() - 2_000);
    expect(await second).toEqual([2, 3_000]);
    expect(attempts).toBe(3);
  });
});

describe("sends of a step that runs again", () => {
  it.each(["retry", "restore"])("leave once, after a %s", async (how) => {
    const got: number[] = [];
    let attempts = 0;
    const flow = defineWorkflow("sends")
      .step("send", { on: StartEvent, emits: [Item, StopEvent], waits: Answer, retry: twice }, async (_, ctx) => {
        ctx.sendEvent(new Item({ n: 1 }));
        ctx.sendEvent(new Item({ n: 2 }), { immediate: true });
        await ctx.waitForEvent(Answer);
        ctx.sendEvent(new Item({ n: 3 }));
        if (++attempts === 1 && how === "retry") throw new Error("late");
        return stopped("ok");
      })
      .step("take", { on: Item }, async ({ n }) => void got.push(n))
      .build();
    let handler = flow.run();
    await waiting(handler);
    handler = how === "restore" ? flow.resume(reload(flow, handler.context)) : handler;
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "go" }));
    await handler;

    expect(got).toEqual([2, 1]); // the third left with the stop event, which ends the run
  });
});

describe("catchError", () => {
  it("keeps its budget per lineage over waits and restores", async () => {
    const handled: number[] = [];
    const flow = defineWorkflow("budget")
      .step("start", { on: StartEvent, emits: Item }, async () => new Item({ n: 0 }))
      .step("work", { on: Item, waits: Answer, emits: StopEvent }, async ({ n }, ctx) => {
        await ctx.waitForEvent(Answer);
        throw new Error(`failure ${n}`);
      })
      .catchError("recover", { maxRecoveries: 2, emits: Item, waits: Answer }, async (ev, ctx) => {
        await ctx.waitForEvent(Answer);
        handled.push(ev.attempts);
        return new Item({ n: handled.length });
      })
      .build();
    let handler = flow.run();
    for (let round = 0; round < 4; round++) {
      await waiting(handler);
      handler = flow.resume(reload(flow, handler.context));
      await handler.sendEvent(new Answer({ text: "go" }));
    }
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "go" }));

    expect(await rejection(handler)).toMatchObject({ message: "failure 2" });
    expect(handled).toEqual([1, 1]);
  });
});

describe("snapshots", () => {
  it("keep dates, sets, maps and nested events of events", async () => {
    const when = new Date(0);
    const fields = { when, tags: new Set(["a"]), sizes: new Map([["b", 1n]]) };
    const flow = defineWorkflow("values")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (ev, ctx) => {
        await ctx.waitForEvent(Answer);
        return stopped(ev.fields);
      })
      .build();
    const first = flow.run(fields);
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ text: "" }));

    expect(await second).toEqual(fields);
    expect((reload(flow, second.context).toDict() as { outcome?: unknown }).outcome).toBeDefined();
  });

  it("do not grow with what the run has done", async () => {
    const sizes: number[] = [];
    const flow = defineWorkflow("loop")
      .step("start", { on: StartEvent, emits: Item }, async () => new Item({ n: 1_000 }))
      .step("loop", { on: Item, emits: [Item, StopEvent] }, async ({ n }, ctx) => {
        sizes.push(JSON.stringify(ctx.toDict()).length);
        return n < 2_000 ? new Item({ n: n + 1 }) : stopped(null);
      })
      .build();

    await flow.run();

    expect(sizes).toHaveLength(1_001);
    expect(sizes.at(-1)! - sizes[0]!).toBeLessThan(20);
  });
});
