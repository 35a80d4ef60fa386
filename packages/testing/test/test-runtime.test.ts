import { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
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
  const { runtime, clock } = testRuntime({ nap: flow(begun) }, { restoreWaits: false, idleReleaseMs: 10 * 86_400_000 });

  const handle = runtime.run("nap", {});
  await handle.idle();
  await clock.advance("3d");
  await handle.idle();

  expect(begun).toEqual(["sleep", "ask"]);
  await runtime.stop({ drainMs: 0 });
});
