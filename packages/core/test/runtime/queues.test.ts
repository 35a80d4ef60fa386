/** Runs of a queue: they wait for a place, and give it back as soon as they only wait. */
import { describe, expect, it } from "vitest";
import { createRuntime } from "../../src/entries/runtime.js";
import { defineWorkflow, StopEvent } from "../../src/index.js";
import { historyOf, Machine, state } from "../support/processes.js";
import { Begin, one, opened, Poke, works } from "../support/queued.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

describe("a run of a queue", () => {
  it("begins at once while there is a place, and else when one is given back", async () => {
    const { start, atWork, end, place } = opened({ concurrency: 2 });
    const handles = ["a", "b", "c"].map((id) => start("work", id));
    await Promise.all(handles.map(({ accepted }) => accepted));
    await settle();

    expect(atWork()).toEqual(["a", "b"]);
    expect(await place("b")).toEqual({ name: "llm", key: "", priority: 0, hasPlace: true });
    expect(await place("c")).toEqual({ name: "llm", key: "", priority: 0, hasPlace: false });
    await end("a");
    expect(atWork()).toEqual(["b", "c"]);
    await end("b", "c");
    expect(await Promise.all(handles)).toEqual(["a", "b", "c"]);
  });

  it("keeps the limits over all processes, and each hears of a place that another gives back", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    const second = opened(one, machine);
    first.start("work", "a");
    await settle();
    second.start("work", "b");
    await settle();
    expect([...first.atWork(), ...second.atWork()]).toEqual(["a"]);

    await first.end("a");

    expect([...first.atWork(), ...second.atWork()]).toEqual(["b"]);
  });

  it("takes turns by its key, however many runs the other keys have", async () => {
    const { start, atWork, end, begun } = opened({ concurrency: 2, perKey: { concurrency: 1 } });
    for (const id of ["a0", "a1", "a2"]) start("work", id, { queueKey: "a" });
    start("work", "b0", { queueKey: "b" });
    start("work", "c0", { queueKey: "c" });
    await settle();
    expect(atWork()).toEqual(["a0", "b0"]);

    await end("b0");
    await end("a0");
    await end("c0", "a1");
    expect(begun).toEqual(["a0", "b0", "c0", "a1", "a2"]);
  });

  it("comes first within its key by its priority", async () => {
    const { start, end, begun } = opened({ ...one, priority: true });
    start("work", "first");
    await settle();
    start("work", "low");
    start("work", "high", { priority: 5 });
    start("work", "least", { priority: -1 });
    await settle();

    for (const id of ["first", "high", "low"]) await end(id);
    expect(begun).toEqual(["first", "high", "low", "least"]);
  });

  it("begins as often as the rate allows, without anybody who gives a place back", async () => {
    const { start, machine, begun, end } = opened({ rate: { limit: 2, per: "1m" } });
    for (const id of ["a", "b", "c"]) start("work", id);
    await settle();
    expect(begun).toEqual(["a", "b"]);
    await end("a", "b");

    await machine.clock.advance(59_999);
    expect(begun).toEqual(["a", "b"]);
    await machine.clock.advance(1);
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("begins within a window and a look of its process where a clock was set back after others began", async () => {
    const { start, machine, begun } = opened({ rate: { limit: 1, per: "1m" } });
    for (const id of ["a", "b", "c"]) start("work", id);
    await settle();
    expect(begun).toEqual(["a"]);

    machine.clock.setBy(-3_600_000);
    await machine.clock.advance(10_000); // a third of a lease
    expect(begun).toEqual(["a", "b"]);
    await machine.clock.advance(59_999);
    expect(begun).toEqual(["a", "b"]);
    await machine.clock.advance(1);
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("waits for its time first", async () => {
    const { start, machine, begun } = opened(one);
    start("work", "a", { startAt: machine.clock.now() + 60_000 });
    await machine.clock.advance(59_999);
    expect(begun).toEqual([]);

    await machine.clock.advance(1);

    expect(begun).toEqual(["a"]);
  });

  it("is there at once for a handle, and the same run for a second start", async () => {
    const { runtime, start, end } = opened(one);
    const handle = start("work", "a");
    const again = start("work", "a");

    expect((await runtime.handle("a").summary()).runId).toBe("a");
    await settle();
    await end("a");
    expect(await Promise.all([handle, again])).toEqual(["a", "a"]);
  });

  it("is listed by its queue", async () => {
    const { runtime, start } = opened(one);
    await start("work", "a", { queueKey: "t1" }).accepted;
    await runtime.run("work", { id: "plain" }, { runId: "plain" }).accepted;

    const { runs } = await runtime.runs({ queue: "llm" });

    expect(runs.map(({ runId, queue }) => [runId, queue?.key])).toEqual([["a", "t1"]]);
    expect((await runtime.runs()).runs.find(({ runId }) => runId === "plain")?.queue).toBeNull();
  });

  it("stays where no process knows its queue", async () => {
    const machine = new Machine();
    const { start, process } = opened(one, machine);
    start("work", "a");
    await settle();
    process.kill();
    const other = works();
    const { runtime } = machine.open(other.flows);
    await machine.clock.advance(120_000);
    await runtime.start();

    expect(other.begun).toEqual([]);
    expect(await runtime.due()).toEqual({ wakeAtMs: null });
  });
});

describe("a place", () => {
  it("is given back by a run that sleeps, which takes another one when its time has come", async () => {
    const { start, machine, atWork, end, begun } = opened(one);
    const slept = start("nap", "a");
    await settle();
    start("work", "b");
    await settle();
    expect(begun).toEqual(["a naps", "b"]);
    expect(await machine.row("a")).toMatchObject({ lease: null, status: "waiting", hasPlace: false });

    await machine.clock.advance(60_000);
    expect(atWork()).toEqual(["b"]);
    await end("b");
    expect(atWork()).toEqual(["a"]);
    await end("a");
    expect(await slept).toBe("a");
  });

  it("is given back in the commit that says that the run waits", async () => {
    const machine = new Machine();
    const { start } = opened(one, machine);
    const rows: string[] = [];
    machine.store.watch(async () => {
      const row = await machine.store.run({ tenant: "", runId: "a" });
      rows.push(`${row?.status} ${row?.hasPlace}`);
    });
    start("nap", "a");
    await settle();

    expect(rows.at(-1)).toBe("waiting false");
    expect(rows).not.toContain("waiting true");
  });

  it("is given back by a run that waits for an event, and by one that waits for its retry", async () => {
    const { start, machine, atWork, end, failing, begun } = opened(one);
    const asked = start("ask", "a");
    await settle();
    failing.add("b");
    start("work", "b");
    await settle();
    await end("b");
    start("work", "c");
    await settle();
    expect(atWork()).toEqual(["c"]);

    const receipt = asked.sendEvent(new Poke({ n: 5 }));
    expect(await state(receipt)).toBe("pending");
    failing.delete("b");
    await machine.clock.advance(60_000);
    await end("c");
    await end("a");
    await end("b");

    expect(begun).toEqual(["b", "c", "a", "b"]);
    expect(await receipt).toMatchObject({ status: "accepted" });
    expect(await asked).toBe(5);
  });

  it("is free again once the process that has it is dead", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    first.start("work", "a");
    await settle();
    first.start("work", "b");
    await settle();
    first.process.kill();
    const second = opened(one, machine);
    await second.runtime.start();
    expect(second.begun).toEqual([]);

    await machine.clock.advance(40_000);

    expect(second.begun).toEqual(["a"]);
    await second.end("a");
    expect(second.begun).toEqual(["a", "b"]);
  });

  it("is given back by a runtime that stops", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    first.start("nap", "a");
    await settle();
    first.start("work", "b");
    await settle();
    const stopping = first.runtime.stop({ drainMs: 0 });
    await settle();
    await stopping;
    const second = opened(one, machine);
    await second.runtime.start();
    await settle();

    expect(second.begun).toEqual(["b"]);
  });

  it("is given back by a run that cannot be loaded, and the next one has it", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    first.start("nap", "a");
    await settle();
    first.start("work", "b");
    await settle();
    first.process.kill();
    const made = works();
    const changed = defineWorkflow("nap")
      .step("other", { on: Begin, emits: StopEvent }, () => new StopEvent({ result: 0 }))
      .build();
    const { runtime, log } = machine.open({ ...made.flows, nap: changed }, { queues: { llm: one } });
    await machine.clock.advance(100_000);
    await runtime.start();
    await settle();

    expect(log.errors.length).toBeGreaterThan(0);
    expect(made.begun).toEqual(["b"]);
    expect(await machine.row("a")).toMatchObject({ hasPlace: false });
  });
});

describe("what is asked of a run of a queue", () => {
  it("to cancel it while it waits for its turn begins no step, and no place is waited for", async () => {
    const { start, begun, atWork, end } = opened(one);
    start("work", "a");
    await settle();
    const handle = start("work", "b");
    await settle();

    expect(await handle.cancel("no")).toMatchObject({ status: "accepted" });
    expect((await rejection(handle)).code).toBe("RUN_CANCELLED");
    expect(begun).toEqual(["a"]);
    expect(atWork()).toEqual(["a"]);
    start("work", "c");
    await end("a");
    expect(begun).toEqual(["a", "c"]);
  });

  it("to cancel it while it waits for its turn again begins no step", async () => {
    const { start, machine, begun } = opened(one);
    const handle = start("nap", "a");
    await settle();
    start("work", "b");
    await machine.clock.advance(60_000);
    expect(begun).toEqual(["a naps", "b"]);

    expect(await handle.cancel("no", { key: "once" })).toMatchObject({ status: "accepted" });
    expect(await handle.cancel("no", { key: "once" })).toMatchObject({ status: "accepted" });
    expect((await rejection(handle)).code).toBe("RUN_CANCELLED");
    expect(begun).toEqual(["a naps", "b"]);
  });

  it("to cancel it says that it has ended, where its process died before it could store how", async () => {
    const machine = new Machine();
    const { flows } = works();
    const at = defineWorkflow("at once")
      .step("work", { on: Begin, emits: StopEvent }, ({ id }) => new StopEvent({ result: id }))
      .step("aside", { on: Begin }, () => new Promise<void>(() => {})) // else the end is stored with its tick
      .build();
    const all = { ...flows, at };
    const first = machine.open(all, { queues: { llm: one }, diesAt: 3 });
    first.runtime.run("at", { id: "a" }, { runId: "a", queue: "llm" });
    await first.death;
    expect(await machine.row("a")).toMatchObject({ outcome: null, status: "running", hasPlace: true });
    machine.clock.skip(60_000);
    const { runtime } = machine.open(all); // it takes up no run of the queue by itself
    const handle = runtime.handle("a");

    expect(await handle.cancel("no", { key: "once" })).toMatchObject({ status: "refused", code: "RUN_FINISHED" });
    expect(await handle).toBe("a");
    expect(await machine.row("a")).toMatchObject({ status: "completed", hasPlace: false, lease: null });
  });

  it("to retry or resume it is stored at once, and waits for a place", async () => {
    const { start, runtime, machine, begun, end, failing } = opened(one);
    failing.add("a");
    const failed = start("work", "a");
    await settle();
    await end("a");
    await machine.clock.advance(60_000);
    await end("a");
    await rejection(failed);
    const cancelled = start("work", "b");
    await settle();
    await cancelled.cancel();
    await rejection(cancelled);
    start("work", "c");
    await settle();
    expect(begun).toEqual(["a", "a", "b", "c"]);

    failing.delete("a");
    const retried = runtime.retry("a", { key: "again" });
    await retried.accepted;
    const resumed = runtime.resume("b");
    await resumed.accepted;
    await settle();
    expect(begun).toEqual(["a", "a", "b", "c"]);
    expect(await machine.row("a")).toMatchObject({ status: "queued", lease: null, endedAtMs: null });
    await runtime.retry("a", { key: "again" }).accepted;
    await end("c");
    expect(begun).toEqual(["a", "a", "b", "c", "a"]);
    await end("a");
    await end("b");

    expect(await Promise.all([retried, resumed])).toEqual(["a", "b"]);
    const types = (await historyOf(runtime, "a")).map(({ tick }) => tick.type);
    expect(types.filter((type) => type === "run.retried")).toHaveLength(1);
  });

  it("to fork it makes a run of the same queue, which waits for a place", async () => {
    const { start, runtime, machine, begun, end } = opened(one);
    const handle = start("nap", "a", { queueKey: "t1" });
    await machine.clock.advance(60_000);
    const at = (await historyOf(runtime, "a")).at(-1)?.number ?? 0;
    const fork = runtime.fork("a", { at, runId: "f" });
    await fork.accepted;
    await settle();
    expect(begun).toEqual(["a naps", "a naps", "a"]); // steps run again after a wait
    expect((await fork.summary()).queue).toEqual({ name: "llm", key: "t1", priority: 0, hasPlace: false });

    await end("a");
    expect(begun.slice(3)).toEqual(["a"]);
    await end("a");
    expect(await Promise.all([handle, fork])).toEqual(["a", "a"]);
  });

  it("is refused where it makes no sense, all at once", async () => {
    const { runtime, start } = opened(one);
    const problems = (options: object) => {
      try {
        runtime.run("work", { id: "x" }, options);
      } catch (error) {
        return (error as { details: { problems: string[] } }).details.problems;
      }
      return [];
    };

    expect(problems({ queue: "lmm", priority: 1.5 })).toEqual([
      '`queue` is "lmm", which is not one of `createRuntime({ queues })` (did you mean "llm"?)',
      "`priority` is 1.5, not a whole number from -2147483648 to 2147483647",
    ]);
    expect(problems({ queueKey: "t", priority: 2 ** 31 })).toEqual([
      "`queueKey` is for a run with `queue`",
      "`priority` is for a run with `queue`",
      "`priority` is 2147483648, not a whole number from -2147483648 to 2147483647",
    ]);
    expect(problems({ queue: "llm", queueKey: 7, priority: 1 })).toEqual([
      "`queueKey` is not a string",
      '`priority` is for queues with `priority: true`, which "llm" is not',
    ]);
    expect(problems({ queue: {} })[0]).toContain("`queue` is an object");
    await start("work", "a", { queueKey: "" }).accepted;
    expect((await runtime.runs()).runs).toHaveLength(1);
  });
});

describe("the queues of a runtime", () => {
  it("are checked all at once", () => {
    const { flows } = works();
    const queues: object = {
      "": {},
      a: { concurrency: 0, perkey: {}, priority: "yes" },
      b: { perKey: {}, rate: { limit: 1.5, per: "soon" } },
      c: { perKey: { concurrency: Number.NaN, rate: 1 }, rate: 5 },
      d: { rate: { limit: 1, per: 0 } },
      e: 1,
    };

    expect(() => createRuntime({ workflows: flows, queues } as never)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: {
          problems: [
            'the name of the queue "" is empty',
            "`queues.a.perkey` is not an option (did you mean `perKey`?)",
            "`queues.a.concurrency` is 0, not a whole number from 1",
            '`queues.a.priority` is "yes", not true or false',
            "`queues.b.perKey.concurrency` is missing",
            "`queues.b.rate.limit` is 1.5, not a whole number from 1",
            '`queues.b.rate.per` is "soon", not a duration of at least 1 ms',
            "`queues.c.perKey.rate` is not an option",
            "`queues.c.perKey.concurrency` is NaN, not a whole number from 1",
            "`queues.c.rate` is not an object",
            "`queues.d.rate.per` is 0, not a duration of at least 1 ms",
            "`queues.e` is not an object",
          ],
        },
      }),
    );
    expect(() => createRuntime({ workflows: flows, queues: [] } as never)).toThrow("`queues` is not an object");
  });
});
