/** What a caller does in the next line: nothing has to be waited for. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { silent } from "../support/runtimes.js";
import { VirtualClock } from "../support/virtual-clock.js";

const stopped = <Result>(result: Result): StopEvent<Result> => new StopEvent({ result });

function flows(world: { fails: boolean }) {
  return {
    quick: defineWorkflow("quick")
      .step("work", { on: StartEvent, emits: StopEvent }, () => stopped("done"))
      .build(),
    sleeps: defineWorkflow("sleeps")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("10ms");
        return stopped("awake");
      })
      .build(),
    fails: defineWorkflow("fails")
      .step("work", { on: StartEvent, emits: StopEvent }, () => {
        if (world.fails) throw new Error("no");
        return stopped("in the end");
      })
      .build(),
  };
}

function open(world: { fails: boolean } = { fails: true }, ports: { readonly clock?: VirtualClock } = {}) {
  return createRuntime({ workflows: flows(world), store: memoryStore(), log: silent, ...ports });
}

describe("right away", () => {
  it("a run that was awaited is listed as completed, and can be deleted", async () => {
    const runtime = open();
    await runtime.run("quick", {}, { runId: "one" });

    const { runs } = await runtime.runs({ status: "completed" });
    await runtime.delete("one");

    expect(runs.map(({ runId }) => runId)).toEqual(["one"]);
    expect((await runtime.runs()).runs).toEqual([]);
    await runtime.stop();
  });

  it("a cancelled run is resumed, and a failed one retried", async () => {
    const world = { fails: true };
    const clock = new VirtualClock(); // or it might be awake before the cancel
    const runtime = open(world, { clock });
    const asleep = runtime.run("sleeps", {}, { runId: "asleep" });
    await asleep.cancel("not now");
    await runtime.run("fails", {}, { runId: "fails" }).catch(() => {});
    world.fails = false;

    const resumed = runtime.resume("asleep");
    await clock.advance(10);
    expect(await resumed).toBe("awake");
    expect(await runtime.retry("fails")).toBe("in the end");
    await runtime.stop();
  });

  it("the handle of a run that was just started reads its stream; that of none says so", async () => {
    const runtime = open();
    runtime.run("quick", {}, { runId: "one" });

    const shown = await runtime.handle("one").streamEvents().toArray();

    expect(shown.map(({ event }) => event.type)).toEqual(["StopEvent"]);
    await expect(runtime.handle("none").accepted).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
    await runtime.stop();
  });

  it("whoever awaits a run that does not end before the runtime stops is told so", async () => {
    const runtime = open();
    const handle = runtime.run("sleeps", {}, { startAt: Date.now() + 60_000 });
    await handle.accepted;
    const result = handle.then(
      () => "ended",
      (error) => error.code,
    );
    const shown = handle
      .streamEvents()
      .toArray()
      .catch((error) => error.code);

    await runtime.stop();

    expect(await result).toBe("RUNTIME_STOPPED");
    expect(await shown).toBe("RUNTIME_STOPPED");
  });

  it("check and retain look at every tenant", async () => {
    const runtime = open();
    await runtime.run("quick", {}, { tenant: "a" });
    await runtime.run("quick", {}, { tenant: "b" });
    await runtime.run("sleeps", {}, { tenant: "c", startAt: Date.now() + 60_000 }).accepted;

    const report = await runtime.check();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const deleted = await runtime.retain({ olderThan: 1 });

    expect(report.runs).toBe(1);
    expect(deleted).toBe(2);
    await runtime.stop();
  });
});
