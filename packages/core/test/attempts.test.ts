/** One attempt of a step: its end, its calls, its slot. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  collect,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Poke extends ExternalEvent.define("Poke") {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const attempts = (count: number, waitMs = 0) =>
  retryPolicy({ wait: wait.fixed(waitMs), stop: stop.afterAttempts(count) });

function flowOf(
  work: (ctx: Context, attempt: number) => Promise<unknown>,
  options: { count?: number; timeout?: number } = {},
) {
  let attempt = 0;
  return defineWorkflow("attempts")
    .step(
      "work",
      {
        on: StartEvent,
        emits: [StopEvent, Item],
        waits: Answer,
        streams: Item,
        retry: attempts(options.count ?? 2),
        ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
      },
      async (_, ctx) => stopped(await work(ctx, ++attempt)),
    )
    .step("other", { on: Poke, emits: StopEvent }, async () => stopped("by other"))
    .step("item", { on: Item }, async () => {})
    .build();
}

describe("an attempt that has ended", () => {
  const callsOf = (ctx: Context): (() => unknown)[] => [
    () => ctx.sendEvent(new Item({ n: 1 })),
    () => ctx.writeEventToStream(new Item({ n: 1 })),
    () => ctx.waitForEvent(Answer),
    () => ctx.collectEvents(new Item({ n: 1 }), [Item]),
    () => ctx.run("late", () => 1),
    () => ctx.runChild("none"),
    () => ctx.sleep(1),
    () => ctx.store.set("late", true),
    () => ctx.store.editState(() => 1),
    () => ctx.store.get("late"),
  ];

  it.each([
    ["was cancelled", async (run: { cancel(): Promise<void> }) => run.cancel(), /the run is cancelled/],
    [
      "was stopped by another step",
      async (run: { sendEvent(poke: Poke): unknown }) => run.sendEvent(new Poke()),
      /the run is completed/,
    ],
  ])("because the run %s can do nothing any more, and its signal says why", async (_, end, reason) => {
    const held = gate();
    const codes = gate<unknown[]>();
    let signal!: AbortSignal;
    const flow = flowOf(async (ctx) => {
      signal = ctx.signal;
      await held.promise;
      const late = callsOf(ctx).map((call) => rejection(Promise.resolve().then(call)));
      codes.open((await Promise.all(late)).map((error) => error.code));
      return "late";
    });
    const handler = flow.run();
    await settle();

    await end(handler as never);
    await handler.catch(() => {});
    held.open();

    expect(new Set(await codes.promise)).toEqual(new Set(["ATTEMPT_ENDED"]));
    expect(signal.reason).toMatchObject({ code: "ATTEMPT_ENDED", message: expect.stringMatching(reason) });
    expect(await handler.context.store.get()).toEqual({});
  });

  it("because it took too long is fenced: its signal tells, its outcome is ignored, its edit rolled back", async () => {
    const held = gate();
    const reasons: unknown[] = [];
    const flow = flowOf(
      async (ctx, attempt) => {
        if (attempt === 2) return ctx.store.editState((state) => ++(state as { n: number }).n);
        ctx.signal.addEventListener("abort", () => reasons.push(ctx.signal.reason));
        await ctx.store.set("n", 10);
        const edit = ctx.store.editState(async (state) => {
          state["n"] = 99;
          await held.promise;
        });
        reasons.push(await rejection(edit));
        await held.promise;
        return "too late";
      },
      { timeout: 5 },
    );
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(5);

    const result = await handler;
    held.open();
    await settle();

    expect(result).toBe(11);
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).toMatchObject({ code: "ATTEMPT_ENDED", message: expect.stringContaining("5 ms") });
  });

  it("is over when its step returns: calls left open reject, and nobody needs to handle that", async () => {
    const left = gate<unknown>();
    const flow = flowOf(async (ctx) => {
      ctx.waitForEvent(Answer).catch(left.open);
      void ctx.sleep("1h");
      return "ok";
    });
    const clock = withVirtualClock(flow);

    expect(await flow.run()).toBe("ok");
    expect(WorkflowError.is(await left.promise, "ATTEMPT_ENDED")).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("runs its `finally` blocks", async () => {
    const cleaned = gate<string>();
    const flow = flowOf(async (ctx) => {
      try {
        await ctx.waitForEvent(Answer);
      } finally {
        cleaned.open("cleaned");
      }
    });
    const handler = flow.run();
    await waiting(handler);

    await handler.cancel();

    expect(await cleaned.promise).toBe("cleaned");
  });
});

describe("the recorded calls of a work item", () => {
  it("answers edits with what they gave, and sets again only what differs", async () => {
    const set: unknown[] = [];
    const flow = flowOf(
      async (ctx, attempt) => {
        const edited = await ctx.store.editState((state) => {
          state["edits"] = Number(state["edits"] ?? 0) + 1;
          return { edits: state["edits"] };
        });
        await ctx.store.set("same", 1);
        await ctx.store.set("attempt", attempt);
        if (attempt < 3) throw new Error("again");
        return [edited, await ctx.store.get()];
      },
      { count: 3 },
    );
    flow.on("state.edited", ({ paths }) => void set.push(paths));

    expect(await flow.run()).toEqual([{ edits: 1 }, { edits: 1, same: 1, attempt: 3 }]);
    expect(set).toEqual([["edits"], ["same"], ["attempt"], ["attempt"], ["attempt"]]);
  });

  it("does not lose edits that share a key in one attempt", async () => {
    const flow = flowOf(async (ctx, attempt) => {
      for (const n of [1, 2, 3])
        await ctx.store.editState((state) => void (state["sum"] = Number(state["sum"] ?? 0) + n), { key: "sum" });
      if (attempt === 1) throw new Error("again");
      return ctx.store.get("sum");
    });

    expect(await flow.run()).toBe(6);
  });

  it("says which records a later attempt did not ask for", async () => {
    const diverged: (readonly string[])[] = [];
    const flow = flowOf(async (ctx, attempt) => {
      await ctx.run(`effect ${attempt}`, () => attempt);
      if (attempt === 1) throw new Error("again");
      return "ok";
    });
    flow.on("step.diverged", ({ calls }) => void diverged.push(calls));

    await flow.run();

    expect(diverged).toEqual([[expect.stringContaining("effect 1")]]);
  });

  it("matches by key where calls change places", async () => {
    const flow = flowOf(async (ctx, attempt) => {
      const names = attempt === 1 ? ["a", "b"] : ["b", "a"];
      const got: Record<string, unknown> = {};
      for (const name of names)
        got[name] = await ctx.store.editState(() => `${name} in attempt ${attempt}`, { key: name });
      if (attempt === 1) throw new Error("again");
      return got;
    });

    expect(await flow.run()).toEqual({ a: "a in attempt 1", b: "b in attempt 1" });
  });

  it("ends with the work item", async () => {
    const keys: string[] = [];
    const flow = defineWorkflow("items")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [new Item({ n: 1 }), new Item({ n: 2 })])
      .step("work", { on: Item, emits: Done }, async ({ n }, ctx) => {
        return new Done({ n: await ctx.run("double", ({ idempotencyKey }) => keys.push(idempotencyKey) && n * 2) });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.map((done) => done.n)))
      .build();

    expect(await flow.run()).toEqual([2, 4]);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("retryInfo", () => {
  it("tells of the failures before", async () => {
    const flow = flowOf(
      async (ctx, attempt) => {
        const { attempt: begun, retry, lastError } = ctx.retryInfo();
        if (attempt < 3) throw new Error(`failure ${attempt}`);
        return [begun, retry, (lastError as Error).message];
      },
      { count: 3 },
    );

    expect(await flow.run()).toEqual([3, 2, "failure 2"]);
  });
});

describe("a worker slot", () => {
  it("is free while its item waits, and is taken again ahead of queued work", async () => {
    const order: string[] = [];
    const held = gate();
    const flow = defineWorkflow("slots")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step("work", { on: Item, emits: Done, waits: Answer, workers: 1 }, async ({ n }, ctx) => {
        order.push(`begin ${n}`);
        if (n === 1) {
          await ctx.waitForEvent(Answer);
          order.push("answered 1");
        }
        if (n === 2) await held.promise;
        return new Done({ n });
      })
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.length))
      .build();
    const handler = flow.run();
    await settle();
    const before = [...order];

    await handler.sendEvent(new Answer({ text: "" }));
    await settle();
    const answered = [...order];
    held.open();
    await handler;

    expect(before).toEqual(["begin 1", "begin 2"]);
    expect(answered).toEqual(before);
    expect(order).toEqual(["begin 1", "begin 2", "answered 1", "begin 3"]);
  });

  it("is not held by an open wait that a later attempt has not asked for yet", async () => {
    let attempt = 0;
    const flow = defineWorkflow("late")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, waits: [Answer, Poke], retry: attempts(2), workers: 1 },
        async (_, ctx) => {
          if (++attempt === 1) {
            void ctx.waitForEvent(Answer, { key: "left" });
            throw new Error("again");
          }
          await ctx.waitForEvent(Poke);
          return stopped((await ctx.waitForEvent(Answer, { key: "left" })).text);
        },
      )
      .build();
    const handler = flow.run();
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "early" }));
    const still = await waiting(handler);
    await handler.sendEvent(new Poke());

    expect(still.status).toBe("waiting");
    expect(await handler).toBe("early");
  });

  it("goes to an item that was released for its restore as well", async () => {
    const flow = flowOf(async (ctx) => {
      await ctx.sleep("1h");
      return "rested";
    });
    const clock = withVirtualClock(flow);
    const first = flow.run();
    await waiting(first);
    const second = flow.resume(reload(flow, first.context));

    await clock.advance(3_600_000);

    expect(await second).toBe("rested");
  });
});
