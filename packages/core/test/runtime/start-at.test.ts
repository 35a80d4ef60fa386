/** Runs that begin later. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;

class Poke extends ExternalEvent.define("Poke", {}) {}

function later() {
  const begun: number[] = [];
  const machine = new Machine();
  const work = defineWorkflow("later")
    .step("work", { on: StartEvent, emits: StopEvent }, () => {
      begun.push(machine.clock.now());
      return new StopEvent({ result: "done" });
    })
    .step("poked", { on: Poke }, () => {})
    .build();
  return { begun, machine, flows: { work } };
}

describe("a run with startAt", () => {
  it("is stored at once and begins when its time has come", async () => {
    const { begun, machine, flows } = later();
    const { runtime } = machine.open(flows);
    const startAt = machine.clock.now() + HOUR;
    const handle = runtime.run("work", {}, { runId: "one", startAt: new Date(startAt) });
    await handle.accepted;

    const [listed] = (await runtime.runs()).runs;
    expect(listed).toMatchObject({ runId: "one", status: "scheduled", wakeAtMs: startAt, ticks: 0 });
    expect(await handle.idle()).toEqual({ status: "waiting", prompts: [], wakeAtMs: startAt });
    await machine.clock.advance(HOUR - 1);
    expect(begun).toEqual([]);
    await machine.clock.advance(1);
    expect(begun).toEqual([startAt]);
    expect(await handle).toBe("done");
  });

  it("begins in another process, when the first has died", async () => {
    const { begun, machine, flows } = later();
    const first = machine.open(flows);
    await first.runtime.run("work", {}, { runId: "one", startAt: machine.clock.now() + HOUR }).accepted;
    first.kill();
    await machine.clock.advance(2 * HOUR);
    const { runtime } = machine.open(flows);
    expect(begun).toEqual([]);

    expect(await runtime.start()).toBe(1);
    expect(await runtime.handle("one")).toBe("done");
    expect(begun).toHaveLength(1);
  });

  it("begins once, with many processes that wait for its time", async () => {
    const { begun, machine, flows } = later();
    const processes = [1, 2, 3].map(() => machine.open(flows).runtime);
    await processes[0]?.run("work", {}, { runId: "one", startAt: machine.clock.now() + HOUR }).accepted;
    await Promise.all(processes.map((runtime) => runtime.start()));
    await machine.clock.advance(HOUR);

    expect(await Promise.all(processes.map((runtime) => runtime.handle("one")))).toEqual(["done", "done", "done"]);
    expect(begun).toHaveLength(1);
  });

  it("in the past begins at once", async () => {
    const { begun, machine, flows } = later();
    const handle = machine.open(flows).runtime.run("work", {}, { startAt: 5 });

    expect(await handle).toBe("done");
    expect(begun).toHaveLength(1);
  });

  it("given again with the same id and input is the same run", async () => {
    const { begun, machine, flows } = later();
    const { runtime } = machine.open(flows);
    const options = { runId: "one", startAt: machine.clock.now() + HOUR };
    await runtime.run("work", {}, options).accepted;
    await runtime.run("work", {}, options).accepted;
    expect((await rejection(runtime.run("work", { n: 1 } as never, options).accepted)).code).toBe("RUN_ID_CONFLICT");
    await machine.clock.advance(HOUR);

    expect(begun).toHaveLength(1);
  });

  it("that is cancelled before its time never begins", async () => {
    const { begun, machine, flows } = later();
    const { runtime } = machine.open(flows);
    const handle = runtime.run("work", {}, { runId: "one", startAt: machine.clock.now() + HOUR });
    await handle.accepted;
    await handle.cancel("not needed");
    await machine.clock.advance(2 * HOUR);

    expect((await rejection(handle)).code).toBe("RUN_CANCELLED");
    expect(begun).toEqual([]);
  });

  it("does not begin before its time because somebody has sent it an event", async () => {
    const { begun, machine, flows } = later();
    const { runtime } = machine.open(flows);
    const handle = runtime.run("work", {}, { runId: "one", startAt: machine.clock.now() + HOUR });
    await handle.accepted;
    void handle.sendEvent(new Poke());
    void handle.sendEvent(new Poke(), { key: "once" });
    await settle();

    expect(begun).toEqual([]);
    expect(await state(handle)).toBe("pending");
    await machine.clock.advance(HOUR);
    expect(await handle).toBe("done");
  });

  it("says so when the store does not take it", async () => {
    const { machine, flows } = later();
    const full = async (): Promise<never> => {
      throw new Error("The disk is full.");
    };
    const { runtime } = machine.open(flows, { store: withMethods(memoryStore(), { commit: full }) });
    const handle = runtime.run("work", {}, { startAt: machine.clock.now() + HOUR });

    await expect(handle.accepted).rejects.toThrow("The disk is full.");
  });

  it("can be deleted before its time", async () => {
    const { begun, machine, flows } = later();
    const { runtime } = machine.open(flows);
    const handle = runtime.run("work", {}, { runId: "one", startAt: machine.clock.now() + HOUR });
    await handle.accepted;
    await runtime.delete("one");
    await machine.clock.advance(2 * HOUR);

    expect((await rejection(handle)).code).toBe("RUN_UNKNOWN");
    expect(begun).toEqual([]);
  });
});
