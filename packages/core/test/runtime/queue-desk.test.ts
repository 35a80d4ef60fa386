/** Queues while processes run: what they hold, pauses, limits that are changed, and where a run stands in the line. */
import { describe, expect, it } from "vitest";
import type { RuntimeQueues } from "../../src/entries/runtime.js";
import { Machine } from "../support/processes.js";
import { one, opened, works } from "../support/queued.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const MINUTE = 60_000;
const boss = { user: "kim", door: "studio" };

async function started(queue: Parameters<typeof opened>[0], ...ids: string[]) {
  const desk = opened(queue);
  await desk.runtime.start();
  for (const id of ids) await desk.start("work", id).accepted;
  await settle();
  return desk;
}

describe("runtime.queues", () => {
  it("says what waits, what has a place, since when, and by which limits", async () => {
    const { runtime, machine } = await started({ ...one, rate: { limit: 9, per: "1m" } }, "a", "b", "c");
    await machine.clock.advance(5_000);

    const limits = { concurrency: 1, perKey: null, rate: { limit: 9, perMs: MINUTE } };
    const line = { waiting: 2, placed: 1, oldestAtMs: machine.clock.now() - 5_000 };
    expect(await runtime.queues.list()).toEqual([
      {
        name: "llm",
        paused: false,
        limits,
        configured: limits,
        changedAtMs: null,
        changedBy: null,
        workers: 1,
        taken: 0,
        ...line,
        keys: [{ key: "", ...line }],
      },
    ]);
    expect(await runtime.queues.get("none")).toBeNull();
  });

  // OptimalBits/bull#447, OptimalBits/bull#247: runs began after a pause, and after a restart under a pause.
  it("keeps a pause for all processes and over restarts: runs at work end, and no other begins", async () => {
    const machine = new Machine();
    const first = opened(one, machine);
    const second = opened(one, machine);
    for (const { runtime } of [first, second]) await runtime.start();
    for (const id of ["a", "b"]) await first.start("work", id).accepted;
    await settle();
    expect(await first.runtime.queues.pause("llm", { by: boss })).toMatchObject({
      paused: true,
      limits: { concurrency: 1 },
      changedBy: boss,
    });

    await first.end("a");
    await second.end("a");
    await machine.clock.advance(5 * MINUTE);
    expect([...first.atWork(), ...second.atWork()]).toEqual([]);
    first.process.kill();
    const third = opened(one, machine);
    await third.runtime.start();
    await machine.clock.advance(5 * MINUTE);
    expect([...second.atWork(), ...third.atWork()]).toEqual([]);
    expect(await third.runtime.handle("b").summary()).toMatchObject({ status: "queued" });

    await third.runtime.queues.resume("llm");
    await settle();
    expect([...second.atWork(), ...third.atWork()]).toEqual(["b"]);
    expect(await third.runtime.queues.get("llm")).toMatchObject({ paused: false, changedAtMs: null });
  });

  // taskforcesh/bullmq#322: a pause removed what waited.
  it("keeps what waits in a paused queue, and lets it be cancelled", async () => {
    const { runtime } = await started(one, "a", "b");
    await runtime.queues.pause("llm");

    expect(await runtime.handle("b").cancel("no longer needed")).toMatchObject({ status: "accepted" });
    expect(await runtime.handle("b").summary()).toMatchObject({ status: "cancelled" });
    expect(await runtime.queues.get("llm")).toMatchObject({ waiting: 0, placed: 1 });
  });

  // kestra-io/kestra#7880: a retry went past the limit.
  it("holds back a failed run that is retried under a pause", async () => {
    const { runtime, failing, end, machine, atWork } = await started(one, "a");
    failing.add("a");
    await end("a");
    await machine.clock.advance(MINUTE);
    await end("a");
    expect(await runtime.handle("a").summary()).toMatchObject({ status: "failed" });
    await runtime.queues.pause("llm");

    await runtime.retry("a").accepted;
    await machine.clock.advance(MINUTE);

    expect(atWork()).toEqual([]);
    expect(await runtime.handle("a").summary()).toMatchObject({ status: "queued" });
  });

  // enioka-Haute-Couture/jqm#310: a changed limit needed a restart.
  it("changes limits without a restart, and keeps what has a place", async () => {
    const { runtime, atWork, end } = await started({ concurrency: 2 }, "a", "b", "c", "d", "e");
    await runtime.queues.limit("llm", { concurrency: 3 });
    await settle();
    expect(atWork()).toEqual(["a", "b", "c"]);

    const lower = await runtime.queues.limit("llm", { concurrency: 1, rate: { limit: 5, per: "1h" } });
    expect(lower).toMatchObject({ limits: { concurrency: 1, rate: { limit: 5 } }, configured: { concurrency: 2 } });
    await end("a", "b");
    expect(atWork()).toEqual(["c"]);
    await runtime.queues.limit("llm", { concurrency: null });
    await settle();
    expect(atWork()).toEqual(["c", "d", "e"]);
    expect(await runtime.queues.reset("llm")).toMatchObject({
      limits: { concurrency: 2, rate: null },
      changedAtMs: null,
      placed: 3,
    });
  });

  it("keeps a pause when limits are reset, and limits when it is resumed", async () => {
    const { runtime } = await started(one);
    await runtime.queues.limit("llm", { concurrency: 7 });
    await runtime.queues.pause("llm");

    expect(await runtime.queues.resume("llm")).toMatchObject({ paused: false, limits: { concurrency: 7 } });
    await runtime.queues.pause("llm");
    expect(await runtime.queues.reset("llm")).toMatchObject({ paused: true, limits: { concurrency: 1 } });
  });

  // sidekiq/sidekiq#4857: processes of two versions reset a changed limit, each to its own.
  it("loses no change of two processes that come at once", async () => {
    const machine = new Machine();
    const [first, second] = [opened(one, machine), opened(one, machine)];
    for (const { runtime } of [first, second]) await runtime.start();

    await Promise.all([
      first.runtime.queues.limit("llm", { concurrency: 4 }),
      second.runtime.queues.limit("llm", { perKey: { concurrency: 2 } }),
      first.runtime.queues.pause("llm"),
    ]);

    expect(await first.runtime.queues.get("llm")).toMatchObject({
      paused: true,
      limits: { concurrency: 4, perKey: 2 },
    });
  });

  it("refuses what is no limit, with all problems at once, and a queue that nobody names", async () => {
    const { runtime } = await started(one);
    const refused = async (call: (queues: RuntimeQueues) => Promise<unknown>) => rejection(call(runtime.queues));

    expect(
      await refused((queues) =>
        queues.limit("llm", { concurrency: 0, perKey: { concurrency: "2" }, size: 3 } as never),
      ),
    ).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringMatching(/size.*concurrency.*perKey\.concurrency/s),
    });
    expect(await refused((queues) => queues.limit("llm", {}))).toMatchObject({ code: "OPTION_INVALID" });
    expect(await refused((queues) => queues.limit("llm", null as never))).toMatchObject({ code: "OPTION_INVALID" });
    expect(await refused((queues) => queues.pause("llmm"))).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("which no living process names"),
    });
    expect(await refused((queues) => queues.pause("llm", { who: "kim" } as never))).toMatchObject({
      code: "OPTION_INVALID",
    });
  });

  it("writes into the audit who has changed what", async () => {
    const { runtime } = await started(one);
    await runtime.queues.pause("llm", { by: boss });
    await runtime.queues.resume("llm", { by: boss });
    await runtime.queues.limit("llm", { concurrency: 3 }, { by: boss });
    await runtime.queues.reset("llm", { by: boss });
    await runtime.queues.reset("llm"); // by a program

    const { entries } = await runtime.audit.list();
    expect(entries.map(({ action, queue, by }) => [action, queue, by.user])).toEqual([
      ["queue.reset", "llm", "kim"],
      ["queue.limit", "llm", "kim"],
      ["queue.resume", "llm", "kim"],
      ["queue.pause", "llm", "kim"],
    ]);
  });

  it("is seen and changed by a process that executes nothing and names no queue", async () => {
    const { machine, atWork, end } = await started(one, "a", "b");
    const { flows } = works();
    const web = machine.open(flows, { execute: false }).runtime;

    expect(await web.queues.list()).toMatchObject([
      { name: "llm", limits: { concurrency: 1 }, waiting: 1, workers: 1 },
    ]);
    await web.queues.pause("llm");
    await end("a");
    expect(atWork()).toEqual([]);
    await web.queues.resume("llm");
    await machine.clock.advance(10_000);
    expect(atWork()).toEqual(["b"]);
  });
});

describe("runtime.queues.position", () => {
  it("says how many are before a run, by turns of keys", async () => {
    const { runtime, start } = await started(one, "first");
    for (const id of ["a1", "a2", "a3"]) await start("work", id, { queueKey: "a" }).accepted;
    await start("work", "b1", { queueKey: "b" }).accepted;
    await settle();
    const at = async (id: string) => (await runtime.queues.position(id))?.position ?? null;

    expect(await Promise.all(["first", "a1", "a2", "a3", "b1"].map(at))).toEqual([null, 1, 3, 4, 2]);
    expect(await runtime.queues.position("a3")).toEqual({
      queue: "llm",
      position: 4,
      waiting: 4,
      paused: false,
      estimateMs: null,
    });
    expect(await rejection(runtime.queues.position("none"))).toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("estimates by the pace of the last minutes, and says nothing while the queue is paused", async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `r${index}`);
    const { runtime, machine, end } = await started(one, ...ids);
    for (const id of ids.slice(0, 5)) {
      await machine.clock.advance(20_000);
      await end(id);
    }
    await machine.clock.advance(20_000);

    const position = await runtime.queues.position("r8");

    expect(position).toMatchObject({ position: 3 });
    // A run every 20 seconds.
    expect(position?.estimateMs).toBeGreaterThan(50_000);
    expect(position?.estimateMs).toBeLessThan(70_000);
    await runtime.queues.pause("llm");
    expect(await runtime.queues.position("r8")).toMatchObject({ position: 3, paused: true, estimateMs: null });
  });
});

describe("runtime.workers", () => {
  it("lists a process with what it holds, until it stops", async () => {
    const { runtime, machine, process } = await started(one, "a", "b");
    const [worker] = await runtime.workers.list();
    expect(worker).toMatchObject({
      version: "",
      startedAtMs: machine.clock.now(),
      isAlive: true,
      maxRuns: null,
      workflows: ["work", "nap", "ask"],
      queues: { llm: { concurrency: 1, perKey: null, rate: null } },
    });

    await machine.clock.advance(10_000);
    expect(await runtime.workers.list()).toMatchObject([{ runs: 1, places: 1, beatAtMs: machine.clock.now() }]);
    const other = machine.open(works().flows, {}).runtime;
    expect(await other.workers.list()).toHaveLength(1);
    await process.runtime.stop({ drainMs: 0 });
    expect(await other.workers.list()).toEqual([]);
  });

  // temporalio/ui#3475, littlehorse-enterprises/littlehorse#2427: dead workers were shown as running.
  it("says that a killed process is gone once its lease is over, and forgets it after a day", async () => {
    const machine = new Machine();
    const [dead, living] = [opened(one, machine), opened(one, machine)];
    for (const { runtime } of [dead, living]) await runtime.start();
    await settle();
    dead.process.kill();
    const alive = async () => (await living.runtime.workers.list()).map(({ isAlive }) => isAlive);

    expect(await alive()).toEqual([true, true]);
    await machine.clock.advance(31_000);
    expect(await alive()).toEqual([true, false]);
    expect(await living.runtime.queues.get("llm")).toMatchObject({ workers: 1 });
    await machine.clock.advance(25 * 60 * MINUTE);
    expect(await alive()).toEqual([true]);
  });

  it("does not list a process that executes nothing", async () => {
    const { machine, runtime } = await started(one);
    const web = machine.open(works().flows, { execute: false }).runtime;
    await web.start();
    await machine.clock.advance(MINUTE);

    expect(await runtime.workers.list()).toHaveLength(1);
  });
});
