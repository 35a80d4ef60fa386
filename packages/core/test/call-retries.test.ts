/** `ctx.run` with `retry`: attempts, their delays, and what a restore knows of them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  many,
  NonRetryableError,
  RetryAfterError,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  type WorkflowError,
  wait,
} from "../src/index.js";
import { failing, flowOf, Item, inMinutes } from "./support/failing-calls.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

describe("a call with `retry`", () => {
  it("is made again after the delay of its policy, with the same key and the next number", async () => {
    const keys = new Set<string>();
    const seen: number[] = [];
    const flow = flowOf((ctx) =>
      ctx.run(
        "pay",
        (call) => {
          keys.add(call.idempotencyKey);
          return failing(2, seen)(call);
        },
        { retry: inMinutes(5) },
      ),
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(59_999);
    const early = [...seen];
    await clock.advance(60_001);

    expect(await run).toBe(3);
    expect([early, seen]).toEqual([[1], [1, 2, 3]]);
    expect(keys.size).toBe(1);
  });

  it("rejects with the last error itself when the policy allows no other attempt", async () => {
    const fault = new RangeError("broken");
    const caught: unknown[] = [];
    const flow = flowOf(async (ctx) => {
      const call = ctx.run("pay", () => Promise.reject(fault), { retry: inMinutes(2) });
      await call.catch((error: unknown) => caught.push(error));
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(60_000);
    await run;

    expect(caught).toEqual([fault]);
    expect(caught[0]).toBe(fault);
  });

  it.each([
    ["NonRetryableError", new NonRetryableError("no"), [1], 0],
    ["RetryAfterError", new RetryAfterError("later", "2m"), [1, 2], 120_000],
    ["an error with `retryable: false`", Object.assign(new Error("no"), { retryable: false }), [1], 0],
  ])("obeys %s", async (_, error, attempts, afterMs) => {
    const seen: number[] = [];
    const flow = flowOf(async (ctx) => {
      const call = ctx.run(
        "pay",
        ({ attempt }) => {
          seen.push(attempt);
          throw error;
        },
        { retry: inMinutes(2) },
      );
      await rejection(call);
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(afterMs);
    await run;

    expect(seen).toEqual(attempts);
  });

  it("fails with the error of a policy that throws, which has the failure as its cause", async () => {
    const flow = flowOf((ctx) =>
      ctx.run("pay", failing(9), {
        retry: {
          next() {
            throw new TypeError("no policy");
          },
        },
      }),
    );

    const error = await rejection(flow.run({}));

    expect([error.message, (error.cause as Error).message]).toEqual(["no policy", "attempt 1 fails"]);
  });

  it("is told how often and how long it has failed, and has the same jitter in every process", async () => {
    const infos: { failures: number; elapsedMs: number; random: number }[] = [];
    const flow = flowOf((ctx) =>
      ctx.run("pay", failing(3), {
        retry: {
          next({ failures, elapsedMs, random }) {
            infos.push({ failures, elapsedMs, random });
            return 1_000;
          },
        },
      }),
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({}, { runId: "one" });
    await clock.advance(3_000);
    await run;
    const first = infos.splice(0);
    const again = flow.run({}, { runId: "one" });
    await clock.advance(3_000);
    await again;

    expect(first.map(({ failures, elapsedMs }) => [failures, elapsedMs])).toEqual([
      [1, 0],
      [2, 1_000],
      [3, 2_000],
    ]);
    expect(infos).toEqual(first);
    expect(new Set(first.map(({ random }) => random)).size).toBe(3);
  });

  it("goes on at once with a delay of 0, without giving up its slot", async () => {
    const seen: number[] = [];
    const flow = flowOf((ctx) =>
      ctx.run("pay", failing(3, seen), { retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(4) }) }),
    );

    expect(await flow.run({})).toBe(4);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("begins its count anew when the step is retried, and counts its attempts on", async () => {
    const seen: number[] = [];
    const flow = flowOf((ctx) => ctx.run("pay", failing(3, seen), { retry: inMinutes(2) }), {
      step: { retry: inMinutes(2) },
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(180_000);

    expect(await run).toBe(4);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("sends and edits once, whichever attempt succeeds", async () => {
    const flow = defineWorkflow("once", { state: { edits: z.number().default(0), got: z.number().default(0) } })
      .step("work", { on: StartEvent, emits: [Item] }, async (_start, ctx) => {
        await ctx.run(
          "pay",
          async (call) => {
            await ctx.store.editState((draft) => void draft.edits++);
            await ctx.store.editState((draft) => void draft.edits++, { key: "second" });
            ctx.sendEvent(new Item({ n: call.attempt }));
            failing(2)(call);
          },
          { retry: inMinutes(5) },
        );
      })
      .step("take", { on: Item, emits: StopEvent }, async ({ n }, ctx) => {
        await ctx.store.editState((draft) => void draft.got++);
        return new StopEvent({ result: { n, ...(await ctx.store.getState()) } });
      })
      .build();
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(120_000);

    expect(await run).toEqual({ n: 3, edits: 2, got: 1 });
  });

  it("is awaited by a step that has forgotten it", async () => {
    const seen: number[] = [];
    const flow = flowOf(async (ctx) => {
      void ctx.run("pay", failing(1, seen), { retry: inMinutes(2) });
      return "returned";
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(60_000);

    expect(await run).toBe("returned");
    expect(seen).toEqual([1, 2]);
  });

  it("keeps no step that has thrown, and is not tried again for it", async () => {
    const seen: number[] = [];
    const rejected: string[] = [];
    const flow = flowOf(async (ctx) => {
      const call = ctx.run("pay", failing(9, seen), { retry: inMinutes(9) });
      call.catch((error: WorkflowError) => rejected.push(error.code));
      await settle();
      throw new Error("the step");
    });
    withVirtualClock(flow);

    expect((await rejection(flow.run({}))).message).toBe("the step");
    await settle();
    expect([seen, rejected]).toEqual([[1], ["ATTEMPT_ENDED"]]);
  });

  it.each([0, 1])("is not tried again when it fails because the step has thrown (%i turns later)", async (turns) => {
    const seen: number[] = [];
    const flow = flowOf(async (ctx) => {
      void ctx.run(
        "pay",
        async (call) => {
          seen.push(call.attempt);
          if (turns > 0) await settle();
          const { signal } = call;
          if (signal.aborted) throw signal.reason;
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
        { retry: retryPolicy({ wait: wait.fixed(0), stop: stop.never }) },
      );
      if (turns === 0) await settle();
      else await expect.poll(() => seen.length, { interval: 0 }).toBe(1);
      throw new Error("the step");
    });

    expect((await rejection(flow.run({}))).message).toBe("the step");
    expect(seen).toEqual([1]);
  });
});

describe("a call that waits for its next attempt", () => {
  it("lets its run be idle, and says when it wakes", async () => {
    const flow = flowOf((ctx) => ctx.run("pay", failing(1), { retry: inMinutes(2) }));
    const clock = withVirtualClock(flow);
    const run = flow.run({});

    expect(await waiting(run)).toMatchObject({ wakeAtMs: clock.now() + 60_000 });
    await clock.advance(60_000);
    expect(await run).toBe(2);
  });

  it("holds no worker, no limit of the step and no limit of the call", async () => {
    const begun: string[] = [];
    const flow = defineWorkflow("slots")
      .step("begin", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 0 }), new Item({ n: 1 })])
      .step("work", { on: Item, emits: StopEvent, workers: 1, limit: "steps" }, async ({ n }, ctx) => {
        await ctx.run(
          "pay",
          ({ attempt }) => {
            begun.push(`${n}.${attempt}`);
            if (attempt === 1) throw new Error("first");
          },
          { retry: inMinutes(2), limit: "calls" },
        );
        if (n === 1) return new StopEvent({ result: "done" });
        return null as never;
      })
      .build({ limits: { steps: { concurrent: 1 }, calls: { concurrent: 1 } } });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await settle();
    const early = [...begun];
    await clock.advance(60_000);

    expect(await run).toBe("done");
    expect([early, begun]).toEqual([
      ["0.1", "1.1"],
      ["0.1", "1.1", "0.2", "1.2"],
    ]);
  });

  it("does not count for the timeout of the step", async () => {
    const flow = flowOf((ctx) => ctx.run("pay", failing(3), { retry: inMinutes(9) }), { step: { timeout: "90s" } });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(180_000);

    expect(await run).toBe(4);
  });

  it("waits for the rest of its time after a restore, and counts on", async () => {
    const seen: number[] = [];
    const flow = flowOf((ctx) => ctx.run("pay", failing(2, seen), { retry: inMinutes(3) }));
    const clock = withVirtualClock(flow);
    const first = flow.run({});
    await clock.advance(20_000);
    const copy = reload(flow, first.context) as never;
    first.cancel("moved");
    await clock.advance(10_000);
    const second = flow.resume(copy);
    await clock.advance(29_999);
    const early = [...seen];
    await clock.advance(1);
    const third = flow.resume(reload(flow, second.context) as never);
    second.cancel("moved");
    await clock.advance(60_000);

    expect(await third).toBe(3);
    expect([early, seen]).toEqual([[1], [1, 2, 3]]);
  });

  it("gives up after as many failures as its policy allows, over restores", async () => {
    const seen: number[] = [];
    const flow = flowOf((ctx) => ctx.run("pay", failing(9, seen), { retry: inMinutes(3) }));
    const clock = withVirtualClock(flow);
    let run = flow.run({});
    let failed: Promise<Error> | null = null;
    for (let restore = 0; restore < 2; restore++) {
      await settle();
      const copy = reload(flow, run.context) as never;
      run.cancel("moved");
      run = flow.resume(copy) as never;
      failed = rejection(run);
      await clock.advance(60_000);
    }

    expect((await failed)?.message).toBe("attempt 3 fails");
    expect(seen).toEqual([1, 2, 3]);
  });

  it("tells a restored step of its final failure again, so that it takes the same way", async () => {
    let calls = 0;
    const flow = flowOf(async (ctx) => {
      const first = await ctx
        .run("pay", () => (calls++ === 0 ? Promise.reject(new TypeError("no")) : "paid"))
        .catch((error: Error) => `${error.name}: ${error.message}`);
      await ctx.sleep("1h");
      return first;
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await settle();
    const again = flow.resume(reload(flow, run.context) as never);
    run.cancel("moved");
    await clock.advance(3_600_000);

    expect(await again).toBe("TypeError: no");
    expect(calls).toBe(1);
  });

  it("waits beside other calls, each for its own time", async () => {
    const seen: string[] = [];
    const call = (ctx: Context, key: string, delay: `${number}s`) =>
      ctx.run(
        key,
        ({ attempt }) => {
          seen.push(`${key}${attempt}`);
          if (attempt < 3) throw new Error("again");
          return key;
        },
        { retry: retryPolicy({ wait: wait.fixed(delay), stop: stop.never }) },
      );
    const flow = flowOf((ctx) => Promise.all([call(ctx, "a", "10s"), call(ctx, "b", "15s"), ctx.sleep("12s")]));
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(60_000);

    expect(await run).toEqual(["a", "b", undefined]);
    expect(seen).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
  });

  it("ends with its run", async () => {
    const flow = flowOf((ctx) => ctx.run("pay", failing(9), { retry: inMinutes(9) }));
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await settle();
    run.cancel("enough");

    expect((await rejection(run)).code).toBe("RUN_CANCELLED");
    expect(clock.pending).toBe(0);
  });
});
