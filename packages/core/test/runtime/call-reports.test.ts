/** Retries and time-outs that users of other engines have reported as broken, with `ctx.run`. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Context,
  defineWorkflow,
  event,
  type RetryPolicy,
  retryIf,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle, withVirtualClock } from "../support/virtual-clock.js";

class Said extends event("Said", { text: z.string() }) {}

const every = (seconds: number, attempts: number): RetryPolicy =>
  retryPolicy({ wait: wait.fixed(seconds * 1_000), stop: stop.afterAttempts(attempts) });
const never = (): Promise<never> => new Promise(() => {});

function flowOf(work: (ctx: Context, name: string) => Promise<unknown>) {
  return defineWorkflow("reported", { state: { edits: z.number().default(0) } })
    .step("work", { on: StartEvent, emits: StopEvent, streams: Said }, async (start, ctx) => {
      return new StopEvent({ result: await work(ctx as never, String(start.get("name"))) });
    })
    .build();
}

describe("reports about retries and time-outs of calls", () => {
  it("restatedev/restate#4462: calls at the same time have counters of their own", async () => {
    const made = { a: 0, b: 0 };
    const flow = flowOf(async (ctx) => {
      const call = (key: "a" | "b") =>
        ctx.run(
          key,
          () => {
            made[key]++;
            throw new Error(key);
          },
          { retry: every(1, 3) },
        );
      const settled = await Promise.allSettled([call("a"), call("b")]);
      return settled.map(({ status }) => status);
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(10_000);

    expect(await run).toEqual(["rejected", "rejected"]);
    expect(made).toEqual({ a: 3, b: 3 });
  });

  it("vercel/workflow#3035: a call that times out each time is not made forever", async () => {
    const machine = new Machine();
    let made = 0;
    const flow = flowOf((ctx) =>
      ctx.run(
        "hangs",
        () => {
          made++;
          return never();
        },
        { timeout: "15m", retry: every(1, 3) },
      ),
    );
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(24 * 3_600_000);

    expect((await rejection(run)).code).toBe("CALL_TIMEOUT");
    expect(made).toBe(3);
  });

  it("vercel/workflow#1806: no attempt is lost while its run is out of memory", async () => {
    const machine = new Machine();
    const flow = flowOf((ctx, name) =>
      ctx.run(
        "post",
        ({ attempt }) => {
          if (attempt <= 5) throw new Error("429");
          return name;
        },
        { retry: retryPolicy({ wait: wait.random("2s", "90s"), stop: stop.never }) },
      ),
    );
    const ids = Array.from({ length: 60 }, (_, index) => `run ${index}`);
    const { runtime } = machine.open({ flow }, { idleReleaseMs: 0 });
    await runtime.start();
    const runs = ids.map((name) => runtime.run("flow", { name }, { runId: name }));
    await machine.clock.advance(900_000);

    expect(await Promise.all(runs)).toEqual(ids);
  });

  it("mastra-ai/mastra#22333 (Inngest): each attempt knows its number, in another process too", async () => {
    const machine = new Machine();
    const seen: number[] = [];
    const flow = flowOf((ctx) =>
      ctx.run(
        "post",
        ({ attempt }) => {
          seen.push(attempt);
          if (attempt < 4) throw new Error("again");
          return attempt;
        },
        { retry: every(60, 9) },
      ),
    );
    const first = machine.open({ flow }, { leaseMs: 1_000 });
    void first.runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(90_000);
    first.kill();
    const second = machine.open({ flow }, { leaseMs: 1_000 });
    await second.runtime.start();
    await machine.clock.advance(600_000);

    expect(await second.runtime.handle("one")).toBe(4);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("mastra-ai/mastra#23525: runs at the same time do not share the number of their attempts", async () => {
    const seen: Record<string, number[]> = { a: [], b: [] };
    const flow = flowOf((ctx, name) =>
      ctx.run(
        "post",
        ({ attempt }) => {
          seen[name]?.push(attempt);
          if (attempt < 3) throw new Error("again");
        },
        { retry: every(name === "a" ? 1 : 2, 9) },
      ),
    );
    const clock = withVirtualClock(flow);
    const runs = [flow.run({ name: "a" }), flow.run({ name: "b" })];
    await clock.advance(10_000);
    await Promise.all(runs);

    expect(seen).toEqual({ a: [1, 2, 3], b: [1, 2, 3] });
  });

  it("vercel/workflow#592: one attempt is one attempt, and not none", async () => {
    let made = 0;
    const flow = flowOf((ctx) =>
      ctx.run(
        "once",
        () => {
          made++;
          throw new Error("no");
        },
        { retry: every(1, 1) },
      ),
    );

    expect((await rejection(flow.run({}))).message).toBe("no");
    expect(made).toBe(1);
  });

  it("langchain-ai/langgraph#7599: what an attempt writes after its time-out counts for nothing", async () => {
    const late: unknown[] = [];
    const flow = flowOf(async (ctx) => {
      const result = await ctx.run(
        "model",
        async ({ attempt, signal }) => {
          if (attempt > 1) return "second";
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          try {
            await ctx.store.editState((draft) => void (draft as { edits: number }).edits++);
          } catch (error) {
            late.push((error as WorkflowError).code);
          }
          return "first";
        },
        { timeout: "60s", retry: every(1, 2) },
      );
      return [result, await ctx.store.get("edits")];
    });
    const clock = withVirtualClock(flow);
    const run = flow.run({});
    await clock.advance(61_000);

    expect(await run).toEqual(["second", 0]);
    expect(late).toEqual(["CALL_TIMEOUT"]);
  });

  it("temporalio/temporal#2496: a policy may retry failures and not time-outs", async () => {
    const seen: number[] = [];
    const noTimeout = retryPolicy({
      when: retryIf.test((error) => !WorkflowError.is(error, "CALL_TIMEOUT")),
      wait: wait.fixed("1s"),
      stop: stop.never,
    });
    const flow = flowOf((ctx) =>
      ctx.run(
        "session",
        ({ attempt }) => {
          seen.push(attempt);
          if (attempt < 3) throw new Error("again");
          return never();
        },
        { timeout: "10s", retry: noTimeout },
      ),
    );
    const clock = withVirtualClock(flow);
    const failed = rejection(flow.run({}));
    await clock.advance(3_600_000);

    expect((await failed).code).toBe("CALL_TIMEOUT");
    expect(seen).toEqual([1, 2, 3]);
  });

  it("temporalio/sdk-python#1012: an attempt whose process has died is made again at once, not after its time-out", async () => {
    const machine = new Machine();
    const began: number[] = [];
    const flow = flowOf((ctx) =>
      ctx.run(
        "long",
        ({ attempt }) => {
          began.push(machine.clock.now());
          return attempt < 3 ? never() : attempt;
        },
        { timeout: "30m", retry: every(1, 5) },
      ),
    );
    for (let death = 0; death < 2; death++) {
      const { runtime, kill } = machine.open({ flow }, { leaseMs: 1_000 });
      await runtime.start();
      if (death === 0) void runtime.run("flow", {}, { runId: "one" });
      await machine.clock.advance(5_000);
      kill();
    }
    const { runtime } = machine.open({ flow }, { leaseMs: 1_000 });
    await runtime.start();
    await machine.clock.advance(5_000);

    expect(await runtime.handle("one")).toBe(3);
    expect((began[2] as number) - (began[0] as number)).toBeLessThan(20_000);
  });

  it("is in the history: every attempt with its number, its error, and the time of the next one", async () => {
    const machine = new Machine();
    const flow = flowOf((ctx) =>
      ctx.run(
        "post",
        async ({ attempt }) => {
          await new Promise<void>((resolve) => machine.clock.setTimer(machine.clock.now() + 200, resolve));
          if (attempt < 2) throw new Error("again");
        },
        { retry: every(60, 9), label: "Post it" },
      ),
    );
    const { runtime } = machine.open({ flow });
    const beganAtMs = machine.clock.now();
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(61_000);
    await run;
    await settle();
    const ticks = (await historyOf(runtime as never, "one")).map(({ tick }) => tick);

    expect(ticks.filter(({ type }) => type.startsWith("effect."))).toMatchObject([
      { type: "effect.opened", atMs: beganAtMs, call: "run=post", label: "Post it" },
      { type: "effect.failed", error: { message: "again" }, retryAtMs: beganAtMs + 60_200, elapsedMs: 200 },
      { type: "effect.opened", atMs: beganAtMs + 60_200, callAttempt: 2 },
      { type: "effect.recorded", atMs: beganAtMs + 60_400, callAttempt: 2 },
    ]);
  });

  it("shows a call without options in the history while it is at work, and one tick for one that takes no time", async () => {
    const machine = new Machine();
    let open!: (value: string) => void;
    const flow = flowOf(async (ctx) => {
      await ctx.run("quick", async () => "quick");
      return ctx.run("slow", () => new Promise<string>((resolve) => void (open = resolve)), { label: "Ask the bank" });
    });
    const { runtime } = machine.open({ flow });
    const run = runtime.run("flow", {}, { runId: "one" });
    await settle();
    const seen = (await historyOf(runtime as never, "one")).map(({ tick }) => tick);
    open("done");
    await run;

    expect(seen.map(({ type }) => type)).toEqual(["run.started", "effect.recorded", "effect.opened"]);
    expect(seen.at(-1)).toMatchObject({ call: "run=slow", label: "Ask the bank" });
  });
});
