/** Runs that only wait leave memory, and come back as they were. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RuntimeOptions } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";
import { Machine, promptIds, state } from "../support/processes.js";
import { rejection } from "../support/runs.js";

const IDLE = 10_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

class Ask extends InputRequiredEvent.define("Ask", { id: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { id: z.number(), text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });
const code = (error: { code: string }): string => error.code;

/** One workflow in one process, whose waiting run leaves memory as its options say. */
function open(workflow: object, options: Partial<RuntimeOptions<never>> = { idleReleaseMs: 0 }) {
  const machine = new Machine();
  const { runtime } = machine.open({ flow: workflow } as never, options);
  const run = runtime.run("flow", {} as never, { runId: "one" });
  return { machine, runtime, run, isGone: async () => (await machine.row("one")).lease === null };
}

/** Lets it leave memory. */
async function released({ machine, run, isGone }: ReturnType<typeof open>): Promise<void> {
  await run.idle();
  await machine.clock.advance(0);
  expect(await isGone()).toBe(true);
}

function asking() {
  let begun = 0;
  const flow = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      begun++;
      const one = ctx.waitForEvent(Answer, { prompt: new Ask({ id: 1 }), where: { id: 1 }, key: "one" });
      const two = ctx.waitForEvent(Answer, { prompt: new Ask({ id: 2 }), where: { id: 2 }, key: "two" });
      return stopped([(await one).text, (await two).text]);
    })
    .build();
  return { flow, begun: () => begun };
}

describe("a waiting run", () => {
  it("stays in memory where the clock was set back, and sleeps as long as it was told", async () => {
    const naps: number[] = [];
    const flow = defineWorkflow("naps")
      .step("nap", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        for (let nap = 0; nap < 2; nap++) naps.push(await ctx.sleep(MINUTE).then(() => nap));
        return stopped("awake");
      })
      .build();
    const { machine, run, isGone } = open(flow, { idleReleaseMs: IDLE });
    await run.idle();
    machine.clock.setBy(-6 * HOUR);
    await machine.clock.advance(MINUTE);
    const afterOne = [...naps];
    await machine.clock.advance(IDLE);
    const wasGone = await isGone();
    await machine.clock.advance(MINUTE - IDLE);

    expect([afterOne, wasGone]).toEqual([[0], false]);
    expect(await run).toBe("awake");
  });

  it("stays in memory for idleReleaseMs after the last that happened, and no longer", async () => {
    const { machine, run, isGone } = open(asking().flow, { idleReleaseMs: IDLE });
    const [first = ""] = await promptIds(run);
    await machine.clock.advance(IDLE - 1);
    expect(await isGone()).toBe(false);
    await run.answer(first, { id: 1, text: "a" });
    await run.idle();
    await machine.clock.advance(IDLE - 1);
    expect(await isGone()).toBe(false);
    await machine.clock.advance(1);

    expect(await isGone()).toBe(true);
    expect(await machine.row("one")).toMatchObject({ status: "waiting", wakeAtMs: null });
  });

  it("stays in memory while a step works", async () => {
    const flow = defineWorkflow("works")
      .step("work", { on: StartEvent, emits: StopEvent }, () => new Promise<StopEvent>(() => {}))
      .build();
    const { machine, isGone } = open(flow);
    await machine.clock.advance(HOUR);

    expect(await isGone()).toBe(false);
  });

  it("comes back for an answer, and each of two waits gets the one that it is for", async () => {
    const { flow, begun } = asking();
    const opened = open(flow);
    const { run } = opened;
    await released(opened);
    const prompts = await promptIds(run);
    expect(prompts).toHaveLength(2);
    expect(await run.sendEvent(new Answer({ id: 2, text: "b" }))).toMatchObject({ status: "accepted" });
    await released(opened);
    expect(await promptIds(run)).toEqual([prompts[0]]);
    await run.answer(prompts[0] ?? "", { id: 1, text: "a" });

    expect(await run).toEqual(["a", "b"]);
    expect(begun()).toBe(3);
  });

  it("keeps what its waits ask for: another answer does not wake them", async () => {
    const opened = open(asking().flow);
    const { run, machine } = opened;
    await released(opened);
    await run.sendEvent(new Answer({ id: 3, text: "c" }));
    await machine.clock.advance(0);

    expect(await promptIds(run)).toHaveLength(2);
    expect(await state(run)).toBe("pending");
  });

  it("shows its prompt once, however often it comes back", async () => {
    const opened = open(asking().flow);
    const { run } = opened;
    const shown = run.streamEvents().toArray();
    await released(opened);
    await run.answer((await promptIds(run))[1] ?? "", { id: 2, text: "b" });
    await released(opened);
    await run.answer((await promptIds(run))[0] ?? "", { id: 1, text: "a" });
    await run;

    const types = (await shown).map(({ event }) => event.type);
    expect(types.filter((type) => type === "Ask")).toHaveLength(2);
    expect((await shown).map(({ sequence }) => sequence)).toEqual(types.map((_, index) => index));
  });
});

describe("a run that comes back by itself", () => {
  it("wakes at the end of its sleep", async () => {
    const flow = defineWorkflow("sleeps")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("1h");
        return stopped("awake");
      })
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    const dueAtMs = machine.clock.now() + HOUR;
    await released(opened);
    expect((await machine.row("one")).wakeAtMs).toBe(dueAtMs);
    await machine.clock.advance(HOUR - 1);
    expect(await state(run)).toBe("pending");
    await machine.clock.advance(1);

    expect(await run).toBe("awake");
  });

  it("keeps the time that is left of a wait, and the timer of an answered wait does not touch the next", async () => {
    const flow = defineWorkflow("timeouts")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
        const first = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 1 }), key: "same", timeout: "10m" });
        const second = await ctx
          .waitForEvent(Answer, { prompt: new Ask({ id: 2 }), key: "next", timeout: "30m" })
          .catch(code);
        return stopped([first.text, second]);
      })
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    await released(opened);
    await machine.clock.advance(9 * MINUTE);
    await run.answer((await promptIds(run))[0] ?? "", { id: 1, text: "a" });
    await released(opened);
    await machine.clock.advance(30 * MINUTE - 1);
    expect(await state(run)).toBe("pending");
    await machine.clock.advance(1);

    expect(await run).toEqual(["a", "WAIT_TIMED_OUT"]);
  });

  it("can wait again after a wait that timed out", async () => {
    const flow = defineWorkflow("again")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
        const asked: string[] = [];
        for (let id = 0; id < 3; id++)
          asked.push(
            await ctx.waitForEvent(Answer, { prompt: new Ask({ id }), timeout: "1m" }).then(({ text }) => text, code),
          );
        return stopped(asked);
      })
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    await released(opened);
    const [first] = await promptIds(run);
    await machine.clock.advance(MINUTE);
    const [second] = await promptIds(run);
    expect(second).not.toBe(first);
    await machine.clock.advance(MINUTE);
    await run.answer((await promptIds(run))[0] ?? "", { id: 2, text: "c" });

    expect(await run).toEqual(["WAIT_TIMED_OUT", "WAIT_TIMED_OUT", "c"]);
  });

  it("asks again in an attempt that follows a wait that timed out", async () => {
    const policy = retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(2) });
    const flow = defineWorkflow("retried-wait")
      .step(
        "ask",
        { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask, retry: policy },
        async (_ev, ctx) => {
          const { text } = await ctx.waitForEvent(Answer, {
            prompt: new Ask({ id: ctx.retryInfo().retry }),
            timeout: "1h",
          });
          return stopped([text, ctx.retryInfo().retry]);
        },
      )
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    await released(opened);
    await machine.clock.advance(HOUR + MINUTE);
    expect(await state(run)).toBe("pending");
    await run.answer((await promptIds(run))[0] ?? "", { id: 1, text: "second" });

    expect(await run).toEqual(["second", 1]);
  });
});

describe("counters of a run that comes back", () => {
  it("go on: attempts, their first start and the delay of the next", async () => {
    const seen: unknown[] = [];
    const policy = retryPolicy({ wait: wait.fixed("1h"), stop: stop.afterAttempts(3) });
    const flow = defineWorkflow("retries")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask, retry: policy },
        async (_ev, ctx) => {
          await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 1 }) });
          const { attempt, retry, elapsedMs } = ctx.retryInfo();
          seen.push([attempt, retry, elapsedMs]);
          throw new Error(`attempt ${retry}`);
        },
      )
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    await released(opened);
    await run.answer((await promptIds(run))[0] ?? "", { id: 1, text: "go" });
    await machine.clock.advance(HOUR - 1);
    expect(seen).toEqual([[2, 0, 0]]); // it began again when the run was loaded, and had not failed
    await machine.clock.advance(1);
    await machine.clock.advance(HOUR);

    expect((await rejection(run)).message).toBe("attempt 2");
    expect(seen).toEqual([
      [2, 0, 0],
      [3, 1, HOUR],
      [4, 2, 2 * HOUR],
    ]);
  });

  it("go on: how often a handler may still help", async () => {
    const flow = defineWorkflow("recovers")
      .step("start", { on: StartEvent, emits: Item }, () => new Item({ n: 0 }))
      .step("work", { on: Item, emits: StopEvent }, async ({ n }, ctx) => {
        await ctx.sleep("1m");
        throw new Error(`no ${n}`);
      })
      .catchError("recover", { emits: Item, maxRecoveries: 2 }, async (ev) => {
        return new Item({ n: (ev.input as Item).n + 1 });
      })
      .build();
    const opened = open(flow);
    const { machine, run } = opened;
    await released(opened);
    for (let turn = 0; turn < 5; turn++) await machine.clock.advance(MINUTE);

    expect((await rejection(run)).message).toBe("no 2");
  });

  it("go on: the deadline of the run", async () => {
    const machine = new Machine();
    const { flow } = asking();
    const { runtime } = machine.open({ flow }, { idleReleaseMs: 0 });
    const run = runtime.run("flow", {}, { runId: "one", deadline: machine.clock.now() + HOUR });
    await run.idle();
    await machine.clock.advance(HOUR - 1);
    expect((await machine.row("one")).lease).toBeNull();
    expect(await state(run)).toBe("pending");
    await machine.clock.advance(1);

    expect((await rejection(run)).code).toBe("RUN_TIMED_OUT");
    expect((await machine.row("one")).status).toBe("timedOut");
  });

  it("do not count the time out of memory as work", async () => {
    const machine = new Machine();
    const { flow } = asking();
    const { runtime } = machine.open({ flow }, { idleReleaseMs: 0 });
    const run = runtime.run("flow", {}, { runId: "one", timeout: "1m" });
    await run.idle();
    await machine.clock.advance(24 * HOUR);
    for (const id of [1, 2]) await run.sendEvent(new Answer({ id, text: String(id) }));

    expect(await run).toEqual(["1", "2"]);
  });
});
