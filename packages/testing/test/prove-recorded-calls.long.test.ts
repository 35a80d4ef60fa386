/** What the functions of `ctx.run` and `editState` do through `ctx` counts once, wherever the process is killed. */
import {
  type Context,
  collect,
  defineWorkflow,
  type EffectCall,
  event,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { proveDurable, proveResumable } from "../src/index.js";

class X extends event("X", { n: z.number() }) {}
class Done extends event("Done", {}) {}
class Word extends event("Word", { text: z.string() }) {}

const state = { edits: z.number().default(0), total: z.number().default(0) };
type Ctx = Context<{ edits: number; total: number }>;

function flowOf(work: (ctx: Ctx) => Promise<unknown>) {
  return defineWorkflow("recorded", { state })
    .step("work", { on: StartEvent, emits: many(X), streams: Word }, async (_ev, ctx) => {
      await work(ctx as never);
      return [];
    })
    .step("take", { on: X, emits: Done }, async ({ n }, ctx) => {
      await ctx.store.editState((draft) => void (draft.total += n));
      return new Done({});
    })
    .step("end", { on: collect(Done), emits: StopEvent }, async (all, ctx) => {
      return new StopEvent({ result: { came: all.length, ...(await ctx.store.getState()) } });
    })
    .build();
}

const works: Record<string, (ctx: Ctx) => Promise<unknown>> = {
  "a send in ctx.run": async (ctx) => {
    await ctx.run("pay", () => ctx.sendEvent(new X({ n: 1 })));
    await ctx.run("next", () => 3);
  },
  "a send after an await in ctx.run": (ctx) =>
    ctx.run("pay", async (call: EffectCall) => {
      await null;
      ctx.sendEvent(new X({ n: 1 }));
      call.sendEvent(new X({ n: 2 }));
    }),
  "a send at once in ctx.run": (ctx) => ctx.run("pay", () => ctx.sendEvent(new X({ n: 1 }), { immediate: true })),
  "a send in editState": (ctx) =>
    ctx.store.editState((draft) => {
      draft.edits++;
      ctx.sendEvent(new X({ n: 1 }));
    }),
  "edits and words in ctx.run": (ctx) =>
    ctx.run("pay", async () => {
      await ctx.store.editState((draft) => void draft.edits++);
      await ctx.store.set("total", 0);
      ctx.writeEventToStream(new Word({ text: "paid" }));
    }),
  "calls with one key in scopes": (ctx) =>
    Promise.all(
      [ctx, ctx.scope("a"), ctx.scope("b").scope("a")].map((scope, n) =>
        scope.run("pay", async () => {
          await scope.store.editState((draft) => void draft.edits++, { key: "edit" });
          scope.sendEvent(new X({ n }), { key: "send" });
        }),
      ),
    ),
  "two calls at the same time": (ctx) =>
    Promise.all(
      [1, 2].map((n) =>
        ctx.run(`pay ${n}`, async () => {
          await ctx.store.editState((draft) => void draft.edits++);
          ctx.sendEvent(new X({ n }));
        }),
      ),
    ),
};

/** Later than any attempt that a kill can take. */
const later = retryPolicy({ wait: wait.fixed(5), stop: stop.never });

Object.assign(works, {
  "a call that fails twice and edits": (ctx) =>
    ctx.run(
      "pay",
      async ({ attempt }) => {
        await ctx.store.editState((draft) => void draft.edits++);
        await ctx.store.editState((draft) => void draft.edits++, { key: "second" });
        ctx.sendEvent(new X({ n: 1 }));
        if (attempt < 3) throw new Error("not yet");
      },
      { retry: later, timeout: "1h", label: "Pay" },
    ),
  "a call that ends with an edit": (ctx) =>
    ctx.run(
      "pay",
      (call) =>
        call.finish((draft) => {
          draft.edits++;
          ctx.sendEvent(new X({ n: draft.edits }));
          if (call.attempt < 2) throw new Error("not yet");
          return draft.edits;
        }),
      { retry: later },
    ),
  "a call that gives up, beside one that waits": async (ctx) => {
    const failing = (last: number) =>
      ctx.run(
        `pay ${last}`,
        ({ attempt }) => {
          if (attempt < last) throw new Error("not yet");
        },
        { retry: retryPolicy({ wait: wait.fixed(5), stop: last > 9 ? stop.afterAttempts(2) : stop.never }) },
      );
    const settled = await Promise.allSettled([failing(99), failing(3)]);
    ctx.sendEvent(new X({ n: settled[0].status === "rejected" ? 1 : 2 }));
  },
} satisfies typeof works);

it.each(Object.keys(works))("%s counts once, wherever a run is killed", async (name) => {
  const proof = await proveResumable(() => flowOf(works[name] as never), {});

  expect(proof.crashes).toBeGreaterThan(3);
});

it.each(Object.keys(works))("%s counts once, wherever the process of a runtime is killed", async (name) => {
  const log = { info() {}, error() {} };
  const proof = await proveDurable(() => {
    const store = memoryStore();
    return {
      open: (mortal) =>
        createRuntime({ workflows: { recorded: flowOf(works[name] as never) }, store: mortal(store), log }),
      run: (runtime) => Promise.resolve(runtime.run("recorded", {}, { runId: "one" })),
    };
  });

  expect(proof.writes).toBeGreaterThan(2);
});
