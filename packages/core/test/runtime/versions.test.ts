/** The version of the program that starts and continues runs. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRuntime, memoryStore } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";

class End extends ExternalEvent.define("End", {}) {}

const waits = defineWorkflow("waits")
  .step("start", { on: StartEvent }, () => {})
  .step("end", { on: End, emits: StopEvent }, () => new StopEvent({ result: "ended" }))
  .build();

afterEach(() => vi.unstubAllEnvs());

describe("the version of a program", () => {
  it("is that of the runs that it starts, in lists and filters", async () => {
    const machine = new Machine();
    const old = machine.open({ waits }, { version: "1.4.0" });
    await old.runtime.run("waits", {}, { runId: "a" }).idle();
    const next = machine.open({ waits }, { version: "1.5.0" });
    await next.runtime.run("waits", {}, { runId: "b" }).idle();

    const idsOf = async (version: string) => (await next.runtime.runs({ version })).runs.map(({ runId }) => runId);
    expect(await idsOf("1.4.0")).toEqual(["a"]);
    expect(await idsOf("1.5.0")).toEqual(["b"]);
    expect(await idsOf("1")).toEqual([]);
    expect(await next.runtime.handle("a").summary()).toMatchObject({ version: "1.4.0" });
  });

  it("is that of the program that has continued a run last, and its journal says since when", async () => {
    const machine = new Machine();
    const old = machine.open({ waits }, { version: "1.4.0" });
    await old.runtime.run("waits", {}, { runId: "a" }).idle();
    await old.runtime.stop();
    const next = machine.open({ waits }, { version: "1.5.0" });
    await next.runtime.start();

    await next.runtime.handle("a").sendEvent(new End({}));

    expect(await next.runtime.handle("a")).toBe("ended");
    expect(await next.runtime.handle("a").summary()).toMatchObject({ version: "1.5.0", status: "completed" });
    expect((await next.runtime.runs({ version: "1.4.0" })).runs).toEqual([]);
    const batches = await machine.store.ticks({ tenant: "", runId: "a" }, { after: 0, limit: 100 });
    const named = batches.flatMap(({ first, text }) =>
      (JSON.parse(text) as { code?: string; version?: string }[]).flatMap(({ code, version }) =>
        code === undefined ? [] : [{ first, version }],
      ),
    );
    expect(named).toHaveLength(1);
    expect(named[0]).toMatchObject({ version: "1.5.0" });
    expect(named[0]?.first).toBeGreaterThan(1);
  });

  it("stays with a run that only the same version continues", async () => {
    const machine = new Machine();
    const old = machine.open({ waits }, { version: "1.4.0" });
    await old.runtime.run("waits", {}, { runId: "a" }).idle();
    await old.runtime.stop();
    const { runtime } = machine.open({ waits }, { version: "1.4.0" });
    await runtime.start();
    await runtime.handle("a").sendEvent(new End({}));
    await runtime.handle("a");

    const batches = await machine.store.ticks({ tenant: "", runId: "a" }, { after: 0, limit: 100 });
    expect(batches.map(({ text }) => text).join()).not.toContain('"version"');
  });

  it("is not known without one", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ waits });
    await runtime.run("waits", {}, { runId: "a" }).idle();
    expect(await runtime.handle("a").summary()).toMatchObject({ version: null });
  });

  it("is that of a fork, and of a run that moves", async () => {
    const [here, there] = [new Machine(), new Machine()];
    const { runtime } = here.open({ waits }, { version: "1.4.0" });
    await runtime.run("waits", {}, { runId: "a" }).idle();
    const forked = here.open({ waits }, { version: "1.5.0" }).runtime;
    await forked.fork("a", { at: 1, runId: "b" }).idle();
    expect(await forked.handle("b").summary()).toMatchObject({ version: "1.5.0" });
    await runtime.stop();
    await forked.stop();

    const from = here.open({ waits }, { version: "9", execute: false }).runtime;
    const to = there.open({ waits }, { version: "9", execute: false }).runtime;
    await to.import(from.export("a"));
    expect(await to.handle("a").summary()).toMatchObject({ version: "1.4.0" });
  });

  it("is that of the environment, if it is not given", async () => {
    vi.stubEnv("MILLRACE_VERSION", "abc123");
    const runtime = createRuntime({ workflows: { waits }, store: memoryStore() });
    await runtime.run("waits", {}, { runId: "a" }).idle();
    expect(await runtime.handle("a").summary()).toMatchObject({ version: "abc123" });
    await runtime.stop();
  });

  it.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
    ["with U+0000", "a\0b"],
    ["a number", 5],
  ])("is refused: %s", (_what, version) => {
    const make = (): unknown => createRuntime({ workflows: { waits }, version: version as string });
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
