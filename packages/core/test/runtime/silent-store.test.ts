/** A store that tries for a while before it fails, as one over a network does: what waits for it, and for how long. */
import { describe, expect, it } from "vitest";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { gate } from "../support/runs.js";
import { settle, type VirtualClock } from "../support/virtual-clock.js";

const RETRY_MS = 1_000;

const flows = {
  short: defineWorkflow("short")
    .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build(),
};

/** A machine whose server can be shut down: then every call fails after `RETRY_MS`, with the error of `fail`. */
function shaky(code: "STORE_UNREACHABLE" | "STORE_BUSY" | "STORE_READ_ONLY" = "STORE_UNREACHABLE") {
  const server = { isDown: false, locked: new Set<string>(), calls: 0 };
  const inner = memoryStore();
  let clock: VirtualClock;
  const error = (details: object): WorkflowError =>
    new WorkflowError({ code, message: "It takes nothing.", hint: "Wait.", details: { ...details } });
  const failLate = async (details: object): Promise<never> => {
    await new Promise<void>((resolve) => clock.setTimer(clock.now() + RETRY_MS, resolve));
    throw error(details);
  };
  const store: RunStore = withMethods(inner, {
    async commit(commits) {
      server.calls++;
      if (server.isDown) return failLate({});
      if (commits.some(({ key }) => server.locked.has(key.runId))) return failLate({ rows: true });
      return inner.commit(commits);
    },
  });
  const machine = new Machine(store);
  clock = machine.clock;
  return { server, machine, clock: machine.clock };
}

/** After how many milliseconds each of them was refused, and why. */
function refusals(clock: VirtualClock, accepted: readonly Promise<unknown>[]) {
  const startMs = clock.now();
  const refused: { readonly afterMs: number; readonly code: string }[] = [];
  for (const one of accepted)
    one.catch((error: WorkflowError) => void refused.push({ afterMs: clock.now() - startMs, code: error.code }));
  return refused;
}

describe("a group of commits while the store takes nothing", () => {
  for (const code of ["STORE_UNREACHABLE", "STORE_BUSY", "STORE_READ_ONLY"] as const)
    it(`fails as a whole after one time of trying, with ${code}`, async () => {
      const { server, machine, clock } = shaky(code);
      const { runtime } = machine.open(flows);
      server.isDown = true;

      const refused = refusals(
        clock,
        Array.from({ length: 100 }, () => runtime.run("short", {}).accepted),
      );
      await clock.advance(RETRY_MS);

      expect(refused).toEqual(Array.from({ length: 100 }, () => ({ afterMs: RETRY_MS, code })));
      expect(server.calls).toBe(1);
      server.isDown = false;
      expect(await runtime.run("short", {})).toBe(1);
    });

  it("is told apart from one of which others keep some rows locked: the rest is stored", async () => {
    const { server, machine, clock } = shaky("STORE_BUSY");
    const { runtime } = machine.open(flows);
    server.locked = new Set(["run 3", "run 7"]);

    const runs = Array.from({ length: 10 }, (_, index) => runtime.run("short", {}, { runId: `run ${index}` }));
    const refused = refusals(
      clock,
      runs.map(({ accepted }) => accepted),
    );
    await clock.advance(3 * RETRY_MS);

    expect(refused.map(({ code }) => code)).toEqual(["STORE_BUSY", "STORE_BUSY"]);
    expect((await runtime.runs()).runs).toHaveLength(8);
  });

  it("of which others keep all rows locked fails after a few times of trying, however many there are", async () => {
    const { server, machine, clock } = shaky("STORE_BUSY");
    const { runtime } = machine.open(flows);
    const names = Array.from({ length: 100 }, (_, index) => `run ${index}`);
    server.locked = new Set(names);

    const refused = refusals(
      clock,
      names.map((runId) => runtime.run("short", {}, { runId }).accepted),
    );
    await clock.advance(5 * RETRY_MS);

    expect(refused).toHaveLength(100);
  });
});

describe("stopping while the store takes nothing", () => {
  it("ends when its time is over, and whoever waits is told", async () => {
    const { server, machine, clock } = shaky();
    const { promise, open } = gate();
    const held = defineWorkflow("held")
      .step("begin", { on: StartEvent, emits: StopEvent }, async () => {
        await promise;
        return new StopEvent();
      })
      .build();
    const { runtime } = machine.open({ held });
    const runs = Array.from({ length: 10 }, (_, index) => runtime.run("held", {}, { runId: `run ${index}` }));
    await Promise.all(runs.map(({ accepted }) => accepted));
    server.isDown = true;
    open();
    const refused = refusals(clock, runs);
    await settle();

    let stoppedMs = -1;
    const startMs = clock.now();
    void runtime.stop({ drainMs: 500 }).then(() => {
      stoppedMs = clock.now() - startMs;
    });
    await clock.advance(60_000);

    expect(stoppedMs).toBe(500);
    expect(refused.map(({ code }) => code)).toEqual(runs.map(() => "RUNTIME_STOPPED"));
    server.isDown = false;
    const next = machine.open({ held }).runtime;
    await next.start();
    await clock.advance(60_000);
    expect((await next.runs({ status: "completed" })).runs).toHaveLength(10);
  });

  it("ends soon where the store has just gone, also without a time for steps", async () => {
    const { server, machine, clock } = shaky();
    const { promise } = gate();
    const held = defineWorkflow("held")
      .step("begin", { on: StartEvent, emits: StopEvent }, async () => {
        await promise;
        return new StopEvent();
      })
      .build();
    const { runtime } = machine.open({ held });
    await runtime.run("held", {}).accepted;
    await settle();
    server.isDown = true;

    let isStopped = false;
    void runtime.stop({ drainMs: 0 }).then(() => {
      isStopped = true;
    });
    await clock.advance(2_000);

    expect(isStopped).toBe(true);
  });
});

describe("what waits for a store that does not answer", () => {
  it("is bounded: more starts are refused at once, and those that wait are stored when it answers", async () => {
    const answer = gate();
    const inner = memoryStore({ maxEnded: Number.POSITIVE_INFINITY });
    const store = withMethods(inner, {
      async commit(commits) {
        await answer.promise;
        return inner.commit(commits);
      },
    });
    const machine = new Machine(store);
    const { runtime } = machine.open(flows);
    const startAt = machine.clock.now() + 3_600_000;
    const first = runtime.run("short", {}, { startAt }).accepted;
    await settle();
    const waiting = Array.from({ length: 10_000 }, () => runtime.run("short", {}, { startAt }).accepted);
    await machine.clock.advance(5_000);

    const late = runtime.run("short", {}, { startAt }).accepted;

    await expect(late).rejects.toMatchObject({
      code: "STORE_BUSY",
      details: { waiting: 10_000, silentMs: 5_000 },
    });
    answer.open();
    await Promise.all([first, ...waiting]);
    await runtime.run("short", {}, { startAt }).accepted;
    expect(await inner.counts({ tenant: "" })).toEqual([{ workflow: "short", status: "scheduled", count: 10_002 }]);
  });
});
