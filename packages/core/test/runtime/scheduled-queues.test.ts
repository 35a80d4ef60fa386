/** Schedules whose runs wait in a queue. */
import { describe, expect, it } from "vitest";
import type { Runtime, ScheduleOptions } from "../../src/entries/runtime.js";
import { WorkflowError } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { one, opened, works } from "../support/queued.js";
import { rejection } from "../support/runs.js";
import { HOUR, MINUTE, shortTime, startedIds } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

const input = { id: "hourly" };
const inNone = { cron: "0 * * * *", workflow: "work", input } as const;
const hourly = { ...inNone, queue: "llm" } as const;

/** A queue whose only place is taken until the run "first" ends, and a schedule of that queue. */
async function full(options: Partial<ScheduleOptions> = {}) {
  const all = opened(one);
  all.start("work", "first");
  await settle();
  await all.runtime.schedules.set("hourly", { ...hourly, ...options } as typeof hourly);
  return all;
}

/** The occurrences that have a run. */
async function occurred(runtime: Runtime): Promise<string[]> {
  const ids = await startedIds(runtime);
  return ids.filter((id) => id.includes("@")).map((id) => shortTime(id.slice(id.indexOf("@") + 1)));
}

/** What is wrong with the options. */
async function problemsOf(set: Promise<unknown>): Promise<unknown> {
  const error = await rejection(set);
  return WorkflowError.is(error, "OPTION_INVALID") ? error.details["problems"] : error;
}

describe("a run that begins by the calendar, of a queue", () => {
  it("waits there under the key and the priority of its schedule, which says so", async () => {
    const { runtime, machine, place } = opened({ ...one, priority: true });

    const set = await runtime.schedules.set("hourly", { ...hourly, queueKey: "t1", priority: 5 });
    await machine.clock.advance(HOUR);

    expect(set.queue).toEqual({ name: "llm", key: "t1", priority: 5 });
    expect((await runtime.schedules.get("hourly"))?.queue).toEqual(set.queue);
    expect(await place("hourly@2030-01-01T01:00:00.000Z")).toEqual({ ...set.queue, hasPlace: true });
  });

  it("has not ended while it waits for its place: with `skip` the next occurrence is left out", async () => {
    const { runtime, machine, begun, end } = await full();

    await machine.clock.advance(3 * HOUR + MINUTE);
    expect(await occurred(runtime)).toEqual(["01-01 01:00"]);
    expect((await runtime.schedules.get("hourly"))?.skips).toEqual([
      { atMs: Date.UTC(2030, 0, 1, 2), reason: "overlap" },
      { atMs: Date.UTC(2030, 0, 1, 3), reason: "overlap" },
    ]);
    await end("first");
    await end("hourly");
    await machine.clock.advance(HOUR);

    expect(begun).toEqual(["first", "hourly", "hourly"]);
    expect(await occurred(runtime)).toEqual(["01-01 01:00", "01-01 04:00"]);
  });

  it("waits for the end of the run before it, and then for a place, with `queue`", async () => {
    const { runtime, machine, begun, end, start, place } = await full({ overlap: "queue" });
    await machine.clock.advance(3 * HOUR);
    start("work", "last");
    await settle();
    await end("first");
    expect(await runtime.schedules.get("hourly")).toMatchObject({ queuedAtMs: [Date.UTC(2030, 0, 1, 3)] });

    await end("hourly");

    expect(await runtime.schedules.get("hourly")).toMatchObject({ queuedAtMs: [] });
    const inLine = "hourly@2030-01-01T03:00:00.000Z";
    expect([begun.at(-1), (await place(inLine))?.hasPlace]).toEqual(["last", false]);
    await end("last");
    expect(await place(inLine)).toMatchObject({ hasPlace: true });
  });

  it("stands in line with those before it, with `allow`: the queue keeps its limit", async () => {
    const { runtime, machine, begun, end, place, atWork } = await full({ overlap: "allow", catchUp: "all" });
    await machine.clock.advance(3 * HOUR);
    expect(await occurred(runtime)).toEqual(["01-01 01:00", "01-01 02:00", "01-01 03:00"]);
    expect(begun).toEqual(["first"]);

    await end("first");

    expect(atWork()).toEqual(["hourly"]);
    expect(await place("hourly@2030-01-01T01:00:00.000Z")).toMatchObject({ hasPlace: true });
    expect(await place("hourly@2030-01-01T02:00:00.000Z")).toMatchObject({ hasPlace: false });
  });

  it("is caught up in the order of the occurrences, one place after the other", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    await first.runtime.schedules.set("hourly", { ...hourly, overlap: "allow", catchUp: "all" });
    first.process.kill();
    machine.clock.skip(4 * HOUR);
    const { runtime, end, place } = opened(one, machine);
    await runtime.start();
    await settle();

    for (const hour of [1, 2, 3, 4]) {
      expect(await place(`hourly@2030-01-01T0${hour}:00:00.000Z`)).toMatchObject({ hasPlace: true });
      await end("hourly");
    }
    expect((await runtime.runs({ status: "completed" })).runs).toHaveLength(4);
  });

  it("is started by any process, and executed by one that names the queue", async () => {
    const machine = new Machine();
    const setter = opened(one, machine);
    await setter.runtime.schedules.set("hourly", hourly);
    setter.process.kill();
    const without = works();
    const starter = machine.open(without.flows, { leaseMs: HOUR });
    await starter.runtime.start();
    await machine.clock.advance(HOUR + MINUTE);
    expect(await occurred(starter.runtime)).toEqual(["01-01 01:00"]);
    expect(without.begun).toEqual([]);

    const worker = opened(one, machine);
    await worker.runtime.start();
    await settle();

    expect(worker.begun).toEqual(["hourly"]);
  });

  it("goes to the queue that the schedule names when it starts", async () => {
    const { runtime, machine } = opened(one);
    await runtime.schedules.set("hourly", inNone);
    expect((await runtime.schedules.get("hourly"))?.queue).toBeNull();

    expect(await runtime.schedules.set("hourly", hourly)).toMatchObject({ queue: { name: "llm" } });
    await machine.clock.advance(HOUR);

    expect((await runtime.runs({ queue: "llm" })).runs).toHaveLength(1);
  });

  it("is refused when the schedule is set, with all that is wrong", async () => {
    const { runtime } = opened(one);
    const problems = (options: object) =>
      problemsOf(runtime.schedules.set("hourly", { ...inNone, ...options } as typeof hourly));

    expect(await problems({ queue: "lmm", priority: 1e9, overlap: "no" })).toEqual([
      '`overlap` is "no", not one of skip, queue, allow',
      '`queue` is "lmm", which is not one of `createRuntime({ queues })` (did you mean "llm"?)',
    ]);
    expect(await problems({ queueKey: "a", priority: Number.NaN })).toEqual([
      "`queueKey` is for a run with `queue`",
      "`priority` is for a run with `queue`",
      expect.stringContaining("`priority` is NaN, not a whole number"),
    ]);
    expect(await problems({ queue: "llm", queueKey: "k".repeat(1_000_000) })).toEqual([
      "`queueKey` has 1000000 bytes; the limit is 255",
    ]);
    expect(await problems({ queue: "llm", priority: 1 })).toEqual([
      '`priority` is for queues with `priority: true`, which "llm" is not',
    ]);
    expect(await runtime.schedules.get("hourly")).toBeNull();
  });
});
