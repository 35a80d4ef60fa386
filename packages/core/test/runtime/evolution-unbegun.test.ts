/** Stored runs that had not begun, under code that has changed since. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { count, doubled, flow, Go, HOUR, stored } from "../support/evolving.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

describe("check", () => {
  it("has nothing against a run that has not begun", async () => {
    const machine = new Machine();
    const before = machine.open({ flow: flow() }).runtime;
    await before.run("flow", {}, { runId: "one", startAt: machine.clock.now() + HOUR }).accepted;
    const { runtime } = machine.open({ flow: flow({ step: "other", ...doubled }) });

    expect(await runtime.check()).toEqual({ runs: 1, problems: [] });
    await machine.clock.advance(HOUR);
    const handle = runtime.handle("one");
    await handle.sendEvent(new Go({}));
    expect(await handle).toHaveLength(2);
  });

  it("names a run that has not begun and whose input the new code does not take", async () => {
    const machine = new Machine();
    await machine.open({ flow: flow() }).runtime.run("flow", {}, { runId: "one", startAt: machine.clock.now() + HOUR })
      .accepted;
    class Begin extends StartEvent.define("Begin", { n: z.number() }) {}
    const other = defineWorkflow("evolving")
      .step("begin", { on: Begin, emits: StopEvent }, () => new StopEvent())
      .build();
    const { runtime } = machine.open({ flow: other });

    expect((await runtime.check()).problems).toHaveLength(1);
  });
});

describe("a run that was stored and has not begun when the code changes", () => {
  it("begins on the state of the new code, which is not migrated later", async () => {
    const machine = new Machine();
    const old = machine.open({ flow: flow() });
    await old.runtime.run("flow", {}, { runId: "one", startAt: machine.clock.now() + HOUR }).accepted;
    old.kill();
    await machine.clock.advance(HOUR);
    const first = machine.open({ flow: flow({ ...doubled, workers: 5 }) }, { leaseMs: 1_000 });
    await first.runtime.start();
    await first.runtime.handle("one").idle();
    expect((await first.runtime.handle("one").snapshot()) as unknown).toMatchObject({ store: { json: { count: 1 } } });
    await settle();
    first.kill();
    await machine.clock.advance(HOUR);
    const { runtime } = machine.open({ flow: flow({ ...doubled, workers: 5 }) });
    await runtime.start();
    const handle = runtime.handle("one");
    await handle.sendEvent(new Go({}));

    expect(await handle).toEqual([{ text: "hello" }, { count: 1 }]);
  });
});

describe("a state that has one field more with a default", () => {
  it("gets it when the run goes on", async () => {
    const machine = await stored();
    const handle = machine
      .open({ flow: flow({ state: { ...count, unit: z.string().default("h") } }) })
      .runtime.resume("one");
    await handle.accepted;
    await handle.sendEvent(new Go({}));

    expect(await handle).toEqual([{ text: "hello" }, { count: 1, unit: "h" }]);
  });
});
