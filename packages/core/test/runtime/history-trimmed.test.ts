/** Runs that keep only their last ticks. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { id: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}

function flow() {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 2 }) });
      return new StopEvent({ result: text });
    })
    .build();
  return defineWorkflow("parent", { children: { child }, state: { said: z.array(z.string()).default([]) } })
    .step("first", { on: StartEvent, emits: Item, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 1 }) });
      await ctx.store.editState((draft) => void draft.said.push(text));
      return new Item({ n: 1 });
    })
    .step("second", { on: Item, emits: StopEvent }, async (_ev, ctx) => {
      const text = (await ctx.runChild("child", {})) as string;
      await ctx.store.editState((draft) => void draft.said.push(text));
      return new StopEvent({ result: await ctx.store.get("said") });
    })
    .build();
}

describe("history: { keep }", () => {
  it("keeps about the last ticks; the older ones are HISTORY_TRIMMED; the run still goes on anywhere", async () => {
    const machine = new Machine();
    const first = machine.open({ flow: flow() }, { history: { keep: 4 }, snapshotEvery: 2, leaseMs: 1_000 });
    const run = first.runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await run.sendEvent(new Answer({ text: "a" }));
    await run.idle();
    await settle();
    first.kill();
    const { ticks } = await machine.row("one");
    await machine.clock.advance(5_000);
    const { runtime } = machine.open({ flow: flow() }, { history: { keep: 4 }, snapshotEvery: 2 });
    const numbers = (await historyOf(runtime as never, "one")).map(({ number }) => number);

    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers.length).toBeLessThan(ticks);
    expect(numbers.at(-1)).toBe(ticks);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    const trimmed = (numbers[0] ?? 0) - 2;
    expect((await rejection(runtime.stateAt("one", trimmed))).code).toBe("HISTORY_TRIMMED");
    expect((await rejection(runtime.fork("one", { at: trimmed }).accepted)).code).toBe("HISTORY_TRIMMED");
    for (const number of numbers) expect(await runtime.stateAt("one", number)).toMatchObject({ runId: "one" });
    await runtime.start();
    const handle = runtime.handle("one");
    await handle.sendEvent(new Answer({ text: "b" }));
    expect(await handle).toEqual(["a", "b"]);
  });
});
