/** Budgets over HTTP: what a run has spent, and what every tenant has spent in a day. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { type BudgetOptions, budgetOf, createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type Identity } from "../src/index.js";
import type { Json } from "./answer.types.js";

const log = { info: () => {}, error: () => {} };

async function open(budgets?: BudgetOptions) {
  const ends: (() => void)[] = [];
  const shop = defineWorkflow("shop")
    .step("buy", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      const hold = (): Promise<null> => new Promise((resolve) => ends.push(() => resolve(null)));
      await budgetOf(ctx).run("first", () => 1, { cost: { usd: 0.25, tokens: 100 } });
      if (ev.get("holds") === true) await budgetOf(ctx).run("second", hold, { cost: { usd: 0.5 } });
      return new StopEvent({ result: null });
    })
    .build();
  const runtime = createRuntime({ workflows: { shop }, store: memoryStore(), log, ...(budgets && { budgets }) });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  await runtime.start();
  let who: Identity = { client: "kim" };
  const app = createServer({ runtime, log, auth: () => who });
  const ask = async (path: string) => {
    const response = await app.request(path);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const as = (next: Identity): void => {
    who = next;
  };
  return { runtime, ask, as, ends };
}

const declared: BudgetOptions = { run: { usd: 1 }, tenant: { usdPerDay: 20, callsPerDay: 9, timezone: "Asia/Tokyo" } };
const none = { tokens: 0, usd: 0, calls: 0 };

describe("GET /handlers/{id}/budget", () => {
  it("says what a run has spent, what its calls have reserved, and what it may spend", async () => {
    const { runtime, ask, ends } = await open(declared);
    await runtime.run("shop", { holds: true }, { runId: "r1" }).accepted;
    await expect.poll(() => ends.length).toBe(1);

    expect(await ask("/handlers/r1/budget")).toEqual({
      status: 200,
      body: {
        spent: { tokens: 100, usd: 0.25, calls: 1 },
        reserved: { tokens: 0, usd: 0.5, calls: 1 },
        allowed: { usd: 1 },
      },
    });
    ends[0]?.();
    await expect.poll(async () => (await ask("/handlers/r1/budget")).body.spent.usd).toBe(0.75);
    await runtime.budgets.allow("r1", { usd: 2 });
    expect((await ask("/handlers/r1/budget")).body).toMatchObject({ reserved: none, allowed: { usd: 3 } });
  });

  it("is for callers who may read the run alone", async () => {
    const { runtime, ask, as } = await open(declared);
    await runtime.run("shop", {}, { runId: "r1", tenant: "red" });

    expect(await ask("/handlers/r1/budget")).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
    as({ client: "lee", tenant: "blue" });
    expect(await ask("/handlers/r1/budget")).toMatchObject({ status: 404 });
    as({ client: "lee", tenant: "red", may: ["start"] });
    expect(await ask("/handlers/r1/budget")).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    as({ client: "lee", tenant: "red" });
    expect((await ask("/handlers/r1/budget")).body.spent).toEqual({ tokens: 100, usd: 0.25, calls: 1 });
  });

  it("counts nothing without budgets, and the studio is told so", async () => {
    const { runtime, ask } = await open();
    await runtime.run("shop", {}, { runId: "r1" });

    expect((await ask("/handlers/r1/budget")).body).toEqual({ spent: none, reserved: none, allowed: {} });
    expect((await ask("/studio/config")).body.budgets).toBe(false);
  });
});

describe("GET /budgets", () => {
  it("lists what every tenant has spent in a day of its time zone", async () => {
    const { runtime, ask } = await open(declared);
    await runtime.run("shop", {}, { tenant: "red" });
    await runtime.run("shop", {}, { tenant: "blue" });
    await runtime.run("shop", {}, { tenant: "blue" });

    const day = new Date().toLocaleDateString("sv-SE", { timeZone: "Asia/Tokyo" });
    const allowed = { usd: 20, calls: 9 };
    expect(await ask("/budgets")).toEqual({
      status: 200,
      body: {
        day,
        timezone: "Asia/Tokyo",
        tenants: [
          { tenant: "blue", spent: { tokens: 200, usd: 0.5, calls: 2 }, reserved: none, allowed },
          { tenant: "red", spent: { tokens: 100, usd: 0.25, calls: 1 }, reserved: none, allowed },
        ],
      },
    });
    expect((await ask("/budgets?day=2026-01-01")).body).toMatchObject({ day: "2026-01-01", tenants: [] });
    for (const day of ["today", "2026-13-01", "2026-1-1", ""])
      expect(await ask(`/budgets?day=${day}`)).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
    expect((await ask("/studio/config")).body).toMatchObject({ budgets: true, queues: true });
  });

  it("is for callers of no tenant who may read all workflows, as queues are", async () => {
    const { ask, as } = await open(declared);
    for (const identity of [{ tenant: "red" }, { may: { shop: ["read"] } }, { may: ["start"] }] as Identity[]) {
      as({ client: "lee", ...identity });
      expect(await ask("/budgets")).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    }
    as({ client: "lee", may: ["read"] });
    expect(await ask("/budgets")).toMatchObject({ status: 200 });
  });
});
