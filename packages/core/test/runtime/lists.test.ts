/** Finding stored runs, and getting rid of them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;

class End extends ExternalEvent.define("End", { fails: z.boolean().default(false) }) {}
class Shown extends event("Shown", { n: z.number() }) {}

function flows() {
  const make = (name: string) =>
    defineWorkflow(name)
      .step("start", { on: StartEvent }, () => {})
      .step("end", { on: End, emits: StopEvent }, ({ fails }) => {
        if (fails) throw new Error("It fails.");
        return new StopEvent({ result: name });
      })
      .build();
  const busy = defineWorkflow("busy")
    .step("work", { on: StartEvent, emits: StopEvent }, () => new Promise<StopEvent>(() => {}))
    .build();
  return { red: make("red"), blue: make("blue"), busy };
}

async function some() {
  const machine = new Machine();
  const { runtime } = machine.open(flows(), { leaseMs: 24 * HOUR }); // few renewals
  const startedAtMs = machine.clock.now();
  for (const [index, runId] of ["a", "b", "c", "d"].entries()) {
    const labels = { team: index % 2 === 0 ? "even" : "odd", place: String(index) };
    await runtime.run(index < 2 ? "red" : "blue", {}, { runId, labels }).idle();
    await machine.clock.advance(HOUR);
  }
  await runtime.run("red", {}, { runId: "a", tenant: "acme" }).idle();
  const ended = runtime.handle("b");
  await ended.sendEvent(new End({}));
  await ended;
  const failed = runtime.handle("c");
  await failed.sendEvent(new End({ fails: true }));
  await failed.catch(() => {});
  await settle();
  return { machine, runtime, startedAtMs };
}

class Order extends StartEvent.define("Order", { customer: z.string().nullable() }) {
  static runLabels({ customer }: Order, runId: string) {
    return { customer, order: runId };
  }
}

describe("the labels of a run", () => {
  const order = defineWorkflow("order")
    .step("start", { on: Order, emits: StopEvent }, () => new StopEvent({ result: null }))
    .build();
  const labelsOf = async (customer: string | null) => {
    const { runtime } = new Machine().open({ order });
    const labels = { customer: "forged", team: "red" };
    const handle = runtime.run("order", { customer }, { runId: "7", labels });
    await handle;
    return (await handle.summary()).labels;
  };

  it("are those that its start event gives, over those that its caller gives", async () => {
    expect(await labelsOf("ada")).toEqual({ customer: "ada", order: "7", team: "red" });
  });

  it("lack what its start event says null to", async () => {
    expect(await labelsOf(null)).toEqual({ order: "7", team: "red" });
  });

  it("are refused where no store could keep what its start event gives", async () => {
    const { runtime } = new Machine().open({ order });

    expect(() => runtime.run("order", { customer: "a".repeat(256) })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});

const plain = defineWorkflow("order")
  .step("start", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
  .build();

describe("the name of a label", () => {
  it.each(["__proto__", "constructor", "prototype"])("is not %s, which no stored run may have as a field", (name) => {
    const { runtime } = new Machine().open({ order: plain });

    expect(() => runtime.run("order", {}, { labels: Object.fromEntries([[name, "x"]]) })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(`"${name}"`) }),
    );
  });
});

describe("runs()", () => {
  it.each([
    [{}, "d c b a"],
    [{ tenant: "acme" }, "a"],
    [{ tenant: "nobody" }, ""],
    [{ workflow: "red" }, "b a"],
    [{ status: "waiting" }, "d a"],
    [{ status: ["completed", "failed"] }, "c b"],
    [{ status: [] }, ""],
    [{ labels: { team: "odd" } }, "d b"],
    [{ labels: { team: "odd", place: "1" } }, "b"],
    [{ labels: { team: "odd", place: "0" } }, ""],
    [{ workflow: "blue", status: "waiting", labels: { team: "odd" } }, "d"],
  ] as const)("filtered by %o gives: %s", async (filter, expected) => {
    const { runtime } = await some();

    const { runs, cursor } = await runtime.runs(filter as object);

    expect(runs.map(({ runId }) => runId).join(" ")).toBe(expected);
    expect(cursor).toBeNull();
  });

  it("filtered by the time of their making takes dates and numbers", async () => {
    const { runtime, startedAtMs } = await some();
    const ids = async (filter: object): Promise<string> =>
      (await runtime.runs(filter)).runs.map(({ runId }) => runId).join(" ");

    expect(await ids({ createdAfter: new Date(startedAtMs + HOUR + 1) })).toBe("d c");
    expect(await ids({ createdBefore: startedAtMs + HOUR + 1 })).toBe("b a");
    expect(await ids({ createdAfter: startedAtMs + 1, createdBefore: startedAtMs + 3 * HOUR - 1 })).toBe("c b");
  });

  it("comes in pages, each run once", async () => {
    const { runtime } = await some();
    const ids: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await runtime.runs({ limit: 3, ...(cursor !== undefined && { cursor }) });
      expect(page.runs.length).toBeLessThanOrEqual(3);
      ids.push(...page.runs.map(({ runId }) => runId));
      cursor = page.cursor ?? undefined;
      pages++;
    } while (cursor !== undefined);

    expect(ids).toEqual(["d", "c", "b", "a"]);
    expect(pages).toBe(2);
  });

  it.each([["canceled"], [["completed", "COMPLETED"]], [null]])(
    "refuses the status %j, which no run has",
    async (status) => {
      const { runtime } = await some();

      expect(await rejection(runtime.runs({ status: status as never }))).toMatchObject({
        code: "OPTION_INVALID",
        message: expect.stringMatching(
          /^`status` is ("canceled"|"COMPLETED"|null), not one of scheduled, queued, running, .*timedOut\.$/,
        ),
      });
    },
  );

  it.each([0, 1_001, 1.5, Number.NaN])("refuses a limit of %d", async (limit) => {
    const { runtime } = await some();

    expect((await rejection(runtime.runs({ limit }))).code).toBe("OPTION_INVALID");
  });

  it("tells when each began and ended, and how", async () => {
    const { runtime, startedAtMs } = await some();
    const [c] = (await runtime.runs({ status: "failed" })).runs;

    expect(c).toMatchObject({
      runId: "c",
      tenant: "",
      workflow: "blue",
      status: "failed",
      createdAtMs: startedAtMs + 2 * HOUR,
      endedAtMs: startedAtMs + 4 * HOUR,
      wakeAtMs: null,
      labels: { team: "even", place: "2" },
      forkedFrom: null,
    });
  });
});

describe("delete", () => {
  it.each(["a", "b"])("forgets the run %s, which waits or has ended, and only that", async (runId) => {
    const { machine, runtime } = await some();
    await runtime.delete(runId);

    expect((await runtime.runs()).runs).toHaveLength(3);
    expect((await rejection(runtime.handle(runId))).code).toBe("RUN_UNKNOWN");
    expect(await machine.store.ticks({ tenant: "", runId }, { after: 0, limit: 10 })).toEqual([]);
    expect((await runtime.runs({ tenant: "acme" })).runs).toHaveLength(1);
  });

  it("refuses a run that works: RUN_LIVE", async () => {
    const { runtime } = new Machine().open(flows());
    await runtime.run("busy", {}, { runId: "one" }).accepted;
    await settle();

    expect((await rejection(runtime.delete("one"))).code).toBe("RUN_LIVE");
    await runtime.handle("one").cancel();
    await settle();
    await runtime.delete("one");
    expect((await runtime.runs()).runs).toEqual([]);
  });

  it("refuses a run that waits in the memory of another process, until it has left it", async () => {
    const machine = new Machine();
    await machine.open(flows()).runtime.run("red", {}, { runId: "one" }).idle();
    const there = machine.open(flows()).runtime;
    expect((await rejection(there.delete("one"))).code).toBe("RUN_LIVE");
    await machine.clock.advance(10_000);
    await there.delete("one");

    expect((await there.runs()).runs).toEqual([]);
  });

  it("frees the id", async () => {
    const { runtime } = await some();
    await runtime.delete("b");
    const again = runtime.run("blue", {}, { runId: "b" });
    await again.sendEvent(new End({}));

    expect(await again).toBe("blue");
  });
});

describe("retain", () => {
  it("deletes what ended long ago, of one tenant, and nothing that goes on", async () => {
    const { machine, runtime } = await some();
    expect(await runtime.retain({ olderThan: "1h" })).toBe(0);
    await machine.clock.advance(HOUR + 1);
    expect(await runtime.retain({ olderThan: "1h", tenant: "acme" })).toBe(0);
    expect(await runtime.retain({ olderThan: "1h" })).toBe(2);

    expect((await runtime.runs()).runs.map(({ runId }) => runId)).toEqual(["d", "a"]);
  });

  it("deletes only those that ended in a certain way", async () => {
    const { machine, runtime } = await some();
    await machine.clock.advance(2 * HOUR);
    expect(await runtime.retain({ olderThan: "1h", status: "failed" })).toBe(1);
    expect(await runtime.retain({ olderThan: "1h", status: ["cancelled", "timedOut"] })).toBe(0);
    expect(await runtime.retain({ olderThan: "1h", status: [] })).toBe(0);

    expect((await runtime.runs()).runs.map(({ runId }) => runId)).toEqual(["d", "b", "a"]);
  });

  it.each(["canceled", "waiting"])("refuses the status %j, instead of deleting nothing for ever", async (status) => {
    const { runtime } = await some();

    expect(await rejection(runtime.retain({ olderThan: "1h", status: status as never }))).toMatchObject({
      code: "OPTION_INVALID",
      message: `\`status\` is "${status}", not one of completed, failed, cancelled, timedOut.`,
    });
  });
});

describe("summary()", () => {
  it("says where one run stands, in memory and in the store", async () => {
    const { machine, runtime } = await some();
    const busy = runtime.run("busy", {}, { runId: "e" });
    await busy.accepted;
    await settle();

    expect(await runtime.handle("a").summary()).toMatchObject({ runId: "a", status: "waiting", lastEvent: -1 });
    expect(await runtime.handle("b").summary()).toMatchObject({ status: "completed", endedAtMs: expect.any(Number) });
    expect(await runtime.handle("c").summary()).toMatchObject({ status: "failed" });
    expect(await busy.summary()).toMatchObject({ status: "running", wakeAtMs: null, endedAtMs: null });
    expect(await rejection(runtime.handle("none").summary())).toMatchObject({ code: "RUN_UNKNOWN" });

    const right = runtime.run("red", {}, { runId: "f" });
    await right.sendEvent(new End({}));
    await right;
    expect(await right.summary()).toMatchObject({ status: "completed", endedAtMs: expect.any(Number) });

    const stored = await machine.row("a");
    expect(await runtime.handle("a").summary()).toMatchObject({
      createdAtMs: stored?.createdAtMs,
      labels: { team: "even" },
    });
  });
});

describe("summary() of a run that has just ended", () => {
  it("is what the store has of it a moment later", async () => {
    const shows = defineWorkflow("shows")
      .step("show", { on: StartEvent, emits: StopEvent, streams: Shown }, (_ev, ctx) => {
        for (const n of [1, 2, 3]) ctx.writeEventToStream(new Shown({ n }));
        return new StopEvent({ result: 3 });
      })
      .build();
    const { runtime } = new Machine().open({ shows });
    const run = runtime.run("shows", {}, { runId: "a" });
    await run;

    const atOnce = await run.summary();
    await settle();
    expect(atOnce).toMatchObject({ status: "completed", lastEvent: 3, endedAtMs: expect.any(Number) });
    expect({ ...(await run.summary()), ticks: 0 }).toEqual({ ...atOnce, ticks: 0 });
  });
});

describe("outcome()", () => {
  it("says what idle() would say, and waits for nothing", async () => {
    const { runtime } = await some();
    const busy = runtime.run("busy", {}, { runId: "e" });
    await busy.accepted;
    await settle();

    expect(await runtime.handle("a").outcome()).toMatchObject({ status: "waiting" });
    expect(await runtime.handle("b").outcome()).toMatchObject({ status: "completed" });
    expect(await runtime.handle("c").outcome()).toMatchObject({ status: "failed" });
    expect(await busy.outcome()).toBeNull();
    expect(await rejection(runtime.handle("none").outcome())).toMatchObject({ code: "RUN_UNKNOWN" });
    expect(Object.keys(runtime.workflows)).toContain("busy");
  });

  it("says the same when a run has ended here as once its end is stored", async () => {
    const { machine, runtime } = await some();
    for (const fails of [false, true]) {
      const run = runtime.run("red", {}, { runId: `here ${fails}`, labels: { team: "here" } });
      await run.sendEvent(new End({ fails }));
      await run.catch(() => {});
      const first = await run.summary();
      await settle();
      await machine.clock.advance(1);

      expect((await machine.row(run.runId))?.endedAtMs).not.toBeNull();
      expect(await run.summary()).toEqual(first);
    }
  });

  it("is the same right after the end of a run and after it has left memory, for one read each", async () => {
    const machine = new Machine();
    let reads = 0;
    const store = withMethods(machine.store, {
      run: (key) => {
        reads++;
        return machine.store.run(key);
      },
    });
    const flow = defineWorkflow("flow")
      .step("end", { on: StartEvent, emits: StopEvent, streams: Shown }, (_ev, ctx) => {
        ctx.writeEventToStream(new Shown({ n: 1 }));
        return new StopEvent({ result: 1 });
      })
      .build();
    const { runtime } = machine.open({ flow }, { store });

    const handle = runtime.run("flow", {}, { labels: { team: "here" } });
    await handle;
    const first = await handle.summary();
    await settle();

    expect(await handle.summary()).toEqual(first);
    expect(first).toMatchObject({ status: "completed", labels: { team: "here" }, ticks: 3, lastEvent: 1 });
    expect(reads).toBe(2);
  });
});
