/** Somebody sets the clock back while a run is in memory: what counts is the time that passes. */
import { describe, expect, it } from "vitest";
import { runTime } from "../src/entries/engine.js";
import { defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../src/index.js";
import { Limiter } from "../src/limit/limiter.js";
import { Answer, answer, phases, stopped } from "./support/phases.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { settle, VirtualClock, withVirtualClock } from "./support/virtual-clock.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Notes when, by the time that has passed, each of these has ended. */
function sleeper(
  calls: (ctx: { sleep(until: number | Date): Promise<void> }, note: (what: string) => void) => Promise<void>,
) {
  const notes: string[] = [];
  const flow = defineWorkflow("sleeper")
    .step("sleep", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
      await calls(ctx, (what) => void notes.push(what));
      return new StopEvent();
    })
    .build();
  return { flow, notes, clock: withVirtualClock(flow) };
}

describe("a run whose clock is set back six hours", () => {
  it("sleeps as long as it was told, before, during and after", async () => {
    const { flow, notes, clock } = sleeper(async (ctx, note) => {
      for (const nap of ["first", "second", "third"]) {
        await ctx.sleep(MINUTE);
        note(nap);
      }
    });
    flow.run();
    await clock.advance(MINUTE / 2);
    clock.setBy(-6 * HOUR);
    await clock.advance(MINUTE / 2);
    const atFirst = [...notes];
    await clock.advance(MINUTE);
    const atSecond = [...notes];
    await clock.advance(MINUTE - 1);
    const before = [...notes];
    await clock.advance(1);

    expect([atFirst, atSecond, before, notes]).toEqual([
      ["first"],
      ["first", "second"],
      ["first", "second"],
      ["first", "second", "third"],
    ]);
  });

  it("has a time that goes on from its last tick, for the code of its steps too", async () => {
    const times: number[] = [];
    const { flow, clock } = sleeper(async (ctx) => {
      await ctx.sleep(MINUTE);
      times.push(runTime(ctx as never));
      clock.setBy(-6 * HOUR);
      times.push(runTime(ctx as never));
      await ctx.sleep(MINUTE);
      times.push(runTime(ctx as never));
    });
    const fromMs = clock.now();
    flow.run();
    await clock.advance(2 * MINUTE);

    expect(times.map((ms) => ms - fromMs)).toEqual([MINUTE, MINUTE, 2 * MINUTE]);
    expect(() => runTime({ runId: "none" })).toThrow(/`runTime` needs the context of a step/);
  });

  it("sleeps side by side at the pace of the clock", async () => {
    const { flow, notes, clock } = sleeper(async (ctx, note) => {
      await ctx.sleep(MINUTE);
      clock.setBy(-6 * HOUR);
      const nap = async (name: string, ms: number) => ctx.sleep(ms).then(() => note(name));
      const long = nap("long", 10 * MINUTE);
      await nap("short", MINUTE);
      await Promise.all([long, nap("late", 10 * MINUTE)]);
    });
    const handler = flow.run();
    await clock.advance(11 * MINUTE - 1);
    const before = [...notes];
    await clock.advance(1);
    const between = [...notes];
    await clock.advance(MINUTE);
    await handler;

    expect([before, between, notes]).toEqual([["short"], ["short", "long"], ["short", "long", "late"]]);
  });

  it("sleeps until a date that it reads off the clock", async () => {
    const { flow, notes, clock } = sleeper(async (ctx, note) => {
      await ctx.sleep(MINUTE);
      clock.setBy(-6 * HOUR);
      await ctx.sleep(new Date(clock.now() + MINUTE));
      note("there");
    });
    flow.run();
    await clock.advance(2 * MINUTE - 1);
    const before = [...notes];
    await clock.advance(1);

    expect([before, notes]).toEqual([[], ["there"]]);
  });

  it("goes by the clock again once that is set right", async () => {
    const { flow, notes, clock } = sleeper(async (ctx, note) => {
      await ctx.sleep(MINUTE);
      clock.setBy(-6 * HOUR);
      await ctx.sleep(MINUTE);
      clock.setBy(6 * HOUR);
      await ctx.sleep(MINUTE);
      note("third");
      clock.setBy(-10 * MINUTE);
      await ctx.sleep(MINUTE);
      note("fourth");
    });
    const handler = flow.run();
    await clock.advance(3 * MINUTE);
    const atThird = [...notes];
    await clock.advance(MINUTE);
    await handler;

    expect([atThird, notes]).toEqual([["third"], ["third", "fourth"]]);
  });

  it("tries again after the delay of its policy", async () => {
    let calls = 0;
    const retry = retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(2) });
    const flow = defineWorkflow("retried")
      .step("work", { on: StartEvent, emits: StopEvent, retry }, async () => {
        calls++;
        clock.setBy(-6 * HOUR);
        throw new Error("no");
      })
      .build();
    const clock = withVirtualClock(flow);
    const failure = rejection(flow.run());
    await clock.advance(MINUTE);

    expect(await failure).toMatchObject({ message: "no" });
    expect(calls).toBe(2);
  });

  it("gives up a wait when its timeout has passed", async () => {
    const flow = defineWorkflow("waits")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
        await ctx.sleep(MINUTE);
        clock.setBy(-6 * HOUR);
        return stopped((await rejection(ctx.waitForEvent(Answer, { timeout: "1m" }))).code);
      })
      .build();
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(2 * MINUTE);

    expect(await handler).toBe("WAIT_TIMED_OUT");
  });

  it("keeps the time limit of a step over its waits", async () => {
    const { flow, clock, next } = phases(2, { timeout: "1s" });
    const handler = flow.run();
    await clock.advance(600);
    next();
    await waiting(handler);
    clock.setBy(-6 * HOUR);
    await handler.sendEvent(answer);
    const failure = rejection(handler);
    await clock.advance(400);

    expect(await failure).toMatchObject({ code: "STEP_TIMEOUT" });
  });

  it("gives a step that works meanwhile its time limit once more at most", async () => {
    const { flow, clock, next } = phases(2, { timeout: "1s" });
    const handler = flow.run();
    await clock.advance(600);
    clock.setBy(-6 * HOUR);
    next();
    await waiting(handler);
    await handler.sendEvent(answer);
    const failure = rejection(handler);
    await clock.advance(1_000);

    expect(await failure).toMatchObject({ code: "STEP_TIMEOUT" });
  });

  it("keeps its timeout and its deadline", async () => {
    const { flow, clock } = phases(2);
    const deadline = new Date(clock.now() + MINUTE);
    const failures = [flow.run({}, { timeout: "1m" }), flow.run({}, { deadline })].map(rejection);
    await settle();
    clock.setBy(-6 * HOUR);
    await clock.advance(MINUTE);

    expect(await Promise.all(failures)).toMatchObject([{ code: "RUN_TIMED_OUT" }, { code: "RUN_TIMED_OUT" }]);
  });

  it("goes on from its last tick when it is loaded, and takes a new deadline by the clock", async () => {
    const { flow, clock, next } = phases(2);
    const first = flow.run();
    await settle();
    next();
    await waiting(first);
    const context = reload(flow, first.context);
    clock.setBy(-6 * HOUR);
    const failure = rejection(flow.resume(context, { deadline: clock.now() + MINUTE }));
    await clock.advance(MINUTE - 1);
    const before = clock.pending;
    await clock.advance(1);

    expect(await failure).toMatchObject({ code: "RUN_TIMED_OUT" });
    expect(before).toBe(1);
  });
});

describe("a limit per minute", () => {
  it("is full for a minute at most where the clock is set back", async () => {
    const clock = new VirtualClock();
    const limiter = new Limiter("openai", { perMinute: 1 }, clock);
    limiter.acquire();
    clock.setBy(-6 * HOUR);
    let isFree = false;
    void Promise.resolve(limiter.acquire()).then(() => {
      isFree = true;
    });
    await clock.advance(MINUTE);

    expect(isFree).toBe(true);
  });
});
