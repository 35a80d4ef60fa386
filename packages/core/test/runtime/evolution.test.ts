/** Stored runs under code that has changed since. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Context, defineWorkflow, StartEvent, StopEvent, type Workflow } from "../../src/index.js";
import { count, doubled, flow, Go, HOUR, key, Note, OldNote, stored, type Version } from "../support/evolving.js";
import { historyOf, Machine, state } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

describe.each([
  ["as it was", {}, null],
  ["with an event of a new version", { note: Note }, null],
  ["with a renamed step", { step: "await" }, "SNAPSHOT_MISMATCH"],
  ["with a state that has one field more with a default", { state: { ...count, unit: z.string().default("h") } }, null],
  ["with a state of a new version", doubled, null],
  [
    "with a migration that fails",
    { version: 2, migrate: () => Promise.reject(new Error("no")) as never },
    "STATE_INVALID",
  ],
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
      await settle();
      const handle = runtime.handle("one");
      if (problem === null) {
        expect(await handle.sendEvent(new Go({}))).toMatchObject({ status: "accepted" });
        expect(await handle).toHaveLength(2);
      } else {
        expect(log.lines.join()).toContain('"one"');
        expect(await state(handle)).toMatchObject({ error: { code: problem } });
        await expect(handle.idle()).rejects.toMatchObject({ code: problem });
        await expect(handle.sendEvent(new Go({}))).rejects.toMatchObject({ code: problem });
        await expect(handle.cancel()).rejects.toMatchObject({ code: problem });
        expect((await machine.row("one")).status).toBe("waiting");
      }
    },
  );
});

describe("check", () => {
  it("names runs whose workflow is not there any more, of the tenant that is asked for", async () => {
    const machine = await stored();
    const { runtime } = machine.open({ other: flow() });

    expect((await runtime.check()).problems).toMatchObject([{ runId: "one", code: "WORKFLOW_UNKNOWN" }]);
    expect(await runtime.check({ tenant: "acme" })).toEqual({ runs: 0, problems: [] });
  });

  it("looks at every page of runs, and not at those that have ended", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: flow() });
    for (let n = 0; n < 205; n++) await runtime.run("flow", {}, { runId: `run-${n}` }).accepted;
    await settle();
    const handle = runtime.handle("run-7");
    await handle.sendEvent(new Go({}));
    await handle;
    await settle();

    expect(await runtime.check()).toEqual({ runs: 204, problems: [] });
  });
});

describe("a state of an older version", () => {
  it.each([1, 2, 3, 4, 5, 6])(
    "is migrated once, also when the process dies with commit %i of the new code",
    async (diesAt) => {
      const machine = await stored();
      const dying = machine.open({ flow: flow(doubled) }, { diesAt, leaseMs: 1_000 });
      const handle = dying.runtime.handle("one");
      void handle.sendEvent(new Go({}), { key: "go" });
      await settle();
      await settle();
      dying.kill();
      await machine.clock.advance(HOUR);
      const { runtime } = machine.open({ flow: flow(doubled) });
      await runtime.start();
      const again = runtime.handle("one");
      await again.sendEvent(new Go({}), { key: "go" });

      expect(await again).toEqual([{ text: "hello" }, { count: 10 }]);
    },
  );

  it("is migrated once when it is loaded often", async () => {
    const machine = await stored();
    for (let load = 0; load < 3; load++) {
      const process = machine.open({ flow: flow(doubled) }, { leaseMs: 1_000, snapshotEvery: load + 1 });
      await process.runtime.start();
      await process.runtime.resume("one").accepted;
      await settle();
      process.kill();
      await machine.clock.advance(HOUR);
    }
    const handle = machine.open({ flow: flow(doubled) }).runtime.resume("one");
    await handle.accepted;
    await handle.sendEvent(new Go({}));

    expect(await handle).toEqual([{ text: "hello" }, { count: 10 }]);
  });

  it("is migrated once when the run has to queue for its turn first", async () => {
    const machine = await stored();
    const queued = () => {
      const one = flow(doubled);
      return { flow: one };
    };
    const limited = defineWorkflow("evolving", { state: { count: z.number().default(1) }, ...doubled } as never)
      .step("begin", { on: StartEvent, emits: OldNote }, async (ev) => {
        if (ev.get("busy") === true) await new Promise(() => {});
        return new OldNote({ text: "hello" });
      })
      .step("wait", { on: OldNote, emits: StopEvent, waits: Go }, async (ev, ctx) => {
        await ctx.waitForEvent(Go);
        const store = ctx.store as unknown as { getState(): Promise<object> };
        return new StopEvent({ result: [{ ...ev }, { ...(await store.getState()) }] });
      })
      .build({ maxConcurrentRuns: 1 });
    const busy = machine.open({ flow: limited }, { leaseMs: 1_000 });
    await busy.runtime.run("flow", { busy: true } as never, { runId: "busy" }).accepted;
    await settle();
    await busy.runtime.resume("one").accepted;
    await settle();
    busy.kill();
    await machine.clock.advance(HOUR);
    const { runtime } = machine.open(queued());
    const handle = runtime.resume("one");
    await handle.accepted;
    await settle();
    await handle.sendEvent(new Go({}));

    expect(await handle).toEqual([{ text: "hello" }, { count: 10 }]);
  });

  it("is in the history as a change of the code before all else, and what was before stays as it was", async () => {
    const machine = await stored();
    const { runtime } = machine.open({ flow: flow({ ...doubled, workers: 5 }) });
    const handle = runtime.resume("one");
    await handle.accepted;
    await handle.sendEvent(new Go({}));
    await handle;
    await settle();

    const entries = await historyOf(runtime as never, "one");
    const types = entries.map(({ tick }) => tick.type);
    const resumed = types.indexOf("run.resumed");
    expect(types.slice(resumed - 2, resumed)).toEqual(["definition.changed", "state.edited"]);
    expect(types.filter((type) => type === "state.edited")).toHaveLength(1);
    const at = async (number: number) => (await runtime.stateAt("one", number)) as unknown as { store: unknown };
    expect((await at(resumed - 2)).store).toMatchObject({ json: { count: 1 } });
    expect((await at(resumed + 1)).store).toMatchObject({ json: { count: 10 } });
    const restored = Context.fromDict(flow({ ...doubled, workers: 5 }), await runtime.stateAt("one", resumed - 2));
    expect(await restored.store.getState()).toEqual({ count: 10 });
  });
});

describe("a run whose code is newer than the process", () => {
  it("is not touched by it", async () => {
    const machine = await stored(doubled);
    const { runtime } = machine.open({ flow: flow() });
    const before = await machine.dump(key);

    expect((await runtime.check()).problems).toMatchObject([{ code: "SNAPSHOT_NEWER" }]);
    expect((await rejection(runtime.resume("one").accepted)).code).toBe("SNAPSHOT_NEWER");
    expect(await machine.dump(key)).toMatchObject({ ticks: (before as { ticks: unknown }).ticks });
  });
});

/** Works for some ticks in a step of that name, then waits. */
function working(first: "prepare" | "arrange"): Workflow {
  return defineWorkflow("working", {})
    .step(first, { on: StartEvent, emits: OldNote }, async (_ev, ctx) => {
      for (let n = 0; n < 5; n++) await ctx.run(`call ${n}`, () => n);
      return new OldNote({ text: "done" });
    })
    .step("wait", { on: OldNote, emits: StopEvent, waits: Go }, async ({ text }, ctx) => {
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: text });
    })
    .build();
}

it("a run continues without a step that it has finished, though its last snapshot has work for it", async () => {
  const machine = new Machine();
  const old = machine.open({ flow: working("prepare") }, { snapshotEvery: 6 });
  await old.runtime.run("flow", {}, { runId: "one" }).idle();
  await settle();
  old.kill();
  const snapshot = await machine.store.snapshot(key, Number.MAX_SAFE_INTEGER);
  await machine.clock.advance(HOUR);

  const { runtime } = machine.open({ flow: working("arrange") });
  const report = await runtime.check();
  await runtime.start();
  const handle = runtime.handle("one");
  await handle.sendEvent(new Go({}));

  expect(snapshot?.text).toContain('"step":"prepare"');
  expect(report).toEqual({ runs: 1, problems: [] });
  expect(await handle).toBe("done");
});
