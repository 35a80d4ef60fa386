/** Where a fork says that it comes from, and what of it can be edited. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, event, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";

class Quote extends event("Quote", { cents: z.number(), rate: z.number() }) {}
class Other extends event("Other", {}) {}

const flow = defineWorkflow("flow", { state: { rate: z.number().default(2), calls: z.number().default(0) } })
  .step("quote", { on: StartEvent, emits: [Quote, Other] }, async (_ev, ctx) => {
    return new Quote({ cents: 100, rate: (await ctx.store.getState()).rate });
  })
  .step("pay", { on: Quote, emits: StopEvent }, async ({ cents, rate }, ctx) => {
    for (let call = 0; call < 10; call++) await ctx.store.editState((state) => void state.calls++);
    return new StopEvent({ result: [cents * rate, (await ctx.store.getState()).rate] });
  })
  .step("other", { on: Other }, () => {})
  .build();

async function done() {
  const machine = new Machine();
  const { runtime } = machine.open({ flow }, { snapshotEvery: 3 });
  await runtime.run("flow", {}, { runId: "one" });
  await machine.clock.advance(0);
  const quoted = (await historyOf(runtime, "one")).find(({ tick }) => tick.type === "step.completed")?.number ?? 0;
  return { machine, runtime, quoted };
}

describe("the history of a fork", () => {
  it("begins with the run and the tick that it comes from, and the state that it begins with", async () => {
    const { machine, runtime, quoted } = await done();
    await runtime.fork("one", { at: quoted, runId: "two", edit: (state) => void (state["rate"] = 3) });
    await machine.clock.advance(0);

    const [origin, first] = await historyOf(runtime, "two");

    expect(origin).toMatchObject({
      number: 0,
      runId: "two",
      tick: { type: "run.forked", from: { runId: "one", tick: quoted }, state: { rate: 3, calls: 0 } },
    });
    expect(first).toMatchObject({ number: 1, tick: { type: "run.resumed" } });
  });

  it("has every state of it, from the first on, however many snapshots it has taken since", async () => {
    const { machine, runtime, quoted } = await done();
    await runtime.fork("one", { at: quoted, runId: "two", edit: (state) => void (state["rate"] = 3) });
    await machine.clock.advance(0);
    const entries = await historyOf(runtime, "two");
    const edits = entries.filter(({ tick }) => tick.type === "state.edited").map(({ number }) => number);

    const states = [0, 1, ...edits].map(async (number) => (await runtime.stateAt("two", number))["store"]);

    expect((await Promise.all(states)).map((store) => JSON.stringify(store))).toEqual(
      [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((calls) => expect.stringContaining(`"calls":${calls}`)),
    );
  });

  it("of a run that is no fork has no tick 0", async () => {
    const { runtime } = await done();

    expect((await historyOf(runtime, "one"))[0]?.number).toBe(1);
    expect(await rejection(runtime.stateAt("one", 0))).toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("fork({ edit })", () => {
  it("leaves an event that was emitted before as it is: the edited state does not reach it", async () => {
    const { runtime, quoted } = await done();

    expect(await runtime.fork("one", { at: quoted, edit: (state) => void (state["rate"] = 3) })).toEqual([200, 3]);
  });
});
