import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
} from "millrace";
import { createRuntime, memoryStore, type Runtime, type Workflows } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type DurableWorld, proveDurable } from "../src/index.js";

const log = { info() {}, error() {} };
const open = (workflows: Workflows): DurableWorld<Runtime>["open"] => {
  const store = memoryStore();
  return (mortal) => createRuntime({ workflows, store: mortal(store), log });
};

class Paid extends event("Paid", { times: z.number() }) {}
class Booked extends event("Booked") {}

/** Pays through `ctx.run`, or beside it. */
function shop(pay: (key: string) => number, isOnce: boolean) {
  return defineWorkflow("shop")
    .step("pay", { on: StartEvent, emits: Paid }, async (_ev, ctx) => {
      if (!isOnce) return new Paid({ times: pay("beside") });
      return new Paid({ times: await ctx.run("pay", ({ idempotencyKey }) => pay(idempotencyKey)) });
    })
    .step("end", { on: Paid, emits: StopEvent }, ({ times }) => new StopEvent({ result: times }))
    .build();
}

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

/** A parent whose child asks. */
function asking() {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({}) });
      return new StopEvent({ result: text });
    })
    .build();
  return defineWorkflow("asks", { children: { child } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("child", {}) });
    })
    .build();
}

/** Books in branches that end with an edit. */
function ledger() {
  return defineWorkflow("ledger", {
    state: { total: z.number().default(0), booked: z.array(z.number()).default(() => []) },
  })
    .step("split", { on: StartEvent, emits: many(Paid) }, () => [1, 2, 3].map((times) => new Paid({ times })))
    .step("book", { on: Paid, emits: Booked }, async ({ times }, ctx) => {
      if (times === 2) await ctx.store.editState((state) => void (state.total += 100));
      return ctx.finish((state) => {
        state.total += times;
        state.booked.push(times);
        return new Booked();
      });
    })
    .step("end", { on: collect(Booked), emits: StopEvent }, async (all, ctx) => {
      const { total, booked } = await ctx.store.getState();
      return new StopEvent({ result: [all.length, total, booked.toSorted()] });
    })
    .build();
}

/** What an account was asked for: once for each key. */
function account(isStrict: boolean): (key: string) => number {
  const payments: string[] = [];
  return (key) => {
    if (!isStrict || !payments.includes(key)) payments.push(key);
    return payments.length;
  };
}

describe("proveDurable", () => {
  it("kills a process at every write, stops one there, and another one comes to the same end", async () => {
    const proof = await proveDurable(() => ({
      open: open({ shop: shop(account(true), true) }),
      run: (runtime) => Promise.resolve(runtime.run("shop", {}, { runId: "one" })),
    }));

    expect(proof.writes).toBeGreaterThan(2);
    expect(proof.deaths).toBeGreaterThan(proof.writes);
    expect(proof.stops).toBe(proof.writes);
  });

  it("holds for steps that end with an edit: it counts once, with what the step gives", async () => {
    const proof = await proveDurable(() => ({
      open: open({ ledger: ledger() }),
      run: (runtime) => Promise.resolve(runtime.run("ledger", {}, { runId: "one" })),
    }));

    expect(proof.writes).toBeGreaterThan(2);
  });

  it("finds out what happens twice, and says with which write, whatever one process stores in one write and the next in two", async () => {
    for (let round = 0; round < 30; round++) {
      const proof = proveDurable(() => ({
        open: open({ shop: shop(account(false), false) }),
        run: (runtime) => Promise.resolve(runtime.run("shop", {}, { runId: "one" })),
      }));

      await expect(proof).rejects.toMatchObject({
        code: "RESUME_DIVERGED",
        details: { at: expect.any(Number), isStored: false, expected: "1", actual: "2" },
      });
    }
  });

  it("finds out a caller that names no run: the next one starts another", async () => {
    const asked: string[] = [];
    const proof = proveDurable(() => ({
      open: open({ shop: shop(account(true), true) }),
      run: async (runtime) => {
        const handle = runtime.run("shop", {});
        asked.push(handle.runId);
        await handle;
        return (await runtime.runs()).runs.length;
      },
    }));

    await expect(proof).rejects.toMatchObject({ code: "RESUME_DIVERGED", details: { expected: "1", actual: "2" } });
  });

  it("has answers of people in it, and whatever the caller does besides", async () => {
    const asks = defineWorkflow("asks")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
        const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({}) });
        return new StopEvent({ result: text });
      })
      .build();

    const proof = await proveDurable(() => ({
      open: open({ asks }),
      run: async (runtime) => {
        const handle = runtime.run("asks", {}, { runId: "one" });
        const outcome = await handle.idle();
        if (outcome.status === "waiting") await handle.answer(outcome.prompts[0]?.promptId ?? "", { text: "yes" });
        return [await handle, (await runtime.runs()).runs.map(({ status }) => status)];
      },
    }));

    expect(proof.deaths).toBeGreaterThan(3);
  });

  it.each([{ idleReleaseMs: 10_000 }, { idleReleaseMs: 0 }])(
    "has children in it, processes that are stopped, and waits that leave memory after $idleReleaseMs ms",
    async (options) => {
      const proof = await proveDurable(() => {
        const store = memoryStore();
        return {
          open: (mortal) => createRuntime({ workflows: { asks: asking() }, store: mortal(store), log, ...options }),
          run: async (runtime) => {
            const handle = runtime.run("asks", {}, { runId: "one" });
            const outcome = await handle.idle();
            const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];
            if (prompt) await handle.answer(prompt.promptId, { text: "yes" }, { key: "click" });
            return await handle;
          },
        };
      });

      expect(proof.stops).toBe(proof.writes);
      expect(proof.deaths).toBeGreaterThan(proof.writes);
    },
  );

  it("says so when a process that is stopped tells its caller nothing", async () => {
    const proof = proveDurable(
      () => ({
        open: open({ shop: shop(account(true), true) }),
        run: async (runtime) => {
          const handle = runtime.run("shop", {}, { runId: "one" });
          return new Promise((resolve) => handle.then(resolve, () => {})); // whoever waits is not told that it stops
        },
      }),
      { timeout: 3_000 },
    );

    await expect(proof).rejects.toMatchObject({
      code: "RESUME_DIVERGED",
      details: { how: "stopped" },
      cause: { code: "RUN_STUCK" },
    });
  });

  it("has a time limit of its own, also for a process that nothing happens to", async () => {
    const proof = proveDurable(
      () => ({ open: open({ shop: shop(account(true), true) }), run: () => new Promise(() => {}) }),
      { timeout: "50ms" },
    );

    await expect(proof).rejects.toMatchObject({ code: "RUN_STUCK", details: { limitMs: 50 } });
  });

  it("dies where it is told to, and nowhere is a mistake", async () => {
    const world = () => ({
      open: open({ shop: shop(account(true), true) }),
      run: (runtime: Runtime) => Promise.resolve(runtime.run("shop", {}, { runId: "one" })),
    });

    expect((await proveDurable(world, { at: 2 })).deaths).toBe(2);
    await expect(proveDurable(world, { at: 999 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("asks whoever compares whether an end is as good", async () => {
    const { deaths } = await proveDurable(
      () => ({
        open: open({ shop: shop(account(false), false) }),
        run: (runtime) => Promise.resolve(runtime.run("shop", {}, { runId: "one" })),
      }),
      { compare: (expected, actual) => expected === 1 && [1, 2].includes(actual as number) },
    );

    expect(deaths).toBeGreaterThan(2);
  });
});
