/** Event types whose names every object has already. */
import { expect, it } from "vitest";
import * as z from "zod";
import { collect, defineWorkflow, event, HumanResponseEvent, many, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";

/** A fan-out of events of that type, behind a wait for another one. */
function flowOf(type: string, version: number) {
  const Item = event(type, { n: z.number() });
  const Answer = HumanResponseEvent.define(`${type}Answer`, {});
  const flow = defineWorkflow("flow")
    .step("split", { on: StartEvent, emits: many(Item) }, () => [new Item({ n: 1 }), new Item({ n: 2 })])
    .step("sum", { on: collect(Item), emits: StopEvent, waits: Answer, workers: version }, async (all, ctx) => {
      await ctx.waitForEvent(Answer);
      return new StopEvent({ result: all.map(({ n }) => n) });
    })
    .build();
  return { flow, Answer };
}

it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])(
  "%s is a type as any other, also after a restart with other code",
  async (type) => {
    const machine = new Machine();
    const first = machine.open({ flow: flowOf(type, 1).flow }, { snapshotEvery: 1 });
    await first.runtime.run("flow", {}, { runId: "one" }).accepted;
    await machine.clock.advance(0);
    first.kill();
    await machine.clock.advance(60_000);
    const second = machine.open({ flow: flowOf(type, 2).flow });
    await second.runtime.start();
    await machine.clock.advance(60_000);
    second.kill();
    await machine.clock.advance(60_000);
    const { flow, Answer } = flowOf(type, 2);
    const third = machine.open({ flow });
    await third.runtime.start();

    const run = third.runtime.handle("one");
    await run.sendEvent(new Answer({}));

    expect(await run).toEqual([1, 2]);
  },
);
