/** The calls of an attempt, as `runtime.attempts` lists them. */
import { describe, expect, it } from "vitest";
import type { RunAttempt } from "../../src/entries/runtime.js";
import { type Context, defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const everyMinute = retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(3) });

function flowOf(work: (ctx: Context, machine: Machine) => Promise<unknown>, machine: Machine) {
  return defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await work(ctx as never, machine) });
    })
    .build();
}

async function listed(attempts: AsyncIterable<RunAttempt>): Promise<RunAttempt[]> {
  const all: RunAttempt[] = [];
  for await (const attempt of attempts) all.push(attempt);
  return all;
}

const pause = (machine: Machine, ms: number): Promise<void> =>
  new Promise((resolve) => void machine.clock.setTimer(machine.clock.now() + ms, resolve));

describe("the calls of an attempt", () => {
  it("have their label, their times, their attempts and their error", async () => {
    const machine = new Machine();
    const beganAtMs = machine.clock.now();
    const flow = flowOf(async (ctx) => {
      await ctx.run("quick", () => 1);
      await ctx.run("slow", () => pause(machine, 300), { label: "Ask the bank" });
      await ctx.run("again", ({ attempt }) => (attempt < 3 ? Promise.reject(new TypeError("busy")) : 3), {
        retry: everyMinute,
      });
      await ctx.run("never", () => Promise.reject(new Error("no"))).catch(() => {});
    }, machine);
    const { runtime } = machine.open({ flow }, { idleReleaseMs: 600_000 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(130_000);
    await run;
    const [attempt] = await listed(runtime.attempts("one"));

    expect(attempt?.moreCalls).toBe(0);
    expect(attempt?.calls).toMatchObject([
      {
        call: "run=quick",
        status: "completed",
        attempts: 1,
        startedAtMs: beganAtMs,
        endedAtMs: beganAtMs,
        error: null,
      },
      { call: "run=slow", label: "Ask the bank", status: "completed", endedAtMs: beganAtMs + 300 },
      {
        call: "run=again",
        status: "completed",
        attempts: 3,
        startedAtMs: beganAtMs + 300,
        endedAtMs: beganAtMs + 120_300,
        error: { code: "STEP_FAILED", message: "busy" },
      },
      { call: "run=never", status: "failed", attempts: 1, error: { message: "no" } },
    ]);
    expect(attempt?.waits).toMatchObject([
      { kind: "retry", fromMs: beganAtMs + 300, toMs: beganAtMs + 60_300, untilMs: beganAtMs + 60_300 },
      { kind: "retry", fromMs: beganAtMs + 60_300, toMs: beganAtMs + 120_300 },
    ]);
  });

  it("are seen at work and while they wait, and as interrupted where their attempt was", async () => {
    const machine = new Machine();
    const flow = flowOf(
      (ctx) =>
        Promise.all([
          ctx.run("hangs", ({ attempt }) => (attempt < 2 ? new Promise(() => {}) : "done"), { timeout: "1h" }),
          ctx.run("waits", ({ attempt }) => (attempt < 2 ? Promise.reject(new Error("busy")) : "done"), {
            retry: everyMinute,
          }),
        ]),
      machine,
    );
    const first = machine.open({ flow }, { leaseMs: 1_000, idleReleaseMs: 600_000 });
    void first.runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(10);
    const [before] = await listed(first.runtime.attempts("one"));
    first.kill();
    const second = machine.open({ flow }, { leaseMs: 1_000, idleReleaseMs: 600_000 });
    await second.runtime.start();
    await machine.clock.advance(120_000);
    await second.runtime.handle("one");
    const after = await listed(second.runtime.attempts("one"));

    expect(before?.calls).toMatchObject([
      { call: "run=hangs", status: "running", attempts: 1, endedAtMs: null },
      { call: "run=waits", status: "waiting", attempts: 1, endedAtMs: null, error: { message: "busy" } },
    ]);
    expect(
      after.map(({ attempt, calls }) => [attempt, calls.map((call) => [call.call, call.status, call.attempts])]),
    ).toEqual([
      [
        1,
        [
          ["run=hangs", "interrupted", 1],
          ["run=waits", "interrupted", 1],
        ],
      ],
      [
        2,
        [
          ["run=hangs", "completed", 2],
          ["run=waits", "completed", 2],
        ],
      ],
    ]);
  });

  it("are 1,000 at most, and the number of the others", async () => {
    const machine = new Machine();
    const flow = flowOf(
      (ctx) => Promise.all(Array.from({ length: 1_203 }, (_, n) => ctx.run(`call ${n}`, () => settle()))),
      machine,
    );
    const { runtime } = machine.open({ flow }, { idleReleaseMs: 600_000 });
    await runtime.run("flow", {}, { runId: "one" });
    const [attempt] = await listed(runtime.attempts("one"));

    expect([attempt?.calls.length, attempt?.moreCalls]).toEqual([1_000, 203]);
  });
});
