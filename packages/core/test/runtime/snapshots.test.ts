/** A snapshot in the middle of a step loses nothing that the step has stored since. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Go extends ExternalEvent.define("Go", {}) {}

/** Ten effects, each of which has to be done once. */
function effects() {
  const done: number[] = [];
  const flow = defineWorkflow("effects", { state: { edits: z.number().default(0) } })
    .step("work", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
      for (let n = 0; n < 10; n++) {
        await ctx.run(`effect ${n}`, () => void done.push(n));
        await ctx.store.editState((draft) => void draft.edits++);
      }
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: await ctx.store.get("edits") });
    })
    .build();
  return { done, flows: { flow } };
}

describe.each([1, 3, 7, 200])("with a snapshot every %i ticks", (snapshotEvery) => {
  it("a run that dies with any commit does nothing twice", async () => {
    for (let diesAt = 1; diesAt <= 24; diesAt++) {
      const machine = new Machine();
      const { done, flows } = effects();
      const dying = machine.open(flows, { diesAt, snapshotEvery, leaseMs: 1_000 });
      await Promise.race([dying.runtime.run("flow", {}, { runId: "one" }).idle(), dying.death]);
      await settle();
      dying.kill();
      await machine.clock.advance(5_000);
      const { runtime } = machine.open(flows, { snapshotEvery });
      await runtime.start();
      const handle = runtime.handle("one");
      await handle.idle();
      await handle.sendEvent(new Go());
      expect(await handle, `died at ${diesAt}`).toBe(10);
      expect(done, `died at ${diesAt}`).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  it("every tick leads to the same state as without any snapshot", async () => {
    const states = async (every: number) => {
      const machine = new Machine();
      const { flows } = effects();
      const { runtime } = machine.open(flows, { snapshotEvery: every });
      const run = runtime.run("flow", {}, { runId: "one" });
      await run.idle();
      await settle();
      const entries = await historyOf(runtime as never, "one");
      return Promise.all(entries.map(async ({ number }) => JSON.stringify(await runtime.stateAt("one", number))));
    };

    expect(await states(snapshotEvery)).toEqual(await states(100_000));
  });
});
