/** Fractions of milliseconds, and times that no date can say: a store takes whole numbers that JavaScript can hold. */
import { expect, it } from "vitest";
import { type Context, defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";

const waits: Readonly<Record<string, (ctx: Context) => unknown>> = {
  "a sleep of a fraction": (ctx) => ctx.sleep(2_000.5),
  "a sleep without an end": (ctx) => ctx.sleep(Number.MAX_SAFE_INTEGER),
  "a sleep longer than any number": (ctx) => ctx.sleep(Number.MAX_VALUE),
  "an event that is sent late": (ctx) => ctx.sendEvent(new StartEvent() as never, { delay: 1_000.25 }),
  "a retry that never comes": () => Promise.reject(new Error("again")),
};

it.each(Object.entries(waits))("%s is due at a whole millisecond of a date", async (_, wait) => {
  const flow = defineWorkflow("flow")
    .step(
      "wait",
      { on: StartEvent, emits: [StartEvent, StopEvent], retry: { next: () => Number.MAX_VALUE } },
      async (_ev, ctx) => {
        await wait(ctx as never);
      },
    )
    .build();
  const { runtime } = new Machine().open({ flow });

  const outcome = await runtime.run("flow", {}, { runId: "one" }).idle();

  const { wakeAtMs } = await runtime.handle("one").summary();
  expect(outcome).toMatchObject({ status: "waiting", wakeAtMs });
  expect(wakeAtMs).toSatisfy(Number.isSafeInteger);
  expect(new Date(wakeAtMs as number).getTime()).toBe(wakeAtMs);
});

it.each(["startAt", "deadline"])("`%s` may be a fraction of a millisecond", async (option) => {
  const flow = defineWorkflow("flow")
    .step("wait", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.sleep("1d");
      return new StopEvent({ result: null });
    })
    .build();
  const machine = new Machine();
  const { runtime } = machine.open({ flow });
  const atMs = machine.clock.now() + 1_000;

  const run = runtime.run("flow", {}, { runId: "one", [option]: atMs - 0.75 });
  await run.accepted;
  if (option === "deadline") await run.idle();

  expect((await run.summary()).wakeAtMs).toBe(atMs);
});

it.each(["startAt", "deadline"])("`%s` is refused where it is behind all dates", async (option) => {
  const flow = defineWorkflow("flow")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
    .build();
  const { runtime } = new Machine().open({ flow });

  const begin = async () => runtime.run("flow", {}, { [option]: 9e15 }).accepted;

  await expect(begin()).rejects.toMatchObject({ code: "OPTION_INVALID", details: { option } });
});
