/** `execute: false`: a process that posts, reads, streams and answers, beside one that executes. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine, promptIds, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { Done, HOUR, MINUTE, SECOND, scheduled, startedIds } from "../support/scheduled.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { of: z.string() }) {}
class Reply extends HumanResponseEvent.define("Reply", { text: z.string() }) {}

let isDown = true;

const flows = {
  ...scheduled,
  asking: defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Reply, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Reply, { prompt: new Ask({ of: "you" }) });
      return new StopEvent({ result: text });
    })
    .build(),
  failing: defineWorkflow("failing")
    .step("try", { on: StartEvent, emits: StopEvent, retry: { next: () => null } }, () => {
      if (isDown) throw new Error("down");
      return new StopEvent({ result: "up" });
    })
    .build(),
};

/** The next look of the pump at the latest. */
const LOOK = 10 * SECOND;

const claiming = ["claim", "claimDue", "renew"] as const;

/** A store that fails whoever takes a run. */
function takingNothing(store: RunStore): RunStore {
  const refuse = async (): Promise<never> => {
    throw new Error("A runtime that executes nothing took a run.");
  };
  return withMethods(store, Object.fromEntries(claiming.map((name) => [name, refuse])));
}

function open() {
  const machine = new Machine();
  const web = machine.open(flows, { execute: false, store: takingNothing(machine.store) });
  return { machine, web, runtime: web.runtime, work: () => machine.open(flows) };
}

describe("a runtime that executes nothing", () => {
  it("stores runs, and gives their results and streams once somebody has executed them", async () => {
    const { machine, runtime, work } = open();
    expect(await runtime.start()).toBe(0);
    const run = runtime.run("asking", {}, { runId: "one" });
    await run.accepted;
    await machine.clock.advance(HOUR);
    expect(await run.summary()).toMatchObject({ ticks: 0, endedAtMs: null });
    expect(await state(run.idle())).toBe("pending");
    expect(machine.clock.pending).toBe(0); // it sets no timer

    const worker = work();
    await worker.runtime.start();
    const [prompt] = await promptIds(run);
    const seen = run.streamEvents()[Symbol.asyncIterator]();
    expect((await seen.next()).value).toMatchObject({ sequence: 0, event: new Ask({ of: "you" }) });
    expect((await run.answer(prompt as string, { text: "me" })).status).toBe("accepted");
    expect(await run).toBe("me");
    expect(await run.outcome()).toMatchObject({ status: "completed", result: "me" });
    expect((await historyOf(runtime, "one")).at(-1)?.tick.type).toBe("step.completed");
    expect(await run.snapshot()).toMatchObject({ workflow: "asking" });
    expect(await startedIds(runtime)).toEqual(["one"]);
  });

  it("has its runs taken up by a worker that is there already, scheduled ones at their time", async () => {
    const { machine, runtime, work } = open();
    await work().runtime.start();
    expect(await runtime.run("report", { of: "now" })).toBe("report of now");
    const later = runtime.run("report", { of: "later" }, { startAt: machine.clock.now() + HOUR });
    await later.accepted;
    await machine.clock.advance(HOUR - 1);
    expect(await later.summary()).toMatchObject({ status: "scheduled" });
    await machine.clock.advance(1);
    expect(await later).toBe("report of later");
  });

  it("has what it sends taken by whoever has the run, and is told", async () => {
    const { runtime, work } = open();
    const worker = work();
    await worker.runtime.start();
    const run = runtime.run("slow", {}, { runId: "one" });
    await run.idle();
    expect((await run.sendEvent(new Done({}), { key: "once" })).status).toBe("accepted");
    expect((await run.sendEvent(new Done({}), { key: "once" })).status).toBe("accepted");
    expect(await run).toBe("done");
    expect(await run.sendEvent(new Done({}))).toMatchObject({ status: "refused", code: "RUN_FINISHED" });

    const other = runtime.run("slow", {}, { runId: "two" });
    await other.idle();
    expect((await other.cancel("enough")).status).toBe("accepted");
    expect(await rejection(other)).toMatchObject({ code: "RUN_CANCELLED" });
  });

  it("has a message wait until somebody is there", async () => {
    const { machine, runtime, work } = open();
    const first = work();
    await runtime.run("slow", {}, { runId: "one" }).accepted;
    await first.runtime.start();
    await runtime.handle("one").idle();
    first.kill();
    const sent = runtime.handle("one").sendEvent(new Done({}));
    await machine.clock.advance(HOUR);
    expect(await state(sent)).toBe("pending");

    await work().runtime.start();
    expect((await sent).status).toBe("accepted");
    expect(await runtime.handle("one")).toBe("done");
  });

  it("asks for runs to be resumed and retried, and is told what comes of it", async () => {
    const { machine, runtime, work } = open();
    const worker = work();
    await worker.runtime.start();
    isDown = true;
    const failed = runtime.run("failing", {}, { runId: "one" });
    await rejection(failed);
    isDown = false;
    const retried = runtime.retry("one", { key: "ticket" });
    await machine.clock.advance(LOOK);
    await retried.accepted;
    expect(await retried).toBe("up");

    const again = runtime.retry("one", { key: "ticket" });
    const wrong = rejection(runtime.retry("one").accepted);
    const unknown = await rejection(runtime.resume("none").accepted);
    await machine.clock.advance(LOOK);
    await again.accepted; // it counts once
    expect(await wrong).toMatchObject({ code: "RUN_NOT_RETRYABLE", message: expect.stringContaining('"one"') });
    expect(unknown).toMatchObject({ code: "RUN_UNKNOWN" });

    const slow = runtime.run("slow", {}, { runId: "two" });
    await slow.idle();
    await slow.cancel();
    const resumed = runtime.resume("two");
    await machine.clock.advance(LOOK);
    await resumed.accepted;
    expect(await resumed.idle()).toMatchObject({ status: "waiting" });
    await machine.clock.advance(MINUTE);
    expect(await machine.store.posts({ tenant: "", runId: "two" })).toEqual([]);
  });

  it.each([1, 2, 3])("has a request served once, where the first worker dies with its commit %i", async (diesAt) => {
    const { machine, runtime, work } = open();
    isDown = true;
    const first = work();
    await first.runtime.start();
    await rejection(runtime.run("failing", {}, { runId: "one" }));
    await settle();
    first.kill();
    isDown = false;
    const retried = runtime.retry("one");
    const mortal = machine.open(flows, { diesAt, leaseMs: MINUTE });
    await mortal.runtime.start();
    await settle();
    mortal.kill();
    const others = [work(), work()];
    for (const other of others) await other.runtime.start();
    await machine.clock.advance(2 * MINUTE);
    await retried.accepted;
    expect(await retried).toBe("up");
    const ticks = (await historyOf(runtime, "one")).map(({ tick }) => tick.type);
    expect(ticks.filter((type) => type === "run.retried")).toHaveLength(1);
  });

  it("has a run cancelled, also where somebody has resumed it by the time that this is known here", async () => {
    const machine = new Machine();
    const worker = machine.open(flows).runtime;
    const receipt: RunStore["receipt"] = async (key, of) => {
      const found = await machine.store.receipt(key, of);
      if (found !== null) await worker.resume("one").accepted;
      return found;
    };
    const store = withMethods(machine.store, { receipt });
    const { runtime } = machine.open(flows, { execute: false, store });
    await worker.start();
    await worker.run("asking", {}, { runId: "one" }).idle();

    expect(await state(runtime.handle("one").cancel("enough"))).toMatchObject({ value: { status: "accepted" } });
    expect((await runtime.handle("one").summary()).status).not.toBe("cancelled");
  });

  it("has a run cancelled before its time has come", async () => {
    const { machine, runtime, work } = open();
    const run = runtime.run("report", { of: "later" }, { startAt: machine.clock.now() + 24 * HOUR });
    await run.accepted;
    const cancelled = run.cancel("no more", { key: "once" });
    await machine.clock.advance(HOUR);
    expect(await state(cancelled)).toBe("pending");
    await work().runtime.start();
    await machine.clock.advance(LOOK);
    expect((await cancelled).status).toBe("accepted");
    expect(await rejection(run)).toMatchObject({ code: "RUN_CANCELLED", details: { reason: "no more" } });
    expect((await run.cancel("no more", { key: "once" })).status).toBe("accepted");
  });

  it("forks runs, and leaves the fork to others", async () => {
    const { machine, runtime, work } = open();
    const worker = work();
    await worker.runtime.start();
    await runtime.run("report", { of: "one" }, { runId: "one" });
    worker.kill();
    const fork = runtime.fork("one", { at: 1, runId: "two" });
    await fork.accepted;
    await machine.clock.advance(MINUTE);
    expect(await fork.outcome()).toBeNull();

    await work().runtime.start();
    expect(await fork).toBe("report of one");
    expect((await historyOf(runtime, "two")).map(({ tick }) => tick.type)).toEqual([
      "run.forked",
      "run.resumed",
      "step.completed",
    ]);
  });

  it("sets schedules and starts with `dedupe`, which others begin", async () => {
    const { machine, runtime, work } = open();
    await runtime.schedules.set("hourly", { cron: "0 * * * *", workflow: "report", input: { of: "the hour" } });
    const [one, two] = [1, 2].map((of) => runtime.run("report", { of: `${of}` }, { dedupe: { key: "a", for: "1m" } }));
    await two?.accepted;
    await machine.clock.advance(HOUR);
    expect(await startedIds(runtime)).toEqual([one?.runId]);
    expect((await runtime.due()).wakeAtMs).toBeLessThanOrEqual(machine.clock.now());

    await work().runtime.start();
    expect([await one, await two]).toEqual(["report of 1", "report of 1"]);
    expect(await runtime.handle("hourly@2030-01-01T01:00:00.000Z")).toBe("report of the hour");
    expect(await runtime.run("report", { of: "3" }, { dedupe: { key: "b", for: "1m" } })).toBe("report of 3");
  });

  it("tells whoever waits that it has stopped, and the run goes on elsewhere", async () => {
    const { runtime, work } = open();
    const run = runtime.run("report", { of: "one" }, { runId: "one" });
    await run.accepted;
    const waiting = rejection(run);
    await runtime.stop();
    expect(await waiting).toMatchObject({ code: "RUNTIME_STOPPED" });
    const { runtime: worker } = work();
    await worker.start();
    expect(await worker.handle("one")).toBe("report of one");
  });
});

describe("at the door", () => {
  it.each<[string, object, string]>([
    ["no store", { execute: false }, "`execute: false` needs a `store`"],
    ["no boolean", { execute: "no", store: memoryStore() }, '`execute` is "no", not true or false'],
  ])("%s is refused", async (_, options, message) => {
    const create = async () => createRuntime({ workflows: flows, ...options } as never);
    expect(await rejection(create())).toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(message),
    });
  });
});
