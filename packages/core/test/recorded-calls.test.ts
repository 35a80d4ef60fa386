/** What the functions of `ctx.run` and `editState` do through `ctx`: part of the record of their call, or refused. */
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  Context,
  collect,
  defineWorkflow,
  type EffectCall,
  ExternalEvent,
  event,
  HumanResponseEvent,
  join,
  many,
  retryPolicy,
  StartEvent,
  StepRestartedEvent,
  StopEvent,
  type StreamedEvent,
  stop,
  wait,
} from "../src/index.js";
import { gate, rejection } from "./support/runs.js";
import { wordsThatCount } from "./support/words.js";

class X extends event("X", { n: z.number() }) {}
class Got extends event("Got", {}) {}
class Done extends event("Done", {}) {}
class Word extends event("Word", { text: z.string() }) {}
class Go extends HumanResponseEvent.define("Go", {}) {}
class Poke extends ExternalEvent.define("Poke", {}) {}

type State = { edits: number; got: number; last: number };
type Ctx = Context<State>;
const state = { edits: z.number().default(0), got: z.number().default(0), last: z.number().default(0) };
const again = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(5) });

/** A step that does something and returns `Done`; what it sends is counted in the state, and the run ends when both have come. */
function counting(work: (ctx: Ctx) => Promise<unknown>) {
  return defineWorkflow("counting", { state })
    .step(
      "work",
      { on: StartEvent, emits: [X, Done], streams: Word, waits: [Go, Poke], retry: again },
      async (_ev, ctx) => {
        await work(ctx as never);
        return new Done({});
      },
    )
    .step("take", { on: X, emits: Got }, async (_ev, ctx) => {
      await ctx.store.editState((draft) => void draft.got++);
      return new Got({});
    })
    .step("end", { on: join({ got: Got, done: Done }), emits: StopEvent }, async (_set, ctx) => {
      return new StopEvent({ result: (await ctx.store.getState()) as State });
    })
    .build();
}

const sends: Record<string, (ctx: Ctx, call: EffectCall | null) => unknown> = {
  "ctx.sendEvent": (ctx) => ctx.sendEvent(new X({ n: 1 })),
  "ctx.sendEvent after an await": async (ctx) => {
    await null;
    ctx.sendEvent(new X({ n: 1 }));
  },
  "call.sendEvent": (ctx, call) => (call ?? ctx).sendEvent(new X({ n: 1 })),
  "ctx.sendEvent at once": (ctx) => ctx.sendEvent(new X({ n: 1 }), { immediate: true }),
  "ctx.sendEvent with a key": (ctx) => ctx.sendEvent(new X({ n: 1 }), { key: "a/b" }),
};
type Send = (ctx: Ctx, call: EffectCall | null) => unknown;

const places: Record<string, (ctx: Ctx, send: Send) => Promise<unknown>> = {
  "ctx.run": (ctx, send) => ctx.run("pay/1", (call) => send(ctx, call)),
  editState: (ctx, send) =>
    ctx.store.editState(async (draft) => {
      draft.edits++;
      await send(ctx, null);
    }),
  "editState inside ctx.run": (ctx, send) =>
    ctx.run("pay", () =>
      ctx.store.editState(async (draft) => {
        draft.edits++;
        await send(ctx, null);
      }),
    ),
};
const cases = Object.keys(places).flatMap((place) => Object.keys(sends).map((send) => [send, place] as const));

describe("what a recorded function sends", () => {
  it.each(cases)("by %s in %s arrives once when the attempt fails later", async (send, place) => {
    let attempts = 0;
    const flow = counting(async (ctx) => {
      await places[place]?.(ctx, sends[send] as Send);
      if (++attempts < 3) throw new Error("fails later");
    });

    expect(await flow.run({})).toMatchObject({ got: 1 });
    expect(attempts).toBe(3);
  });

  it.each(cases)("by %s in %s arrives once when the process is gone before the step ends", async (send, place) => {
    let hold = true;
    const held = gate();
    const flow = counting(async (ctx) => {
      await places[place]?.(ctx, sends[send] as Send);
      if (!hold) return;
      held.open();
      await new Promise(() => {});
    });
    const first = flow.run({});
    await held.promise;
    const snapshot = JSON.parse(JSON.stringify(first.context.toDict()));
    hold = false;

    expect(await flow.resume(Context.fromDict(flow, snapshot))).toMatchObject({ got: 1 });
  });

  it.each(Object.keys(places))("in %s is dropped when the function fails", async (place) => {
    const flow = counting(async (ctx) => {
      const failing = (): never => {
        ctx.sendEvent(new X({ n: 1 }));
        throw new Error("this call fails");
      };
      expect((await rejection(places[place]?.(ctx, failing) as Promise<unknown>)).message).toBe("this call fails");
      await ctx.run("second", () => ctx.sendEvent(new X({ n: 2 })));
    });

    expect(await flow.run({})).toMatchObject({ got: 1, edits: 0 });
  });

  it("leaves when the result is recorded, before the step ends", async () => {
    const flow = counting(async (ctx) => {
      const taken = ctx.run("pay", () => void ctx.sendEvent(new X({ n: 1 })));
      await taken;
      await expect.poll(async () => (await ctx.store.getState()).got).toBe(1);
    });

    expect(await flow.run({})).toMatchObject({ got: 1 });
  });

  it("is told apart in calls that work at the same time, in whatever order they end", async () => {
    let attempts = 0;
    const flow = defineWorkflow("parallel", { state: { seen: z.array(z.number()).default([]) } })
      .step("work", { on: StartEvent, emits: [X, Done], retry: again }, async (_ev, ctx) => {
        const isFirst = attempts++ === 0;
        const slow = gate();
        await Promise.all([
          ctx.run("a", async () => {
            if (isFirst) await slow.promise;
            ctx.sendEvent(new X({ n: 1 }));
            if (isFirst) throw new Error("the slow call fails");
          }),
          ctx.run("b", () => ctx.sendEvent(new X({ n: 2 }))).then(() => slow.open()),
        ]);
        return new Done({});
      })
      .step("take", { on: X, emits: [] }, async ({ n }, ctx) => {
        await ctx.store.editState((draft) => void draft.seen.push(n));
        return null;
      })
      .step("end", { on: Done, emits: StopEvent }, async (_ev, ctx) => {
        await expect.poll(async () => (await ctx.store.getState()).seen.length).toBe(2);
        return new StopEvent({ result: [...(await ctx.store.getState()).seen].sort() });
      })
      .build();

    expect(await flow.run({})).toEqual([1, 2]);
    expect(attempts).toBe(2);
  });

  it("may be elements of the fan-out of its step", async () => {
    let attempts = 0;
    const flow = defineWorkflow("fanned")
      .step("work", { on: StartEvent, emits: many(X), retry: again }, async (_ev, ctx) => {
        await ctx.run("list", () => {
          for (const n of [1, 2, 3]) ctx.sendEvent(new X({ n }));
        });
        if (attempts++ === 0) throw new Error("fails later");
        return [new X({ n: 4 })];
      })
      .step("all", { on: collect(X), emits: StopEvent }, (all) => new StopEvent({ result: all.map(({ n }) => n) }))
      .build();

    expect(await flow.run({})).toEqual([1, 2, 3, 4]);
  });
});

describe("what a recorded function writes to the state", () => {
  const writes: Record<string, (ctx: Ctx) => Promise<unknown>> = {
    editState: (ctx) => ctx.store.editState((draft) => ++draft.edits),
    "editState with a key": (ctx) => ctx.store.editState((draft) => ++draft.edits, { key: "count" }),
    set: (ctx) => ctx.store.set("edits", 1),
  };

  it.each(Object.keys(writes))("by %s counts once, however often the function runs", async (write) => {
    let calls = 0;
    const flow = counting(async (ctx) => {
      await ctx.run("pay", async () => {
        await writes[write]?.(ctx);
        if (++calls < 3) throw new Error("fails after the write");
        ctx.sendEvent(new X({ n: 1 }));
      });
      await ctx.store.editState((draft) => void draft.last++);
    });

    expect(await flow.run({})).toEqual({ edits: 1, got: 1, last: 1 });
    expect(calls).toBe(3);
  });

  it("in two calls at the same time counts once each, in whatever order they come the next time", async () => {
    let attempts = 0;
    const flow = counting(async (ctx) => {
      const isFirst = attempts++ === 0;
      const other = gate();
      const add = async (amount: number, isLate: boolean): Promise<void> => {
        if (isLate) await other.promise;
        if (isFirst && isLate) throw new Error("fails before the write");
        await ctx.store.editState((draft) => void (draft.edits += amount));
        other.open();
        if (isFirst) throw new Error("fails after the write");
      };
      const all = await Promise.allSettled([
        ctx.run("a", () => add(1, isFirst)),
        ctx.run("b", () => add(10, !isFirst)),
      ]);
      if (all.some(({ status }) => status === "rejected")) throw new Error("again");
      ctx.sendEvent(new X({ n: 1 }));
    });

    expect(await flow.run({})).toMatchObject({ edits: 11 });
  });

  it("is not reported as work that a later attempt did not ask for", async () => {
    const diverged: string[] = [];
    let attempts = 0;
    const flow = counting(async (ctx) => {
      await ctx.run("pay/x", async () => {
        await ctx.store.editState((draft) => void draft.edits++);
        ctx.sendEvent(new X({ n: 1 }));
      });
      if (attempts++ === 0) throw new Error("fails later");
    });
    flow.on("step.diverged", ({ calls }) => void diverged.push(...calls));

    await flow.run({});
    expect(diverged).toEqual([]);
  });
});

describe("a call inside the function of ctx.run", () => {
  const nested: Record<string, (ctx: Ctx) => unknown> = {
    waitForEvent: (ctx) => ctx.waitForEvent(Go as never),
    sleep: (ctx) => ctx.sleep("1h"),
    runChild: (ctx) => (ctx.runChild as (name: string) => Promise<unknown>)("child"),
    collectEvents: (ctx) => ctx.collectEvents(new X({ n: 1 }), [X]),
    run: (ctx) => ctx.run("inner", () => 1),
    finish: (ctx) => ctx.finish(() => new Done({})),
  };

  it.each(Object.keys(nested))("as ctx.%s is refused", async (name) => {
    const flow = counting(async (ctx) => {
      const now = await rejection(ctx.run("now", () => nested[name]?.(ctx)));
      const later = await rejection(
        ctx.run("later", async () => {
          await null;
          await nested[name]?.(ctx);
        }),
      );
      expect([now, later]).toMatchObject(Array(2).fill({ code: "CALL_INVALID", details: { reason: "nested" } }));
      expect(now.message).toBe(`Step "work" calls \`ctx.${name}\` inside the function of \`ctx.run("now", …)\`.`);
      ctx.sendEvent(new X({ n: 1 }));
    });

    expect(await flow.run({})).toMatchObject({ got: 1 });
  });

  it("fails the step when the function does not await it", async () => {
    const flow = counting((ctx) => ctx.run("pay", () => void ctx.sleep("1h")));

    expect(await rejection(flow.run({}))).toMatchObject({ code: "CALL_INVALID" });
  });

  it("is a call of the step once the function has returned", async () => {
    const flow = counting(async (ctx) => {
      let late: Promise<unknown> = Promise.resolve();
      const returned = gate();
      await ctx.run("pay", () => {
        late = returned.promise.then(() => ctx.run("late", () => 2));
      });
      returned.open();
      expect(await late).toBe(2);
      ctx.sendEvent(new X({ n: 1 }));
    });

    expect(await flow.run({})).toMatchObject({ got: 1 });
  });
});

describe("words streamed inside a recorded call", () => {
  const say = (ctx: Pick<Ctx, "writeEventToStream">, text: string): void => ctx.writeEventToStream(new Word({ text }));

  function talking(after: () => void) {
    return counting(async (ctx) => {
      say(ctx, "step");
      await ctx.run("ask", async (call) => {
        say(ctx, "a");
        await null;
        say(ctx, "b");
        say(call, "c");
      });
      await ctx.store.editState((draft) => {
        draft.edits++;
        say(ctx, "edit");
      });
      ctx.sendEvent(new X({ n: 1 }));
      after();
    });
  }

  it("stay when the step starts over, and its other words come again", async () => {
    let attempts = 0;
    const flow = talking(() => {
      if (++attempts < 3) throw new Error("fails later");
    });
    const items = await flow.run({}).streamEvents().toArray();

    const texts = items.flatMap(({ event: shown, call }) => (shown instanceof Word ? [[shown.text, call]] : []));
    expect(texts.slice(0, 5)).toEqual([
      ["step", undefined],
      ["a", "run=ask"],
      ["b", "run=ask"],
      ["c", "run=ask"],
      ["edit", "edit:#0"],
    ]);
    expect(texts.slice(5)).toEqual([
      ["step", undefined],
      ["step", undefined],
    ]);
    const restarts = items.flatMap(({ event: shown }) => (shown instanceof StepRestartedEvent ? [shown.kept] : []));
    expect(restarts).toEqual([
      ["run=ask", "edit:#0"],
      ["run=ask", "edit:#0"],
    ]);
    expect(wordsThatCount(items).sort()).toEqual(["a", "b", "c", "edit", "step"]);
  });

  it("stay for a reader that sees the run before and after a restore", async () => {
    const held = gate();
    let hold = true;
    const flow = counting(async (ctx) => {
      say(ctx, "step");
      await ctx.run("ask", () => say(ctx, "answer"));
      ctx.sendEvent(new X({ n: 1 }));
      if (!hold) return;
      held.open();
      await new Promise(() => {});
    });
    const first = flow.run({});
    await held.promise;
    const before: StreamedEvent[] = [];
    for await (const item of first.streamEvents().take(2)) before.push(item);
    const snapshot = JSON.parse(JSON.stringify(first.context.toDict()));
    hold = false;
    const after = await flow.resume(Context.fromDict(flow, snapshot)).streamEvents().toArray();

    expect(wordsThatCount([...before, ...after]).sort()).toEqual(["answer", "step"]);
  });

  it("of a call that did not finish are taken back", async () => {
    let calls = 0;
    const flow = counting(async (ctx) => {
      await ctx.run("ask", () => {
        say(ctx, `try ${++calls}`);
        if (calls < 3) throw new Error("breaks off");
      });
      ctx.sendEvent(new X({ n: 1 }));
    });

    expect(wordsThatCount(await flow.run({}).streamEvents().toArray())).toEqual(["try 3"]);
  });

  it("are told apart between children of one name, whose steps have the same ids", async () => {
    const tries = new Map<number, number>();
    const child = defineWorkflow("child")
      .step("talk", { on: StartEvent, emits: StopEvent, streams: Word, retry: again }, async (ev, ctx) => {
        const n = ev.get("n") as number;
        await ctx.run("ask", () => say(ctx, `kept ${n}`));
        say(ctx, `own ${n}`);
        tries.set(n, (tries.get(n) ?? 0) + 1);
        if (n === 1 && tries.get(n) === 1) throw new Error("fails later");
        return new StopEvent({ result: n });
      })
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("both", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.runChild(child, { n: 2 });
        await ctx.runChild(child, { n: 1 });
        return new StopEvent({ result: null });
      })
      .build();

    const items = await parent.run({}).streamEvents().toArray();
    expect(wordsThatCount(items).sort()).toEqual(["kept 1", "kept 2", "own 1", "own 2"]);
  });
});

// A browser: no async context to follow.
describe("without async context", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("what a function sends after an await arrives with the next record, once", async () => {
    vi.resetModules();
    vi.stubGlobal("process", { env: process.env });
    const core = await import("../src/index.js");
    class Sent extends core.event("Sent", { n: z.number() }) {}
    class Ended extends core.event("Ended", {}) {}
    const seen: number[] = [];
    let attempts = 0;
    const flow = core
      .defineWorkflow("browser")
      .step(
        "work",
        {
          on: core.StartEvent,
          emits: [Sent, Ended],
          retry: core.retryPolicy({ wait: core.wait.fixed(0), stop: core.stop.afterAttempts(3) }),
        },
        async (_ev: unknown, ctx: Context) => {
          await ctx.run("sync", () => ctx.sendEvent(new Sent({ n: 1 }) as never));
          await ctx.run("late", async (call) => {
            await null;
            ctx.sendEvent(new Sent({ n: 2 }) as never);
            call.sendEvent(new Sent({ n: 3 }) as never);
          });
          await ctx.store.editState(async () => {
            await null;
            ctx.sendEvent(new Sent({ n: 4 }) as never);
          });
          expect((await rejection(ctx.run("nested", () => ctx.sleep("1h")))).code).toBe("CALL_INVALID");
          if (attempts++ === 0) throw new Error("fails later");
          return new Ended({});
        },
      )
      .step("take", { on: Sent, emits: [] }, ({ n }: { n: number }) => void seen.push(n) as never)
      .step("end", { on: Ended, emits: core.StopEvent }, () => new core.StopEvent({ result: [...seen] }))
      .build();

    expect([...(await (flow.run({}) as unknown as Promise<number[]>))].sort()).toEqual([1, 2, 3, 4]);
  });
});
