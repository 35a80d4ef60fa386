/** Failures: error handlers, settling batches, cancelled and retried runs with work in every state. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  NonRetryableError,
  RetryAfterError,
  retryIf,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../src/index.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { n: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Other extends event("Other", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const items = (count: number): Item[] => Array.from({ length: count }, (_, n) => new Item({ n }));
const numbers = (all: readonly { readonly n: number }[]): number[] => all.map(({ n }) => n);
const hourly = retryPolicy({ wait: wait.fixed("1h") });

describe("an error handler", () => {
  it("with names beats the one without; what a handler throws fails the run in its name", async () => {
    const flow = defineWorkflow("handlers")
      .step("one", { on: StartEvent, emits: Item }, async () => Promise.reject(new Error("one")))
      .step("two", { on: Item, emits: StopEvent }, async () => Promise.reject(new Error("two")))
      .catchError("any", { emits: StopEvent }, async (ev) => Promise.reject(new Error(`any after ${ev.stepName}`)))
      .catchError("ones", { steps: ["one"], emits: Item }, async () => new Item({ n: 1 }))
      .build();
    const failed: unknown[] = [];
    flow.on("run.failed", ({ step }) => void failed.push(step));

    expect((await rejection(flow.run())).message).toBe("any after two");
    expect(failed).toEqual(["any"]);
  });

  it("helps each lineage of events as often as it may", async () => {
    const flow = defineWorkflow("lineages")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => items(3))
      .step("work", { on: Item, emits: Done }, async ({ n }) => {
        if (n < 10) throw new Error(`no ${n}`);
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .catchError("recover", { steps: ["work"], emits: Item }, async (ev) => new Item({ n: (ev.input as Item).n + 10 }))
      .build();

    expect(await flow.run()).toEqual([10, 11, 12]);
  });

  it("is told of a batch by its first member, and of a failed generator after what it gave", async () => {
    const flow = defineWorkflow("generators")
      .step("start", { on: StartEvent, emits: many(Item) }, async function* () {
        yield new Item({ n: 1 });
        yield new Item({ n: 2 });
        throw new Error("source is gone");
      })
      .step("work", { on: Item, emits: Done }, async ({ n }) => new Done({ n }))
      .step("end", { on: collect(Done), emits: Other }, async (all) => new Other({ n: all.length }))
      .step("both", { on: Other, emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        const set = await ctx.collectEvents(ev, [Other, Other]);
        return set && stopped(numbers(set).sort());
      })
      .catchError("recover", { emits: Other }, async () => new Other({ n: -1 }))
      .build();

    expect(await flow.run()).toEqual([-1, 2]);
  });

  it("does not run for a cancelled or timed-out run", async () => {
    const caught: string[] = [];
    const flow = defineWorkflow("ended")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) =>
        stopped(await ctx.waitForEvent(Answer)),
      )
      .catchError("recover", { emits: StopEvent }, async (ev) => {
        caught.push(ev.stepName);
        return stopped("caught");
      })
      .build();
    const clock = withVirtualClock(flow);
    const cancelled = flow.run();
    const late = flow.run({}, { deadline: clock.now() + 1_000 });
    const failure = rejection(late);
    await settle();

    await cancelled.cancel();
    await clock.advance(1_000);

    expect(await failure).toMatchObject({ code: "RUN_TIMED_OUT" });
    expect(caught).toEqual([]);
  });
});

describe("a retry policy", () => {
  it.each([
    ["an error that says no", new NonRetryableError("never"), 1],
    ["an error that the policy does not name", new RangeError("other"), 1],
    ["an error that it names", new TypeError("again"), 3],
    ["an error that says when", new RetryAfterError("soon", 0), 3],
  ])("is asked about %s", async (_, error, attempts) => {
    let begun = 0;
    const retry = retryPolicy({ when: retryIf.type(TypeError), wait: wait.fixed(0), stop: stop.afterAttempts(3) });
    const flow = defineWorkflow("asked")
      .step("work", { on: StartEvent, emits: StopEvent, retry }, async () => {
        begun++;
        throw error;
      })
      .build();

    expect(await rejection(flow.run())).toBe(error);
    expect(begun).toBe(attempts);
  });

  it("that throws ends the step with its own error, whose cause is that of the step", async () => {
    const retry = { next: () => Number.NaN };
    const broken = {
      next(): number {
        throw new Error("broken policy");
      },
    };
    const flowOf = (policy: { next(): number | null }) =>
      defineWorkflow("broken")
        .step("work", { on: StartEvent, emits: StopEvent, retry: policy }, async () =>
          Promise.reject(new Error("work")),
        )
        .build();

    expect(await rejection(flowOf(broken).run())).toMatchObject({
      message: "broken policy",
      cause: expect.objectContaining({ message: "work" }),
    });
    expect(await rejection(flowOf(retry).run())).toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("work in every state", () => {
  /** Member 0 waits, 1 is delayed, 2 sleeps, 3 fails while `isBroken`, 4 queues, 5 is a delayed send; the batch needs them all. */
  function mixed() {
    const control = { isBroken: true };
    const begun: number[] = [];
    const flow = defineWorkflow("mixed")
      .step("start", { on: StartEvent, emits: many(Item, Other) }, async () => [...items(5), new Other({ n: 5 })])
      .step(
        "work",
        {
          on: Item,
          emits: Done,
          waits: Answer,
          streams: Ask,
          workers: 1,
          retry: { next: ({ error }) => ((error as Error).message === "later" ? 3_600_000 : null) },
        },
        async ({ n }, ctx) => {
          begun.push(n);
          if (n === 0) await ctx.waitForEvent(Answer, { prompt: new Ask({ n }) });
          if (n === 1 && ctx.retryInfo().retry === 0) throw new Error("later");
          if (n === 2) await ctx.sleep("2h");
          if (n === 3 && control.isBroken) throw new Error("broken");
          return new Done({ n });
        },
      )
      .step("other", { on: Other, emits: Done }, async ({ n }, ctx) => ctx.sendEvent(new Done({ n }), { delay: "3h" }))
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(numbers(all)))
      .build();
    return { flow, control, begun, clock: withVirtualClock(flow) };
  }

  it("is kept by a failed run: retry takes all of it up, after a load too", async () => {
    const { flow, control, begun, clock } = mixed();
    const first = flow.run();
    await rejection(first);
    const context = reload(flow, first.context);
    control.isBroken = false;
    begun.length = 0;

    const second = flow.retry(context);
    const { prompts, wakeAtMs } = await waiting(second);
    await second.answer(prompts[0]!.promptId, { n: 0 });
    await clock.advance(3 * 3_600_000);

    expect(prompts.map(({ event: asked }) => asked)).toEqual([new Ask({ n: 0 })]);
    expect(wakeAtMs).toBe(clock.now() - 2 * 3_600_000); // member 1 begins anew, and fails again
    expect(begun.sort()).toEqual([0, 1, 2, 3, 4, 1].sort());
    expect(await second).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("is kept by a cancelled run: resume takes all of it up, with its times", async () => {
    const { flow, control, clock } = mixed();
    control.isBroken = false;
    const first = flow.run();
    await waiting(first);
    await first.cancel();
    await clock.advance(90 * 60_000);

    const second = flow.resume(reload(flow, first.context));
    const { prompts, wakeAtMs } = await waiting(second);
    await second.answer(prompts[0]!.promptId, { n: 0 });
    await clock.advance(90 * 60_000);

    expect(wakeAtMs).toBe(clock.now() - 60 * 60_000);
    expect(await second).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("does not come back to life in a run that has completed", async () => {
    const flow = defineWorkflow("over")
      .step("start", { on: StartEvent, emits: [Item, StopEvent] }, async (_, ctx) => {
        ctx.sendEvent(new Item({ n: 1 }), { delay: "1h" });
        ctx.sendEvent(new Item({ n: 2 }));
        return stopped("over");
      })
      .step("work", { on: Item, waits: Answer, retry: hourly }, async (_, ctx) => void (await ctx.waitForEvent(Answer)))
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await handler;

    const snapshot = handler.context.toDict();

    expect(clock.pending).toBe(0);
    expect([snapshot["items"], snapshot["timers"], snapshot["status"]]).toEqual([undefined, undefined, "completed"]);
  });
});

describe("a race between calls", () => {
  it("leaves nothing behind of the calls that lost", async () => {
    const flow = defineWorkflow("race")
      .step("work", { on: StartEvent, emits: [StopEvent, Item], waits: Answer, streams: Ask }, async (_, ctx) => {
        const asked = ctx.waitForEvent(Answer, { prompt: new Ask({ n: 1 }), timeout: "2h" });
        await Promise.race([asked, ctx.sleep("1s")]);
        return new Item({ n: 1 });
      })
      .step("rest", { on: Item, waits: Answer, emits: StopEvent }, async (_, ctx) =>
        stopped((await ctx.waitForEvent(Answer)).n),
      )
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    const before = await waiting(handler);
    await clock.advance(1_000);

    const after = await waiting(handler);
    const late = await handler.answer(before.prompts[0]!.promptId, { n: 1 });
    await handler.sendEvent(new Answer({ n: 2 }));

    expect([after.prompts, after.wakeAtMs]).toEqual([[], null]);
    expect(late).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    expect(await handler).toBe(2);
  });
});
