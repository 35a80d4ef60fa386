import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  resource,
  StartEvent,
  StopEvent,
} from "millrace";
import { memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { testRuntime } from "../src/index.js";

class Ask extends InputRequiredEvent.define("Ask", { question: z.string() }) {}
class Told extends HumanResponseEvent.define("Told", { text: z.string() }) {}
class Slept extends event("Slept") {}

function flow(begun: string[]) {
  return defineWorkflow("nap")
    .step("sleep", { on: StartEvent, emits: Slept }, async (_ev, ctx) => {
      begun.push("sleep");
      await ctx.sleep("3d");
      return new Slept({});
    })
    .step("ask", { on: Slept, emits: StopEvent, waits: Told, streams: Ask }, async (_ev, ctx) => {
      begun.push("ask");
      const { text } = await ctx.waitForEvent(Told, { prompt: new Ask({ question: "Well?" }) });
      return new StopEvent({ result: text });
    })
    .build();
}

it("takes every wait through the store: days pass in no time, and a step that waited begins again", async () => {
  const begun: string[] = [];
  const { runtime, clock } = testRuntime({ nap: flow(begun) });

  const handle = runtime.run("nap", {});
  const asleep = await handle.idle();
  await clock.advance("3d");
  const asking = await handle.idle();
  if (asking.status !== "waiting") throw new Error(asking.status);
  await handle.answer(asking.prompts[0]?.promptId ?? "", { text: "rested" });

  expect(asleep).toMatchObject({ status: "waiting", wakeAtMs: Date.UTC(2030, 0, 4) });
  expect(await handle).toBe("rested");
  expect(begun).toEqual(["sleep", "sleep", "ask", "ask"]);
  await runtime.stop();
});

it("leaves a run in memory when it is told to", async () => {
  const begun: string[] = [];
  const { runtime, clock } = testRuntime({ nap: flow(begun) }, { idleReleaseMs: 10 * 86_400_000 });

  const handle = runtime.run("nap", {});
  await handle.idle();
  await clock.advance("3d");
  await handle.idle();

  expect(begun).toEqual(["sleep", "ask"]);
  await runtime.stop({ drainMs: 0 });
});

it("fires few timers while everything sleeps, unless the store may be shared", async () => {
  const nap = () =>
    defineWorkflow("nap")
      .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("6d");
        return new StopEvent({ result: "rested" });
      })
      .build();
  const alone = testRuntime({ nap: nap() });
  const shared = testRuntime({ nap: nap() }, { store: memoryStore() });
  const runs = [alone, shared].map(({ runtime }) => runtime.run("nap", {}));
  await Promise.all(runs.map((run) => run.idle()));
  const renewed = [alone, shared].map(({ clock }) => (clock.nextAtMs ?? 0) - clock.now());

  await alone.clock.advance("6d");

  expect(renewed).toEqual([8 * 3_600_000, 10_000]);
  expect(await runs[0]).toBe("rested");
  await Promise.all([alone, shared].map(({ runtime }) => runtime.stop({ drainMs: 0 })));
});

it("replaces resources in every run", async () => {
  const bank = resource("bank", () => "real");
  const pay = defineWorkflow("pay")
    .step(
      "pay",
      { on: StartEvent, emits: StopEvent, resources: { bank } },
      (_ev, _ctx, found) => new StopEvent({ result: found.bank }),
    )
    .build();
  const { runtime } = testRuntime({ pay }, { resources: [bank.override("fake")] });

  expect(await runtime.run("pay", {})).toBe("fake");
  expect(await runtime.run("pay", {})).toBe("fake");
  await runtime.stop();
});
