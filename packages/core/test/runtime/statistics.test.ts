/** What a runtime counts as runs and attempts end, and how it is read. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunCommit, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../../src/index.js";
import { keptOpen, Machine, withMethods } from "../support/processes.js";

class Order extends StartEvent.define("Order", { ms: z.number().optional(), fails: z.string().optional() }) {}

const flows = () => ({
  order: defineWorkflow("order")
    .step("charge", { on: Order, emits: StopEvent }, async ({ ms = 0, fails }, ctx) => {
      if (ms > 0) await ctx.sleep(ms);
      if (fails !== undefined) throw Object.assign(new Error(fails), { code: "DECLINED" });
      return new StopEvent({ result: "ok" });
    })
    .build(),
});

const machine = () => {
  const opened = new Machine();
  return { machine: opened, ...opened.open(flows()) };
};

describe("figures", () => {
  it("count runs and attempts, how many failed, and how long they took", async () => {
    const { runtime, machine: here } = machine();
    const runs = [0, 1_000, 2_000, 60_000].map((ms) => runtime.run("order", { ms }));
    await here.clock.advance(70_000);
    await Promise.all(runs);
    await expect(runtime.run("order", { fails: "no" })).rejects.toThrow("no");

    const { workflows } = await runtime.statistics.figures({ workflow: "order" });
    expect(workflows).toMatchObject([
      {
        ...{ workflow: "order", count: 5, failed: 1, failureRate: 0.2 },
        steps: [{ step: "charge", count: 5, failed: 1 }],
      },
    ]);
    expect(Math.abs((workflows[0]?.p95Ms ?? 0) - 60_000)).toBeLessThan(3_000);
    expect(Math.abs((workflows[0]?.p50Ms ?? 0) - 1_000)).toBeLessThan(50);
    expect(workflows[0]?.periods.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  it("are without steps unless a workflow is named, and empty for other workflows and tenants", async () => {
    const { runtime } = machine();
    await runtime.run("order", {});

    expect((await runtime.statistics.figures()).workflows).toMatchObject([{ workflow: "order", steps: [] }]);
    for (const filter of [{ workflow: "other" }, { workflows: [] }, { tenant: "acme" }])
      expect((await runtime.statistics.figures(filter)).workflows).toEqual([]);
    expect((await runtime.statistics.figures({ workflow: "order", workflows: ["other"] })).workflows).toEqual([]);
  });

  it("leave out what ended before or after", async () => {
    const { runtime, machine: here } = machine();
    await runtime.run("order", {});
    const nowMs = here.clock.now();
    const hour = 3_600_000;

    const count = async (filter: object) => (await runtime.statistics.figures(filter)).workflows[0]?.count ?? 0;
    expect(await count({ after: nowMs - hour, before: nowMs + hour })).toBe(1);
    expect(await count({ after: nowMs + hour, before: nowMs + 2 * hour })).toBe(0);
    expect(await count({ after: nowMs - 3 * hour, before: nowMs - 2 * hour })).toBe(0);
  });

  it("count each attempt that is retried, with the time that it took itself", async () => {
    let calls = 0;
    const flaky = defineWorkflow("flaky")
      .step(
        "try",
        {
          on: StartEvent,
          emits: StopEvent,
          retry: retryPolicy({ stop: stop.afterAttempts(3), wait: wait.fixed("1h") }),
        },
        async (_event, ctx) => {
          await ctx.sleep(100);
          if (++calls < 3) throw new Error("not yet");
          return new StopEvent({ result: calls });
        },
      )
      .build();
    const here = new Machine();
    const { runtime } = here.open({ flaky });
    const run = runtime.run("flaky", {});
    await here.clock.advance(3 * 3_600_000);
    await run;

    const [figures] = (await runtime.statistics.figures({ workflow: "flaky" })).workflows;
    expect(figures?.steps).toMatchObject([{ step: "try", count: 3, failed: 2 }]);
    expect(figures?.steps[0]?.p95Ms).toBeLessThan(110);
    expect(figures).toMatchObject({ count: 1, failed: 0 });
  });

  it("are refused for what is no time, and for a range that ends before it begins", async () => {
    const { runtime } = machine();
    for (const filter of [{ after: Number.NaN }, { after: 5, before: 4 }, { by: "step" }, { workflow: 5 }, { foo: 1 }])
      await expect(runtime.statistics.figures(filter as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("failures", () => {
  it("are grouped by step and message, and lead to their runs", async () => {
    const { runtime } = machine();
    const failing = ["card 17 declined", "card 18 declined", "no such order"];
    for (const [index, fails] of failing.entries())
      await expect(runtime.run("order", { fails }, { runId: `r${index}` })).rejects.toThrow(fails);

    const { groups } = await runtime.statistics.failures();
    expect(groups).toMatchObject([
      { workflow: "order", step: "charge", code: "DECLINED", message: "card <number> declined", count: 2 },
      { message: "no such order", count: 1 },
    ]);
    expect(groups[0]?.versions).toEqual([{ version: null, count: 2 }]);
    expect(groups[0]?.periods.map(({ count }) => count)).toEqual([2]);
    const { runs } = await runtime.runs({ failure: groups[0]?.id as string });
    expect(runs.map(({ runId }) => runId).sort()).toEqual(["r0", "r1"]);
    expect((await runtime.runs({ failedStep: "charge" })).runs).toHaveLength(3);
    expect((await runtime.runs({ failedStep: "charge", workflow: "refund" })).runs).toEqual([]);
    expect((await runtime.statistics.failures({ limit: 1 })).groups).toHaveLength(1);
    expect((await runtime.statistics.failures({ version: "1.5.0" })).groups).toEqual([]);
  });

  it("count again when the run fails again, and list the run no more once it has completed", async () => {
    let isBroken = true;
    const repaired = defineWorkflow("repaired")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => {
        if (isBroken) throw new Error("broken");
        return new StopEvent({ result: 1 });
      })
      .build();
    const { runtime } = new Machine().open({ repaired });
    await expect(runtime.run("repaired", {}, { runId: "r" })).rejects.toThrow("broken");
    await expect(runtime.retry("r")).rejects.toThrow("broken");
    const [group] = (await runtime.statistics.failures()).groups;
    expect(group).toMatchObject({ count: 2 });
    expect((await runtime.runs({ failure: group?.id as string })).runs).toHaveLength(1);
    expect((await runtime.runs({ failedStep: "work" })).runs).toHaveLength(1);

    isBroken = false;
    await runtime.retry("r");
    expect((await runtime.runs({ failure: group?.id as string })).runs).toEqual([]);
    expect((await runtime.runs({ failedStep: "work" })).runs).toEqual([]);
    expect((await runtime.statistics.figures()).workflows).toMatchObject([{ count: 3, failed: 2 }]);
  });

  it("of a run that timed out are a group, too", async () => {
    const slow = defineWorkflow("slow")
      .step(
        "wait",
        { on: StartEvent, emits: StopEvent },
        (_event, ctx) =>
          new Promise<StopEvent>((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("late")))),
      )
      .build();
    const here = new Machine();
    const { runtime } = here.open({ slow });
    const run = runtime.run("slow", {}, { timeout: "1s" });
    const failing = expect(run).rejects.toThrow();
    await here.clock.advance(2_000);
    await failing;

    expect((await runtime.statistics.failures()).groups).toMatchObject([{ step: "wait", code: "RUN_TIMED_OUT" }]);
    expect((await runtime.runs({ failedStep: "wait" })).runs).toMatchObject([{ status: "timedOut" }]);
  });
});

describe("a histogram", () => {
  it("counts the runs that a list has, by time and status", async () => {
    const { runtime } = machine();
    await runtime.run("order", {}, { labels: { team: "a" } });
    await expect(runtime.run("order", { fails: "no" })).rejects.toThrow("no");

    const { bars, periodMs } = await runtime.statistics.histogram();
    expect(bars.map(({ counts }) => counts)).toEqual([{ completed: 1, failed: 1 }]);
    expect(periodMs).toBe(3 * 3_600_000);
    const ofTeam = await runtime.statistics.histogram({ labels: { team: "a" } });
    expect(ofTeam.bars.map(({ counts }) => counts)).toEqual([{ completed: 1 }]);
    await expect(runtime.statistics.histogram({ periods: 0 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("what is counted", () => {
  const endings = (commits: readonly RunCommit[]) => commits.flatMap(({ measures = [] }) => measures);

  it("is in the commits of the ticks and of the end that it counts", async () => {
    const commits: RunCommit[] = [];
    const inner = memoryStore();
    const store: RunStore = withMethods(inner, {
      commit: async (group) => {
        commits.push(...group);
        return inner.commit(group);
      },
    });
    const here = new Machine(keptOpen(store));
    const { runtime } = here.open(flows());
    const run = runtime.run("order", { ms: 5 });
    await here.clock.advance(10);
    await run;

    expect(endings(commits).map(({ step, status }) => [step, status])).toEqual([
      ["charge", "completed"],
      [null, "completed"],
    ]);
    for (const { measures = [], ticks, summary } of commits)
      if (measures.length > 0) expect(ticks ?? summary).toBeDefined();
  });

  it("is deleted by its age", async () => {
    const { runtime, machine: here } = machine();
    await runtime.run("order", {});
    expect(await runtime.statistics.delete({ olderThan: "1h" })).toBe(0);
    await here.clock.advance(2 * 3_600_000);

    expect(await runtime.statistics.delete({ olderThan: "1h", tenant: "other" })).toBe(0);
    expect(await runtime.statistics.delete({ olderThan: "1h" })).toBeGreaterThan(0);
    expect((await runtime.statistics.figures()).workflows).toEqual([]);
  });

  it("is neither lost nor counted twice by a process that dies with any of its commits", async () => {
    for (let diesAt = 1; diesAt <= 6; diesAt++) {
      const here = new Machine();
      const first = here.open(flows(), { diesAt });
      first.runtime.run("order", { ms: 5 }, { runId: "r" }).catch(() => {});
      await here.clock.advance(10);
      first.kill();
      const { runtime } = here.open(flows());
      await runtime.start();
      await here.clock.advance(120_000);
      const { runs } = await runtime.runs();
      const [figures] = (await runtime.statistics.figures({ workflow: "order" })).workflows;

      expect(runs, `dies at ${diesAt}`).toMatchObject([{ status: "completed" }]);
      expect(figures, `dies at ${diesAt}`).toMatchObject({ count: 1, steps: [{ step: "charge", count: 1 }] });
    }
  });
});
