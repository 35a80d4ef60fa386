/** The client of operators against a real server: queues, workers, schedules. */
import { createServer, type RunTests, type ServerOptions } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { budgetOf, createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../src/index.js";
import { createOperator } from "../src/operate.js";

const log = { info: () => {}, error: () => {} };

async function open(options: Partial<ServerOptions> = {}) {
  const work = defineWorkflow("work")
    .step("work", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      if (ev.get("usd") !== undefined)
        await budgetOf(ctx).run("paid", () => 1, { cost: { usd: Number(ev.get("usd")) } });
      if (ev.get("quick") !== true) await new Promise(() => {});
      return new StopEvent({ result: ev.get("of") });
    })
    .build();
  const runtime = createRuntime({
    workflows: { work },
    store: memoryStore(),
    log,
    queues: { llm: { concurrency: 1 } },
    budgets: { run: { usd: 0.5 }, tenant: { callsPerDay: 10 } },
  });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  await runtime.start();
  const app = createServer({ runtime, log, ...options });
  const connection = {
    baseUrl: "http://server",
    fetch: async (url: RequestInfo | URL, init?: RequestInit) => app.fetch(new Request(url, init)),
  };
  return { runtime, operator: createOperator(connection), client: createClient(connection) };
}

const limits = { concurrency: 1, perKey: null, rate: null };

describe("createOperator", () => {
  it("lists, pauses, limits, resets and resumes queues", async () => {
    const { runtime, operator, client } = await open();
    const { queues } = operator;
    for (const id of ["a", "b", "c"]) await runtime.run("work", {}, { runId: id, queue: "llm" }).accepted;
    await expect.poll(() => queues.get("llm")).toMatchObject({ waiting: 2, placed: 1 });

    expect(await queues.list()).toEqual([
      {
        name: "llm",
        paused: false,
        limits,
        configured: limits,
        changedAtMs: null,
        changedBy: null,
        workers: 1,
        taken: expect.any(Number),
        waiting: 2,
        placed: 1,
        oldestAtMs: expect.any(Number),
        keys: [{ key: "", waiting: 2, placed: 1, oldestAtMs: expect.any(Number) }],
      },
    ]);
    expect(await queues.pause("llm")).toMatchObject({ paused: true, changedAtMs: expect.any(Number) });
    expect(await queues.limit("llm", { perKey: 1, rate: { limit: 2, perMs: 500 } })).toMatchObject({
      limits: { concurrency: 1, perKey: 1, rate: { limit: 2, perMs: 500 } },
    });
    expect(await queues.reset("llm")).toMatchObject({ paused: true, limits });
    expect(await queues.resume("llm")).toMatchObject({ paused: false });
    expect(await queues.get("none")).toBeNull();
    expect(await queues.position("c")).toMatchObject({ queue: "llm", position: 2, estimateMs: null });
    expect(await queues.position("a")).toBeNull();
    expect(await client.handle("c").summary()).toMatchObject({ status: "queued", queue: { hasPlace: false } });
    expect((await client.runs({ status: "queued" })).runs.map(({ handlerId }) => handlerId)).toEqual(["c", "b"]);
    expect((await client.runs({ status: "running", queued: false })).runs).toHaveLength(1);
    expect((await client.counts()).status).toMatchObject({ queued: 2, running: 1 });
  });

  it("reads the budgets of a run and of the tenants", async () => {
    const { operator, client } = await open();
    await client.run("work", { quick: true, usd: 0.2 }, { handlerId: "paid" });
    const budget = { spent: { tokens: 0, usd: 0.2, calls: 1 }, reserved: { tokens: 0, usd: 0, calls: 0 } };

    expect(await operator.budgets.run("paid")).toEqual({ ...budget, allowed: { usd: 0.5 } });
    const day = new Date().toISOString().slice(0, 10);
    expect(await operator.budgets.tenants()).toEqual({
      ...{ day, timezone: "UTC" },
      tenants: [{ tenant: "", ...budget, allowed: { calls: 10 } }],
    });
    expect((await operator.budgets.tenants({ day: "2026-01-01" })).tenants).toEqual([]);
    await expect(operator.budgets.run("none")).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
    await expect(operator.budgets.tenants({ day: "today" })).rejects.toMatchObject({ code: "QUERY_INVALID" });
    await expect(operator.budgets.tenants({ tenant: "a" } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("makes a test of a run", async () => {
    const test = { recording: { path: "a.run.json", text: "{}" }, test: { path: "a.test.ts", text: "it()" } };
    const asked: unknown[] = [];
    const make: RunTests["make"] = async ({ runId, redact }) => {
      asked.push([runId, redact]);
      return runId === "a" ? test : null;
    };
    const { operator, client } = await open({ tests: { make } });

    expect((await client.config()).tests).toBe(true);
    expect(await operator.runTest("a", { redact: ["email"] })).toEqual(test);
    expect(await operator.runTest("a")).toEqual(test);
    await expect(operator.runTest("none")).rejects.toMatchObject({ code: "SOURCE_UNKNOWN" });
    expect(asked).toEqual([
      ["a", ["email"]],
      ["a", []],
      ["none", []],
    ]);
    await expect(operator.runTest("a", { fields: [] } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("lists workers", async () => {
    const { operator } = await open();

    expect(await operator.workers.list()).toMatchObject([
      {
        isAlive: true,
        pid: process.pid,
        workflows: ["work"],
        queues: { llm: limits },
        startedAtMs: expect.any(Number),
      },
    ]);
  });

  it("edits, resets and starts schedules", async () => {
    const { runtime, operator, client } = await open();
    await runtime.schedules.set("nightly", { cron: "0 3 * * *", workflow: "work", input: { quick: true, of: "day" } });

    const edited = await operator.schedules.edit("nightly", { cron: "0 5 * * *", input: { quick: true, of: "week" } });
    expect(edited).toMatchObject({
      cron: "0 5 * * *",
      start: { value: { of: "week" } },
      edited: { cron: "0 3 * * *", start: { value: { of: "day" } }, atMs: expect.any(Number) },
    });
    const id = await operator.schedules.start("nightly", { key: "click" });
    expect(await operator.schedules.start("nightly", { key: "click" })).toBe(id);
    expect(await client.handle(id)).toBe("week");
    expect(await operator.schedules.reset("nightly")).toMatchObject({ cron: "0 3 * * *", edited: null });
    await expect(operator.schedules.start("none")).rejects.toMatchObject({ code: "SCHEDULE_UNKNOWN" });
  });

  it("refuses options that there are not", async () => {
    const { operator } = await open();

    await expect(operator.queues.limit("llm", { size: 3 } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(operator.schedules.edit("a", { overlap: "skip" } as never)).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});
