/** The end of a run is stored with the end of its last step, where that alone ends it. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunCommit, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent, type Workflow } from "../../src/index.js";
import { withMethods } from "../support/processes.js";
import { silent } from "../support/runtimes.js";
import { settle } from "../support/virtual-clock.js";

class Next extends event("Next", { n: z.number() }) {}
class Aside extends event("Aside", {}) {}
class Shown extends event("Shown", { n: z.number() }) {}
class Poke extends ExternalEvent.define("Poke", {}) {}

const key = { tenant: "", runId: "run" };

/** Notes the commits, and holds the first one that has an end until it is let go. */
function holding(inner: RunStore = memoryStore()) {
  const commits: RunCommit[] = [];
  let isHeld = false;
  let letGo = (): void => {};
  const store = withMethods(inner, {
    async commit(all) {
      commits.push(...all);
      const results = await inner.commit(all);
      if (isHeld && all.some(({ summary }) => (summary?.outcome ?? null) !== null)) {
        isHeld = false;
        await new Promise<void>((resolve) => (letGo = resolve));
      }
      return results;
    },
  });
  return { commits, store, hold: () => (isHeld = true), letGo: () => letGo() };
}

const isEnd = ({ summary }: RunCommit): boolean => (summary?.outcome ?? null) !== null;

function opened() {
  const held = holding();
  const ran: string[] = [];
  const flow = defineWorkflow("flow")
    .step("first", { on: StartEvent, emits: Next }, () => new Next({ n: 1 }))
    .step("last", { on: Next, emits: StopEvent }, async ({ n }) => {
      ran.push("last");
      return new StopEvent({ result: n });
    })
    .build();
  const open = () => createRuntime({ workflows: { flow }, store: held.store, log: silent });
  return { ...held, open, runtime: open(), ran };
}

it("a run of two steps is three commits: its start, its first step, its last step with its end", async () => {
  // A slow machine gives the host a turn in between, and the first step a commit before its time.
  const stands = vi.spyOn(Date, "now").mockReturnValue(Date.now());
  onTestFinished(() => stands.mockRestore());
  const { commits, runtime } = opened();

  expect(await runtime.run("flow", {}, { runId: "run" })).toBe(1);
  await runtime.stop();

  expect(commits.map((one) => [one.ticks?.last, isEnd(one), one.release === true])).toEqual([
    [1, false, false],
    [2, false, false],
    [3, true, true],
  ]);
});

describe("while the end is on its way to the store", () => {
  it("a cancellation comes too late", async () => {
    const { runtime, hold, letGo } = opened();
    hold();
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    const cancelled = run.cancel("no");
    await settle();
    letGo();

    expect(await cancelled).toMatchObject({ status: "refused", code: "RUN_FINISHED" });
    expect(await run).toBe(1);
    expect(await run.outcome()).toMatchObject({ status: "completed", result: 1 });
    await runtime.stop();
  });

  it("the runtime is stopped: the run has ended, and who waits for it is told", async () => {
    const { runtime, open, hold, letGo, ran } = opened();
    hold();
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    const stopped = runtime.stop({ drainMs: 0 });
    await settle();
    letGo();
    await stopped;

    expect(await run).toBe(1);
    const next = open();
    expect(await next.handle("run")).toBe(1);
    expect(ran).toEqual(["last"]);
    await next.stop();
  });

  it("its process dies: another one has the result, and runs no step again", async () => {
    const { runtime, open, hold, ran, store } = opened();
    hold();
    runtime.run("flow", {}, { runId: "run" });
    await settle(); // and no answer of the store comes any more

    expect(await store.run(key)).toMatchObject({ status: "completed", lease: null });
    const other = open();
    expect(await other.handle("run")).toBe(1);
    expect(await other.handle("run").cancel("no")).toMatchObject({ status: "refused", code: "RUN_FINISHED" });
    expect(ran).toEqual(["last"]);
    await other.stop();
  });

  it("another process may delete the run: who waits for it here has the result", async () => {
    const { runtime, open, hold, letGo, store } = opened();
    hold();
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    const other = open();
    await other.delete("run");
    letGo();

    expect(await run).toBe(1);
    expect(await store.run(key)).toBeNull();
    await Promise.all([runtime.stop(), other.stop()]);
  });

  it("its summary is that of the row, before and after", async () => {
    const { runtime, hold, letGo } = opened();
    hold();
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    const early = await run.summary();
    letGo();
    await run;

    expect(early).toMatchObject({ status: "completed", ticks: 3 });
    expect(await run.summary()).toEqual(early);
    await runtime.stop();
    expect(early.endedAtMs).not.toBeNull();
  });

  it("a copy of the run can be asked for, and says that the run is at work", async () => {
    const { runtime, hold, letGo } = opened();
    hold();
    const run = runtime.run("flow", {}, { runId: "run" });
    await settle();
    const early = await run.snapshot();
    letGo();

    expect(early).toMatchObject({ status: "running" });
    expect(await run).toBe(1);
    expect(await run.snapshot()).toMatchObject({ status: "completed" });
    await runtime.stop();
  });
});

describe("the end has a commit of its own where the last step", () => {
  const stop = new StopEvent({ result: 1 });
  const base = () => defineWorkflow("flow");
  const flows = {
    "shows something": base().step("last", { on: StartEvent, emits: StopEvent, streams: Shown }, (_, ctx) =>
      ctx.finish(() => {
        ctx.writeEventToStream(new Shown({ n: 1 }));
        return new StopEvent({ result: 1 });
      }),
    ),
    "sends something": base()
      .step("last", { on: StartEvent, emits: [Aside, StopEvent] }, (_, ctx) => {
        ctx.sendEvent(new Aside());
        return stop;
      })
      .step("aside", { on: Aside }, () => {}),
    "is not alone": base()
      .step("last", { on: StartEvent, emits: StopEvent }, () => stop)
      .step("beside", { on: StartEvent, waits: Poke }, async (_, ctx) => void (await ctx.waitForEvent(Poke))),
  };

  it.each(Object.entries(flows))("%s", async (_name, made) => {
    const { commits, store } = holding();
    const runtime = createRuntime({ workflows: { flow: made.build() as Workflow }, store, log: silent });
    const run = runtime.run("flow", {}, { runId: "run" });

    expect(await run).toBe(1);
    await runtime.stop();

    const ends = commits.filter(isEnd);
    expect(ends).toHaveLength(1);
    expect(ends[0]?.ticks).toBeUndefined();
    expect(await store.run(key)).toMatchObject({ status: "completed", lease: null });
  });
});

describe("a run that waits and is cancelled", () => {
  function waiting() {
    const held = holding();
    const flow = defineWorkflow("flow")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_, ctx) => {
        await ctx.waitForEvent(Poke);
        return new StopEvent({ result: 1 });
      })
      .build();
    const open = () => createRuntime({ workflows: { flow }, store: held.store, log: silent });
    return { ...held, open, runtime: open() };
  }

  it("has its end in the commit of its tick", async () => {
    const { commits, runtime, store } = waiting();
    const run = runtime.run("flow", {}, { runId: "run" });
    await run.idle();
    await settle();
    commits.length = 0;

    expect(await run.cancel("no")).toMatchObject({ status: "accepted" });
    await runtime.stop();

    expect(commits.map((one) => [one.ticks?.last, isEnd(one), one.release === true])).toEqual([[4, true, true]]);
    expect(await store.run(key)).toMatchObject({ status: "cancelled", lease: null });
  });

  it("has the receipt of the post there, too", async () => {
    const { commits, runtime, store } = waiting();
    const run = runtime.run("flow", {}, { runId: "run" });
    await run.idle();
    await settle();
    commits.length = 0;

    const receipt = await run.cancel("no", { key: "once" });
    await runtime.stop();

    expect(receipt).toMatchObject({ status: "accepted" });
    expect(commits.map((one) => [isEnd(one), one.receipts?.length])).toEqual([[true, 1]]);
    expect(await store.receipt(key, "cancel once")).toBe(JSON.stringify(receipt));
  });

  it("is resumed after its end, also while that is on its way to the store", async () => {
    const { runtime, hold, letGo } = waiting();
    const run = runtime.run("flow", {}, { runId: "run" });
    await run.idle();
    await settle();
    hold();
    const cancelled = run.cancel("no");
    await settle();
    const resumed = runtime.resume("run");
    await settle();
    letGo();

    expect(await cancelled).toMatchObject({ status: "accepted" });
    await resumed.accepted;
    expect(await resumed.sendEvent(new Poke())).toMatchObject({ status: "accepted" });
    expect(await resumed).toBe(1);
    await runtime.stop();
  });
});
