/** `ctx.run` with `timeout`, `limit` and wrong options. */
import { describe, expect, it } from "vitest";
import type { Context, EffectOptions, StepSettings, WorkflowError } from "../src/index.js";
import { flowOf, Item, inMinutes } from "./support/failing-calls.js";
import { gate, rejection } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

describe("a call with `timeout`", () => {
  it("fails with CALL_TIMEOUT, and its signal aborts with it", async () => {
    const reasons: unknown[] = [];
    const flow = flowOf((ctx) =>
      ctx.run(
        "pay",
        ({ signal }) => new Promise(() => signal.addEventListener("abort", () => reasons.push(signal.reason))),
        { timeout: "5s" },
      ),
    );
    const clock = withVirtualClock(flow);
    const failed = rejection(flow.run({}));
    await clock.advance(5_000);

    const error = (await failed) as WorkflowError;
    expect(error.code).toBe("CALL_TIMEOUT");
    expect(error.details).toEqual({ step: "work", key: "pay", limitMs: 5_000, attempt: 1 });
    expect(reasons).toEqual([error]);
  });

  it("limits each attempt, and the policy decides about the next one", async () => {
    const seen: number[] = [];
    const flow = flowOf((ctx) =>
      ctx.run(
        "pay",
        ({ attempt }) => {
          seen.push(attempt);
          return attempt < 3 ? new Promise(() => {}) : attempt;
        },
        { timeout: "5s", retry: inMinutes(3) },
      ),
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(130_000);

    expect(await run).toBe(3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("takes nothing more from an attempt that is over", async () => {
    const late: string[] = [];
    const flow = flowOf(
      async (ctx) => {
        const tell = async (work: () => unknown) => {
          try {
            await work();
          } catch (error) {
            late.push((error as WorkflowError).code);
          }
        };
        const result = await ctx.run(
          "pay",
          async (call) => {
            if (call.attempt > 1) return "second";
            await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
            await tell(() => ctx.store.editState((draft) => void (draft as { edits: number }).edits++));
            await tell(() => ctx.store.set("edits", 9));
            await tell(() => ctx.writeEventToStream(new Item({ n: 1 })));
            await tell(() => call.writeEventToStream(new Item({ n: 1 })));
            await tell(() => call.finish(() => 1));
            await tell(() => ctx.run("inside", () => 1));
            return "first";
          },
          { timeout: "5s", retry: inMinutes(2) },
        );
        return { result, state: await ctx.store.getState() };
      },
      { step: { streams: Item } },
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(65_000);

    expect(await run).toEqual({ result: "second", state: { edits: 0 } });
    expect(late).toEqual(Array.from({ length: 6 }, () => "CALL_TIMEOUT"));
  });

  it("leaves no timer and no listener of a call that has come back", async () => {
    const flow = flowOf(async (ctx) => {
      for (let index = 0; index < 20; index++) await ctx.run(`call ${index}`, () => index, { timeout: "1h" });
    });
    const clock = withVirtualClock(flow);
    await flow.run({});

    expect(clock.pending).toBe(0);
  });

  it("has a signal that aborts with the step", async () => {
    const reasons: WorkflowError[] = [];
    const flow = flowOf((ctx) =>
      ctx
        .run(
          "pay",
          ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
          { timeout: "1h" },
        )
        .catch((error: WorkflowError) => reasons.push(error)),
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await settle();
    run.cancel("enough");
    await rejection(run);
    await settle();

    expect(reasons.map(({ code }) => code)).toEqual(["ATTEMPT_ENDED"]);
    expect(clock.pending).toBe(0);
  });
});

describe("a call with `limit`", () => {
  it("takes a place for each attempt, and gives it back when the function has ended", async () => {
    const gates = [gate(), gate(), gate()];
    const begun: number[] = [];
    const flow = flowOf(
      (ctx) =>
        Promise.all(
          gates.map(({ promise }, index) =>
            ctx.run(
              `call ${index}`,
              async () => {
                begun.push(index);
                await promise;
              },
              { limit: "api" },
            ),
          ),
        ),
      { limits: { api: { concurrent: 2 } } },
    );
    const run = flow.run({});
    await settle();
    const early = [...begun];
    gates[0]?.open();
    await settle();
    const then = [...begun];
    for (const { open } of gates) open();
    await run;

    expect([early, then]).toEqual([
      [0, 1],
      [0, 1, 2],
    ]);
  });

  it("gives its place back while it waits for its next attempt, and after a time-out", async () => {
    const begun: string[] = [];
    const call = (ctx: Context, key: string) =>
      ctx.run(
        key,
        ({ attempt }) => {
          begun.push(`${key}${attempt}`);
          if (attempt === 1) throw new Error("again");
          if (attempt === 2) return new Promise(() => {});
          return key;
        },
        { limit: "api", timeout: "10s", retry: inMinutes(3) },
      );
    const flow = flowOf((ctx) => Promise.all([call(ctx, "a"), call(ctx, "b")]), {
      limits: { api: { concurrent: 1 } },
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(300_000);

    expect(await run).toEqual(["a", "b"]);
    expect(begun).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
  });

  it("waits in line for a place, and its time begins with that", async () => {
    const flow = flowOf(
      (ctx) => Promise.all([1, 2].map((n) => ctx.run(`call ${n}`, () => n, { limit: "api", timeout: "5s" }))),
      { limits: { api: { perMinute: 1 } } },
    );
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(60_000);

    expect(await run).toEqual([1, 2]);
  });

  it("gives up its place in line when the run ends", async () => {
    const held = gate();
    const flow = flowOf(
      (ctx) => Promise.all([1, 2].map((n) => ctx.run(`call ${n}`, () => held.promise, { limit: "api" }))),
      { limits: { api: { concurrent: 1 } } },
    );
    const first = flow.run({});
    await settle();
    first.cancel("enough");
    await rejection(first);
    held.open();
    const second = flow.run({});

    expect(await second).toEqual([undefined, undefined]);
  });
});

describe("options of `ctx.run`", () => {
  const asked = async (options: unknown, step: Partial<StepSettings> = {}): Promise<WorkflowError> => {
    let called = false;
    const flow = flowOf(
      (ctx) =>
        ctx.run(
          "pay",
          () => {
            called = true;
          },
          options as EffectOptions,
        ),
      { limits: { openai: { concurrent: 1 }, mail: { concurrent: 1 } }, step },
    );
    const error = (await rejection(flow.run({}))) as WorkflowError;
    expect(called).toBe(false);
    return error;
  };

  it("are checked all at once, before the function is called", async () => {
    const error = await asked({ retries: 3, retry: {}, timeout: "soon", limit: "opnai", label: "" });

    expect(error.code).toBe("OPTION_INVALID");
    expect(error.message).toBe(
      'The options of `ctx.run("pay", …)` are wrong: `retries` is not an option (did you mean `retry`?); `retry` has no `next`, as a `retryPolicy({ … })` has; `timeout` is "soon", which is not a duration; `limit` is "opnai", which the workflow does not define (did you mean `openai`?); `label` is "", which is not a text of 1 to 200 characters.',
    );
  });

  it.each([
    [null],
    ["5s"],
    [{ retry: null }],
    [{ retry: 3 }],
    [{ timeout: -1 }],
    [{ timeout: Number.NaN }],
    [{ timeout: null }],
    [{ limit: "" }],
    [{ limit: 5 }],
    [{ limit: "__proto__" }],
    [{ label: 5 }],
    [{ label: "x".repeat(201) }],
    [{ signal: AbortSignal.abort() }],
  ])("%j are refused", async (options) => {
    expect((await asked(options)).code).toBe("OPTION_INVALID");
  });

  it("refuse the limit that the step holds, because both could wait for each other", async () => {
    const error = await asked({ limit: "mail" }, { limit: "mail" });

    expect(error.message).toContain('`limit` is "mail", of which the step holds a place already');
  });

  it("of undefined value count as left out", async () => {
    const flow = flowOf((ctx) => ctx.run("pay", () => "paid", { retry: undefined, timeout: undefined } as never));

    expect(await flow.run({})).toBe("paid");
  });
});
