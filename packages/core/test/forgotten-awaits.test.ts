/** Calls of a step that nobody awaits: none is lost in silence, and none is an unhandled rejection. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "../src/index.js";
import { gate, rejection } from "./support/runs.js";
import { recordLog, settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { seen: z.unknown() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const once = retryPolicy({ stop: stop.afterAttempts(1) });
const twice = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) });

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await settle();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

interface StepOptions {
  readonly timeout?: number;
  readonly retry?: typeof twice;
}

/** What one step does before it returns, and what the next one finds in the state. */
function flowOf(work: (ctx: Context, attempt: number) => unknown, options: StepOptions = {}) {
  let attempt = 0;
  const log = recordLog();
  const flow = defineWorkflow("forgetful")
    .step("work", { on: StartEvent, emits: Done, waits: Answer, retry: twice, ...options }, (async (
      _: StartEvent,
      ctx: Context,
    ) => {
      await work(ctx, ++attempt);
      return new Done({ seen: attempt });
    }) as never)
    .step("look", { on: Done, emits: StopEvent }, async ({ seen }, ctx) =>
      stopped({ attempts: seen, state: await ctx.store.get() }),
    )
    .build({ log });
  return { flow, log };
}

describe("a step that returns", () => {
  it("keeps every write that it has asked for, awaited or not", async () => {
    const { flow } = flowOf((ctx) => {
      void ctx.store.set("a", 1);
      void ctx.store.set("b", 1);
      void ctx.store.set("c", 1);
    });

    expect(await flow.run()).toEqual({ attempts: 1, state: { a: 1, b: 1, c: 1 } });
  });

  it.each([
    ["set", (ctx: Context) => ctx.store.set("n", 2), { n: 2 }],
    ["editState", (ctx: Context) => ctx.store.editState((state) => void (state["n"] = 2)), { n: 2 }],
    ["setState", (ctx: Context) => ctx.store.setState({ n: 2 }), { n: 2 }],
    ["clear", (ctx: Context) => ctx.store.clear(), {}],
  ])("keeps a forgotten `%s` that waits behind a slow edit", async (_, write, expected) => {
    const { flow } = flowOf(async (ctx) => {
      await ctx.store.set("n", 1);
      void ctx.store.editState(async () => settle());
      void write(ctx);
    });

    expect(await flow.run()).toEqual({ attempts: 1, state: expected });
  });

  it("waits for what `forEach(async …)` does with the store, one write after another", async () => {
    const { flow } = flowOf((ctx) => {
      ["a", "b", "c"].forEach(async (name) => {
        const sum = Number(await ctx.store.get("sum", 0));
        await ctx.store.set(name, sum);
        await ctx.store.editState((state) => void (state["sum"] = Number(state["sum"] ?? 0) + 1));
      });
    });

    expect(await flow.run()).toEqual({ attempts: 1, state: { a: 0, b: 0, c: 0, sum: 3 } });
  });

  it("keeps the writes of a step method of a class that is no async function", async () => {
    class Forgetful extends Workflow {
      @step({ on: StartEvent, emits: Done })
      work(_: StartEvent, ctx: Context) {
        for (const name of ["a", "b", "c"]) void ctx.store.set(name, true);
        return new Done({ seen: null });
      }
      @step({ on: Done, emits: StopEvent })
      async look(_: Done, ctx: Context) {
        return stopped(await ctx.store.get());
      }
    }

    expect(await new Forgetful().run()).toEqual({ a: true, b: true, c: true });
  });

  it("has its effects at work finished and stored", async () => {
    const done: string[] = [];
    const { flow } = flowOf((ctx) => {
      ["a", "b"].forEach(async (name) => {
        await ctx.run(name, () => settle().then(() => done.push(name)));
        await ctx.store.set(name, "done");
      });
    });

    expect(await flow.run()).toEqual({ attempts: 1, state: { a: "done", b: "done" } });
    expect(done).toEqual(["a", "b"]);
  });

  it("counts the event of a forgotten `collectEvents`, also while it is being stored", async () => {
    let count = 0;
    const flow = defineWorkflow("sets")
      .step("start", { on: StartEvent, emits: [Item, StopEvent] }, async (_, ctx) => {
        for (const n of [1, 2]) ctx.sendEvent(new Item({ n }));
      })
      .step("gather", { on: Item, emits: StopEvent, workers: 1 }, async (item, ctx) => {
        const set = ctx.collectEvents(item, [Item, Item]);
        return ++count < 2 ? null : stopped((await set)?.map(({ n }) => n));
      })
      .build();
    withVirtualClock(flow, { journal: { append: () => settle() } });

    expect(await flow.run()).toEqual([1, 2]);
  });

  it("gives up what it waits for: a lost race holds nobody up", async () => {
    const errors: unknown[] = [];
    const { flow } = flowOf(async (ctx) => {
      ctx.waitForEvent(Answer).catch((error) => errors.push(error));
      void ctx.sleep("1h");
    });
    const clock = withVirtualClock(flow);

    expect(await flow.run()).toEqual({ attempts: 1, state: {} });
    expect(errors).toEqual([expect.objectContaining({ code: "ATTEMPT_ENDED" })]);
    expect(clock.pending).toBe(0);
  });

  it("is not held up by writes of another step", async () => {
    const held = gate();
    const flow = defineWorkflow("two")
      .step("start", { on: StartEvent, emits: [Item, Done] }, async (_, ctx) => {
        ctx.sendEvent(new Item({ n: 1 }));
        await ctx.sleep(1);
        return new Done({ seen: 1 });
      })
      .step("slow", { on: Item }, async (_, ctx) => ctx.store.editState(() => held.promise))
      .step("end", { on: Done, emits: StopEvent }, async () => stopped("ended"))
      .build();

    expect(await flow.run()).toBe("ended");
    held.open();
  });

  it("says in the log when a call came after it and nobody looks at its promise", async () => {
    const { flow, log } = flowOf((ctx) => void settle().then(() => void ctx.store.set("late", 1)));

    expect(await flow.run()).toEqual({ attempts: 1, state: {} });
    await settle();
    await settle();

    expect(log.lines).toEqual(['A call of step "work" came too late.']);
    expect(log.errors).toEqual([expect.objectContaining({ code: "ATTEMPT_ENDED" })]);
  });
});

describe("a call that fails and that nobody awaits", () => {
  const failures: readonly (readonly [string, string, (ctx: Context) => unknown])[] = [
    ["a `set` with a forbidden path", "OPTION_INVALID", (ctx) => ctx.store.set("a.__proto__", 1)],
    ["a `set` of what cannot be stored", "VALUE_UNSERIALIZABLE", (ctx) => ctx.store.set("a", () => {})],
    ["a `setState` of no record", "STATE_INVALID", (ctx) => ctx.store.setState(5 as never)],
    ["a `run` whose result cannot be stored", "VALUE_UNSERIALIZABLE", (ctx) => ctx.run("a", () => () => {})],
    ["a `sleep` of no length", "OPTION_INVALID", (ctx) => ctx.sleep("soon" as never)],
    ["a wait for an event that the step does not list", "EVENT_UNDECLARED", (ctx) => ctx.waitForEvent(Item)],
    ["a child that the workflow does not have", "OPTION_INVALID", (ctx) => ctx.runChild("none")],
  ];

  it.each(failures)("fails the step: %s", async (_, code, call) => {
    const { flow } = flowOf((ctx) => void call(ctx));

    expect(await rejection(flow.run())).toMatchObject({ code });
  });

  it.each(failures)("fails the step also when it does something else in between: %s", async (_, code, call) => {
    const { flow } = flowOf(async (ctx) => {
      void call(ctx);
      await settle();
    });

    expect(await rejection(flow.run())).toMatchObject({ code });
  });

  it.each(failures)("does not, where the step handles it: %s", async (_, __, call) => {
    const { flow } = flowOf(async (ctx) => {
      await Promise.allSettled([call(ctx)]);
      void (call(ctx) as Promise<unknown>).catch(() => {});
      try {
        await call(ctx);
      } catch {
        // that is the point
      }
    });

    expect(await flow.run()).toMatchObject({ attempts: 1 });
  });

  it("is retried as any failure of the step, and what was written stays", async () => {
    const { flow } = flowOf((ctx, attempt) => {
      void ctx.store.set("a", 1);
      if (attempt === 1) void ctx.store.set("b", () => {});
    });

    expect(await flow.run()).toEqual({ attempts: 2, state: { a: 1 } });
  });

  it("fails the step also inside an edit", async () => {
    const { flow } = flowOf(
      async (ctx) => {
        await ctx.store.editState(async () => void ctx.store.clear());
      },
      { retry: once },
    );

    expect(await rejection(flow.run())).toMatchObject({ code: "STATE_LOCKED" });
  });

  it("is the error that an edit has thrown", async () => {
    const { flow } = flowOf((ctx) => {
      void ctx.store.editState(() => {
        throw new RangeError("out of stock");
      });
    });

    expect(await rejection(flow.run())).toEqual(new RangeError("out of stock"));
  });
});

describe("a write of the caller of a run", () => {
  it("counts, where nobody awaits it before the run starts, or before a snapshot", async () => {
    const { flow } = flowOf(() => {});
    const [context, other] = [new Context(flow), new Context(flow)];

    for (const { store } of [context, other]) {
      void store.set("a" as never, 1 as never);
      void store.editState((state: Record<string, unknown>) => void (state["b"] = 2));
    }
    const restored = Context.fromDict(flow, other.toDict());

    expect(await flow.run({}, { context })).toMatchObject({ state: { a: 1, b: 2 } });
    expect(await restored.store.get()).toEqual({ a: 1, b: 2 });
  });

  it("that is not done refuses the start of the run that would lose it", async () => {
    const { flow } = flowOf(() => {});
    const context = new Context(flow);

    const edit = context.store.editState(async (state: Record<string, unknown>) => {
      await settle();
      state["a"] = 1;
    });
    const start = () => flow.run({}, { context });

    expect(start).toThrow(expect.objectContaining({ code: "STATE_LOCKED" }));
    await edit;
    expect(await start()).toMatchObject({ state: { a: 1 } });
  });

  it("goes to the log when it fails and nobody awaits it", async () => {
    const { flow, log } = flowOf(() => {});
    const context = new Context(flow);

    void context.store.set("a" as never, (() => {}) as never);
    await rejection(context.store.set("b" as never, (() => {}) as never));
    await settle();

    expect(log.lines).toEqual([`A write to the state of run "${context.runId}" has failed.`]);
    expect(log.errors).toEqual([expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" })]);
  });
});

describe("a step that throws", () => {
  it("keeps the writes that it had asked for, and fails with its own error", async () => {
    const { flow } = flowOf((ctx, attempt) => {
      ["a", "b"].forEach(async (name) => {
        await ctx.store.set(name, attempt);
        await ctx.store.set(`${name}${name}`, attempt);
      });
      if (attempt === 1) throw new Error("again");
    });

    expect(await flow.run()).toEqual({ attempts: 2, state: { a: 2, aa: 2, b: 2, bb: 2 } });
  });

  it("fails with its own error, not with that of a forgotten write", async () => {
    const { flow } = flowOf((ctx) => {
      void ctx.store.set("a", () => {});
      throw new Error("my own");
    });

    expect(await rejection(flow.run())).toEqual(new Error("my own"));
  });

  it("tells its effects at once, stores those that succeed, and does not do them again", async () => {
    const calls: string[] = [];
    const { flow } = flowOf(async (ctx, attempt) => {
      const slow = ctx.run("slow", async ({ signal }) => {
        calls.push("slow");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return "stopped early";
      });
      if (attempt === 1) await Promise.all([slow, ctx.run("bad", () => Promise.reject(new Error("bad")))]);
      calls.push(await slow);
    });

    await flow.run();

    expect(calls).toEqual(["slow", "stopped early"]);
  });
});

describe("a step that is ended", () => {
  it("by its time limit loses the writes that were not done, and counts those that were", async () => {
    const { flow } = flowOf(
      async (ctx, attempt) => {
        if (attempt === 2) return;
        void ctx.store.set("a", 1);
        void ctx.store.editState(() => new Promise(() => {}));
        void ctx.store.set("b", 1);
      },
      { timeout: 10 },
    );
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(10);

    expect(await handler).toEqual({ attempts: 2, state: { a: 1 } });
  });

  it("because its run leaves memory leaves its writes and effects unsettled: the step runs again", async () => {
    const settledCalls: string[] = [];
    const { flow } = flowOf((ctx) => {
      const { store } = ctx;
      const calls = [store.editState(() => new Promise(() => {})), store.set("a", 1), ctx.run("b", () => settle())];
      calls.forEach(async (call, index) => {
        await call.finally(() => settledCalls.push(`call ${index}`));
      });
    });
    const failing = { append: (_: string, ticks: readonly { type: string }[]) => storeUntil(ticks) };
    withVirtualClock(flow, { journal: failing });
    const handler = flow.run();

    await handler.catch(() => {});
    await settle();
    await settle();

    expect(settledCalls).toEqual([]);
  });
});

/** Takes the start, and fails with all that comes then. */
async function storeUntil(ticks: readonly { readonly type: string }[]): Promise<void> {
  if (!ticks.some(({ type }) => type === "run.started")) throw new Error("the disk is full");
}

describe("a generator", () => {
  it("has the writes before a `yield` done before its event is dispatched, and those before its end too", async () => {
    const flow = defineWorkflow("generator")
      .step("make", { on: StartEvent, emits: many(Item) }, async function* (_, ctx) {
        void ctx.store.editState(async () => settle());
        void ctx.store.set("made", 1);
        yield new Item({ n: 1 });
        void ctx.store.set("last", 1);
      })
      .step("work", { on: Item, emits: Done }, async (_, ctx) => new Done({ seen: await ctx.store.get() }))
      .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) =>
        stopped([all[0]?.seen, await ctx.store.get()]),
      )
      .build();

    expect(await flow.run()).toEqual([{ made: 1 }, { made: 1, last: 1 }]);
  });

  it("fails with a forgotten write that fails before a `yield`", async () => {
    const flow = defineWorkflow("generator")
      .step("make", { on: StartEvent, emits: many(Item) }, async function* (_, ctx) {
        void ctx.store.set("made", () => {});
        yield new Item({ n: 1 });
      })
      .step("end", { on: collect(Item), emits: StopEvent }, async (all) => stopped(all.length))
      .build();

    expect(await rejection(flow.run())).toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
  });
});
