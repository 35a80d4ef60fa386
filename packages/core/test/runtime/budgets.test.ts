import { afterEach, describe, expect, it } from "vitest";
import {
  type BudgetOptions,
  BudgetReachedEvent,
  budgetOf,
  createRuntime,
  memoryStore,
  type PaidCall,
  type RunStore,
  withinBudget,
} from "../../src/entries/runtime.js";
import {
  type Context,
  defineWorkflow,
  event,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "../../src/index.js";
import { historyOf } from "../support/processes.js";
import { gate } from "../support/runs.js";
import { silent } from "../support/runtimes.js";
import { VirtualClock } from "../support/virtual-clock.js";

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.stop();
});

function opened<Opened extends { stop(): Promise<void> }>(runtime: Opened): Opened {
  open.push(runtime);
  return runtime;
}

/** Calls a service, as many times as its input says, at once or one after the other. */
function shop(provider: (call: number) => unknown = () => null) {
  let made = 0;
  const pay = (ctx: Context, key: string) =>
    budgetOf(ctx).run(key, async () => (await provider(made++)) ?? null, { cost: { usd: 0.1, tokens: 100 } });
  const flow = defineWorkflow("shop")
    .step("buy", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
      const keys = Array.from({ length: Number(ev.get("count")) }, (_, index) => `call ${index}`);
      if (ev.get("atOnce") === true) await Promise.all(keys.map((key) => pay(ctx, key)));
      else for (const key of keys) await pay(ctx, key);
      return new StopEvent({ result: keys.length });
    })
    .build();
  return { flow, made: () => made };
}

function runtimeWith(flow: ReturnType<typeof shop>["flow"], budgets: BudgetOptions, more: { store?: RunStore } = {}) {
  return opened(createRuntime({ workflows: { shop: flow }, budgets, log: silent, ...more }));
}

const code = (error: unknown) => (WorkflowError.is(error) ? error.code : error);

describe("the budget of a run", () => {
  it("refuses the first call that would exceed it, and says so in numbers", async () => {
    const { flow, made } = shop();
    const runtime = runtimeWith(flow, { run: { usd: 0.25 } });
    const run = runtime.run("shop", { count: 5 }, { runId: "r1" });
    await expect(run).rejects.toMatchObject({
      code: "BUDGET_EXCEEDED",
      message:
        'The call may cost 0.1 USD, but the budget of run "r1" has 0.25 USD: 0.2 spent, 0 reserved by calls at work.',
      details: { budget: "run", of: "r1", unit: "usd", allowed: 0.25, spent: 0.2, reserved: 0, asked: 0.1 },
    });
    expect(made()).toBe(2);
  });

  it.each([
    [{ tokens: 300 }, 3],
    [{ calls: 4 }, 4],
    [{ usd: 0.3 }, 3], // 0.1 + 0.1 + 0.1 is more than 0.3 in binary numbers
    [{ usd: 0 }, 0],
  ])("counts each unit: %j allows %i calls", async (budget, calls) => {
    const { flow, made } = shop();
    const runtime = runtimeWith(flow, { run: budget });
    await runtime.run("shop", { count: 9 }).then(null, () => {});
    expect(made()).toBe(calls);
  });

  // BerriAI/litellm#34732, pydantic/pydantic-ai#2978, NousResearch/hermes-agent#70810
  it("holds for calls at the same time", async () => {
    const { flow, made } = shop();
    const runtime = runtimeWith(flow, { run: { calls: 3 } });
    await expect(runtime.run("shop", { count: 9, atOnce: true })).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(made()).toBe(3);
  });

  it("reports what is spent, and what calls at work have reserved", async () => {
    const answer = gate();
    const { flow } = shop((call) => (call === 1 ? answer.promise : null));
    const runtime = runtimeWith(flow, { run: { usd: 1 } });
    const run = runtime.run("shop", { count: 2 }, { runId: "r1" });
    await expect
      .poll(() => runtime.budgets.run("r1"))
      .toEqual({
        spent: { tokens: 100, usd: 0.1, calls: 1 },
        reserved: { tokens: 100, usd: 0.1, calls: 1 },
        allowed: { usd: 1 },
      });
    answer.open();
    await run;
    expect(await runtime.budgets.run("r1")).toMatchObject({ spent: { usd: 0.2, calls: 2 }, reserved: { usd: 0 } });
  });

  // xuzhougeng/wisp-science#623
  it("continues where it stood once more is allowed", async () => {
    const { flow, made } = shop();
    const runtime = runtimeWith(flow, { run: { calls: 2 } });
    await runtime.run("shop", { count: 4 }, { runId: "r1" }).then(null, () => {});
    await runtime.budgets.allow("r1", { calls: 2 }, { key: "yes" });
    await runtime.budgets.allow("r1", { calls: 2 }, { key: "yes" }); // a double click
    expect((await runtime.budgets.run("r1")).allowed).toEqual({ calls: 4 });
    expect(await runtime.retry("r1")).toBe(4);
    expect(made()).toBe(4);
  });

  it("returns what an attempt that fails has reserved", async () => {
    const { flow } = shop((call) => {
      if (call === 0) throw new Error("busy");
    });
    const runtime = runtimeWith(flow, { run: { calls: 1 } });
    await expect(runtime.run("shop", { count: 1 }, { runId: "r1" })).rejects.toThrow("busy");
    expect((await runtime.budgets.run("r1")).spent.calls).toBe(0);
    expect(await runtime.retry("r1")).toBe(1);
  });

  // nugget/thane-ai-agent#1598
  it("counts what a failed attempt says that it has cost", async () => {
    let made = 0;
    const flow = defineWorkflow("shop")
      .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const call = ({ spent }: PaidCall) => {
          made++;
          spent({ tokens: 600 });
          throw new Error("broken");
        };
        const retry = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(5) });
        await budgetOf(ctx).run("call", call, { cost: { tokens: 600 }, retry });
        return new StopEvent({ result: null });
      })
      .build();
    const runtime = runtimeWith(flow as never, { run: { tokens: 1_000 } });
    await expect(runtime.run("shop")).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(made).toBe(1);
  });

  it("is settled by what the result has cost", async () => {
    const flow = defineWorkflow("shop")
      .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        for (const cents of [1, 2, 3])
          await budgetOf(ctx).run(`call ${cents}`, ({ spent }) => spent({ usd: cents / 100 }), { cost: { usd: 0.5 } });
        return new StopEvent({ result: (await budgetOf(ctx).read()).spent.usd });
      })
      .build();
    const runtime = runtimeWith(flow as never, { run: { usd: 0.55 } });
    expect(await runtime.run("shop")).toBe(0.06);
  });

  it("counts a child as a part of its run", async () => {
    const { flow: child, made } = shop();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await budgetOf(ctx).run("own", () => null, { cost: { usd: 0.1 } });
        await ctx.runChild("child", { count: 9 }).catch(() => {});
        return new StopEvent({ result: null });
      })
      .build();
    const runtime = opened(createRuntime({ workflows: { parent }, budgets: { run: { calls: 3 } }, log: silent }));
    await runtime.run("parent", {}, { runId: "r1" });
    expect(made()).toBe(2);
    expect((await runtime.budgets.run("r1")).spent.calls).toBe(3);
  });

  it("does not count what a fork recalls", async () => {
    const { flow, made } = shop();
    const runtime = runtimeWith(flow, { run: { calls: 9 } });
    const run = runtime.run("shop", { count: 3 }, { runId: "r1" });
    await run;
    const at = (await historyOf(runtime, "r1")).findLast(({ tick }) => tick.type === "effect.recorded");
    const fork = await runtime.fork("r1", { at: at?.number ?? 0, runId: "r2" });
    expect(await fork).toBe(3);
    expect(made()).toBe(3);
    expect((await runtime.budgets.run("r2")).spent.calls).toBe(0);
    expect((await runtime.budgets.tenant()).spent.calls).toBe(3);
  });

  it("goes with the run", async () => {
    const { flow } = shop();
    const store = memoryStore();
    const runtime = runtimeWith(flow, { run: { calls: 9 } }, { store });
    for (const runId of ["r1", "r2"]) await runtime.run("shop", { count: 1 }, { runId });
    await runtime.delete("r1");
    expect((await runtime.budgets.run("r1")).spent.calls).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 2)); // what has ended in this millisecond is not older than 0
    await runtime.retain({ olderThan: 0 });
    expect((await runtime.budgets.run("r2")).spent.calls).toBe(0);
    const { records } = await store.records({ tenant: "", kind: "millrace:run-budget", limit: 10 });
    expect(records).toEqual([]);
  });
});

describe("the budget of a tenant", () => {
  // BerriAI/litellm#38938, langwatch/langwatch#6255
  it("is one for all of its runs, and begins anew each day of its time zone", async () => {
    const { flow, made } = shop();
    const clock = new VirtualClock();
    clock.skip(22.5 * 3_600_000);
    const runtime = opened(
      createRuntime({
        workflows: { shop: flow },
        budgets: { tenant: { callsPerDay: 3, timezone: "Europe/Berlin" } },
        log: silent,
        clock,
      }),
    );
    const runOf = (tenant: string) => runtime.run("shop", { count: 2 }, { tenant }).then(null, code);
    expect(await runOf("acme")).toBe(2);
    expect(await runOf("acme")).toBe("BUDGET_EXCEEDED");
    expect(await runOf("other")).toBe(2);
    expect(made()).toBe(5);
    expect(await runtime.budgets.tenant({ tenant: "acme" })).toMatchObject({ day: "2030-01-01", spent: { calls: 3 } });
    await clock.advance(30 * 60_000); // midnight in Berlin, and not yet in London
    expect(await runOf("acme")).toBe(2);
    expect(await runtime.budgets.tenant({ tenant: "acme" })).toMatchObject({ day: "2030-01-02", spent: { calls: 2 } });
    expect(runtime.budgets.isDeclared).toBe(true);
    const amounts = { tokens: 0, usd: 0, calls: 0 };
    expect(await runtime.budgets.tenants({ day: "2030-01-01" })).toEqual({
      day: "2030-01-01",
      timezone: "Europe/Berlin",
      tenants: [
        { tenant: "acme", spent: { calls: 3, usd: 0.3, tokens: 300 }, reserved: amounts, allowed: { calls: 3 } },
        { tenant: "other", spent: { calls: 2, usd: 0.2, tokens: 200 }, reserved: amounts, allowed: { calls: 3 } },
      ],
    });
    expect((await runtime.budgets.tenants()).tenants).toMatchObject([{ tenant: "acme", spent: { calls: 2 } }]);
  });

  it("is read for every tenant, also of many", async () => {
    const runtime = runtimeWith(shop().flow, { run: { usd: 9 } });
    const names = Array.from({ length: 120 }, (_, index) => `t${index}`);
    await Promise.all(names.map((tenant, index) => runtime.run("shop", { count: index % 3 }, { tenant })));
    const { tenants } = await runtime.budgets.tenants();
    expect(tenants.map(({ spent }) => spent.calls)).toEqual([...Array(40).fill(2), ...Array(40).fill(1)]);
    expect(new Set(tenants.map(({ tenant }) => tenant)).size).toBe(80);
  });

  it("holds over processes", async () => {
    const store = memoryStore();
    const both = [shop(), shop()];
    const runtimes = both.map(({ flow }) =>
      runtimeWith(flow, { tenant: { usdPerDay: 2 } }, { store: { ...store, close: async () => {} } }),
    );
    const runs = runtimes.flatMap((runtime) =>
      Array.from({ length: 10 }, () => runtime.run("shop", { count: 3 }).then(null, code)),
    );
    expect(new Set(await Promise.all(runs))).toContain("BUDGET_EXCEEDED");
    expect(both.reduce((sum, { made }) => sum + made(), 0)).toBe(20);
    expect(await runtimes[0]?.budgets.tenant()).toMatchObject({ spent: { usd: 2 }, reserved: { usd: 0 } });
  });

  it("waits for calls at work that have reserved more than they cost", async () => {
    const answers = [gate(), gate()];
    let made = 0;
    const flow = defineWorkflow("shop")
      .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const call = async ({ spent }: PaidCall) => {
          await answers[made++]?.promise;
          spent({ usd: 0.1 });
        };
        await budgetOf(ctx).run("call", call, { cost: { usd: 0.6 } });
        return new StopEvent({ result: "made" });
      })
      .build();
    const runtime = runtimeWith(flow as never, { tenant: { usdPerDay: 1 } });
    const runs = [runtime.run("shop"), runtime.run("shop")];
    await expect.poll(() => made).toBe(1);
    answers[0]?.open();
    await expect.poll(() => made).toBe(2);
    answers[1]?.open();
    expect(await Promise.all(runs)).toEqual(["made", "made"]);
  });

  it("gets back what a dead process has reserved, after its lease", async () => {
    const clock = new VirtualClock();
    const store = memoryStore();
    const hold = { tokens: 0, usd: 0.95, calls: 1, untilMs: clock.now() + 30_000, write: 1 };
    const value = { spent: { tokens: 0, usd: 0, calls: 0 }, allowed: {}, holds: { dead: hold } };
    const key = { tenant: "", kind: "millrace:day-budget", id: "2030-01-01 UTC" };
    await store.writeRecords([{ ...key, expected: 0, text: JSON.stringify(value) }]);
    const { flow, made } = shop();
    const budgets = { tenant: { usdPerDay: 1 } };
    const runtime = opened(createRuntime({ workflows: { shop: flow }, store, budgets, clock, log: silent }));
    const run = runtime.run("shop", { count: 1 });
    await clock.advance(29_000);
    expect(made()).toBe(0);
    await clock.advance(2_000);
    expect(await run).toBe(1);
  });

  it("keeps what a living process has reserved, however long its call takes", async () => {
    const clock = new VirtualClock();
    const store = memoryStore();
    const answer = gate();
    const slow = shop(() => answer.promise);
    const budgets = { tenant: { callsPerDay: 1 } };
    const options = { store: { ...store, close: async () => {} }, budgets, clock, log: silent };
    const first = opened(createRuntime({ workflows: { shop: slow.flow }, ...options }));
    const run = first.run("shop", { count: 1 });
    await expect.poll(slow.made).toBe(1);
    await clock.advance(120_000);
    const other = shop();
    const second = opened(createRuntime({ workflows: { other: other.flow }, ...options }));
    const late = second.run("other", { count: 1 }).then(null, code);
    await clock.advance(120_000);
    expect(other.made()).toBe(0);
    answer.open();
    await run;
    await clock.advance(1_000);
    expect(await late).toBe("BUDGET_EXCEEDED");
  });
});

describe("a store that fails", () => {
  it.each(["before", "after"])("counts a call once when the answer is lost %s the write", async (when) => {
    const store = memoryStore();
    let writes = 0;
    const failing: RunStore = {
      ...store,
      writeRecords: async (records) => {
        const isSettling = ++writes === 2;
        if (isSettling && when === "before") throw new Error("cut");
        const conflicts = await store.writeRecords(records);
        if (isSettling) throw new Error("cut");
        return conflicts;
      },
    };
    const { flow } = shop();
    const runtime = runtimeWith(flow, { run: { calls: 9 } }, { store: failing });
    expect(await runtime.run("shop", { count: 3 }, { runId: "r1" })).toBe(3);
    expect(await runtime.budgets.run("r1")).toMatchObject({ spent: { calls: 3 }, reserved: { calls: 0 } });
  });

  it("makes no call that it cannot reserve", async () => {
    const store = memoryStore();
    const { flow, made } = shop();
    const writeRecords = async () => Promise.reject(new Error("cut"));
    const runtime = runtimeWith(flow, { run: { calls: 9 } }, { store: { ...store, writeRecords } });
    await expect(runtime.run("shop", { count: 1 })).rejects.toThrow("cut");
    expect(made()).toBe(0);
  });
});

describe("a runtime that stops", () => {
  it("leaves nothing reserved", async () => {
    const store = memoryStore();
    const began = gate();
    const flow = defineWorkflow("shop")
      .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        const call = ({ signal }: PaidCall) =>
          new Promise<null>((_, reject) => {
            began.open();
            signal.addEventListener("abort", () => reject(signal.reason));
          });
        await budgetOf(ctx).run("call", call, { cost: { usd: 1 } });
        return new StopEvent({ result: null });
      })
      .build();
    const kept = { ...store, close: async () => {} };
    const budgets = { tenant: { usdPerDay: 1 } };
    const first = createRuntime({ workflows: { shop: flow }, budgets, store: kept, log: silent });
    first.run("shop", {}).accepted.catch(() => {});
    await began.promise;
    await first.stop({ drainMs: 0 });
    const second = opened(createRuntime({ workflows: { shop: flow }, budgets, store: kept, log: silent }));
    await expect.poll(async () => (await second.budgets.tenant()).reserved.usd).toBe(0);
  });
});

describe("what happens at the limit", () => {
  class Question extends event("Question", {}) {}

  it("is an event to a step, which asks, and goes on", async () => {
    let made = 0;
    const flow = defineWorkflow("asking")
      .step("start", { on: StartEvent, emits: Question }, () => new Question())
      .step("work", { on: Question, emits: [StopEvent, BudgetReachedEvent] }, (_ev, ctx) =>
        withinBudget(async () => {
          await budgetOf(ctx).run("call", () => made++, { cost: { usd: 0.2 } });
          return new StopEvent({ result: "whole answer" });
        }),
      )
      .step("decide", { on: BudgetReachedEvent, emits: [Question, StopEvent] }, async (reached, ctx) => {
        if (reached.allowed > 0.15) return new StopEvent({ result: "short answer" });
        await budgetOf(ctx).allow("more", { usd: 0.1 });
        return new Question();
      })
      .build();
    const runtime = opened(createRuntime({ workflows: { flow }, budgets: { run: { usd: 0.1 } }, log: silent }));
    expect(await runtime.run("flow", {}, { runId: "r1" })).toBe("whole answer");
    expect(await runtime.budgets.run("r1")).toMatchObject({ spent: { usd: 0.2 }, allowed: { usd: 0.2 } });
    expect(made).toBe(1);
  });

  it("is the same after a restore", async () => {
    const flow = defineWorkflow("asking")
      .step("work", { on: StartEvent, emits: [StopEvent, BudgetReachedEvent] }, (_ev, ctx) =>
        withinBudget(async () => {
          try {
            await budgetOf(ctx).run("call", () => null, { cost: { usd: 0.2 } });
          } catch (error) {
            await ctx.sleep(1);
            throw error;
          }
          return new StopEvent({ result: null });
        }),
      )
      .step(
        "decide",
        { on: BudgetReachedEvent, emits: StopEvent },
        ({ spent, unit, asked, day }) => new StopEvent({ result: `${spent} of ${unit}, and ${asked} asked (${day})` }),
      )
      .build();
    const options = { budgets: { tenant: { usdPerDay: 0.1, timezone: "Asia/Tokyo" } }, idleReleaseMs: 0, log: silent };
    const runtime = opened(createRuntime({ workflows: { flow }, ...options }));
    expect(await runtime.run("flow")).toMatch(/^0 of usd, and 0.2 asked \(\d{4}-\d\d-\d\d Asia\/Tokyo\)$/);
  });

  // BerriAI/litellm#22726
  it("is nothing without budgets, and without a runtime", async () => {
    const { flow } = shop();
    expect(await flow.run({ count: 3 })).toBe(3);
    const runtime = opened(createRuntime({ workflows: { shop: flow } }));
    expect(await runtime.run("shop", { count: 3 })).toBe(3);
  });
});

describe("bad input", () => {
  it("is refused at the door, with all problems", () => {
    const budgets = { run: { usd: -1, calls: 1.5, dollars: 3 }, tenant: { timezone: "Mars", tokensPerDay: "3" } };
    const make = () => createRuntime({ workflows: { shop: shop().flow }, budgets: budgets as never });
    const problems = [
      expect.stringMatching("`budgets.run.dollars`"),
      "`budgets.run.usd` is -1, not a number from 0",
      "`budgets.run.calls` is 1.5, not a whole number from 0",
      '`budgets.tenant.tokensPerDay` is "3", not a whole number from 0',
      '`budgets.tenant.timezone` is "Mars", not an IANA time zone such as "Europe/Berlin"',
    ];
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID", details: { problems } }));
  });

  it("is refused for a cost, before anything is called", async () => {
    let made = 0;
    const flow = defineWorkflow("shop")
      .step("buy", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await budgetOf(ctx).run("call", () => made++, { cost: { usd: Number.NaN, tokens: -1 } });
        return new StopEvent({ result: null });
      })
      .build();
    const runtime = runtimeWith(flow as never, { run: { usd: 1 } });
    await expect(runtime.run("shop")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(runtime.budgets.allow("r1", { usd: -1 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(runtime.budgets.tenant({ day: "today" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(runtime.budgets.tenants({ day: "today" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(runtime.budgets.tenants({ tenant: "a" } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(made).toBe(0);
  });
});
