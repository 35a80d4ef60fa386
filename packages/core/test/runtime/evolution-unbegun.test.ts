/** Stored runs that had not begun, or whose state has another shape, under code that has changed since. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { count, doubled, flow, Go, HOUR, key, stored, type Version } from "../support/evolving.js";
import { Machine, state } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

describe.each([
  ["with a state that what is stored does not fit", { state: { count: z.string().default("") } }, "STATE_INVALID"],
  [
    "with a state that what is stored does not fit, and a changed step",
    { workers: 5, state: { count: z.string().default("") } },
    "STATE_INVALID",
  ],
] as const)("a stored run under code %s", (_what, version, problem) => {
  it(
    problem === null ? "is no problem to check, and goes on" : `is ${problem} to check, and does not go on`,
    async () => {
      const machine = await stored();
      const { runtime, log } = machine.open({ flow: flow(version as Version) });
      const before = await machine.dump(key);

      const report = await runtime.check();

      expect(report.runs).toBe(1);
      expect(report.problems.map(({ runId, workflow, code }) => [runId, workflow, code])).toEqual(
        problem === null ? [] : [["one", "flow", problem]],
      );
      expect(await machine.dump(key)).toEqual(before);
      await runtime.start();
      const handle = runtime.handle("one");
      if (problem === null) {
        expect(await handle.sendEvent(new Go({}))).toMatchObject({ status: "accepted" });
        expect(await handle).toHaveLength(2);
      } else {
        expect(log.lines.join()).toContain('"one"');
        expect(await state(handle)).toMatchObject({ error: { code: problem } });
        expect((await machine.row("one")).status).toBe("waiting");
      }
    },
  );
});

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
