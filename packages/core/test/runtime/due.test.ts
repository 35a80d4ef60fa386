/** What is due, for whoever wakes a process: a cron, an alarm. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const MINUTE = 60_000;

class Poke extends ExternalEvent.define("Poke", {}) {}

const flows = {
  nap: defineWorkflow("nap")
    .step("nap", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.sleep(10 * MINUTE);
      return new StopEvent({ result: "rested" });
    })
    .build(),
  poked: defineWorkflow("poked")
    .step("wait", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
      await ctx.waitForEvent(Poke);
      return new StopEvent({ result: "poked" });
    })
    .build(),
};

describe("runtime.due()", () => {
  it("knows nothing where nothing waits for a time", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(flows, { idleReleaseMs: 0 });
    expect(await runtime.due()).toEqual({ wakeAtMs: null });

    await runtime.run("poked", {}, { runId: "one" }).idle();
    await machine.clock.advance(1); // it leaves memory
    expect(await runtime.due()).toEqual({ wakeAtMs: null });
  });

  it("says when the next run continues by itself, until a process has claimed it", async () => {
    const machine = new Machine();
    const first = machine.open(flows, { idleReleaseMs: 0 });
    const startedAtMs = machine.clock.now();
    await first.runtime.run("nap", {}, { runId: "one", tenant: "acme" }).idle();
    const tomorrow = startedAtMs + 24 * 60 * MINUTE;
    await first.runtime.run("poked", {}, { runId: "two", startAt: tomorrow }).accepted;
    await machine.clock.advance(1);
    first.kill();
    const { runtime } = machine.open(flows);
    const wakeAtMs = startedAtMs + 10 * MINUTE;
    expect(await runtime.due()).toEqual({ wakeAtMs });

    await machine.clock.advance(11 * MINUTE);
    expect(await runtime.due()).toEqual({ wakeAtMs });

    expect(await runtime.start()).toBe(1);
    expect(await runtime.handle("one", { tenant: "acme" })).toBe("rested");
    await settle();
    expect(await runtime.due()).toEqual({ wakeAtMs: tomorrow });
  });

  it("counts a run that a process has from the end of its lease", async () => {
    const machine = new Machine();
    const lost = machine.open(flows, { leaseMs: 5_000 });
    const startedAtMs = machine.clock.now();
    await lost.runtime.run("nap", {}, { runId: "one" }).accepted;
    const { runtime } = machine.open(flows);
    expect(await runtime.due()).toEqual({ wakeAtMs: startedAtMs + 5_000 });

    lost.kill();
    await machine.clock.advance(6_000);
    expect(await runtime.due()).toEqual({ wakeAtMs: startedAtMs + 5_000 });
  });

  it("looks at the workflows that are here", async () => {
    const machine = new Machine();
    const first = machine.open(flows, { idleReleaseMs: 0 });
    await first.runtime.run("nap", {}, { runId: "one" }).idle();
    await machine.clock.advance(1);

    expect(await machine.open({ poked: flows.poked }).runtime.due()).toEqual({ wakeAtMs: null });
  });
});
