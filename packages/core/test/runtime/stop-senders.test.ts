/** Stopping a runtime while something is on its way: to it, or from it to the store. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, state, withMethods } from "../support/processes.js";
import { gate } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}

function slow() {
  const calls: { readonly goOn: (n: number) => void; aborted: boolean }[] = [];
  const slow = defineWorkflow("slow")
    .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const { promise, open } = gate<number>();
      const call = { goOn: open, aborted: false };
      ctx.signal.addEventListener("abort", () => {
        call.aborted = true;
      });
      calls.push(call);
      return new StopEvent({ result: await promise });
    })
    .build();
  return { calls, flows: { slow } };
}

describe("stopping", () => {
  it("tells the sender of an event that was on its way to the store what became of it", async () => {
    const machine = new Machine();
    const poked: number[] = [];
    const pokes = defineWorkflow("pokes")
      .step("start", { on: StartEvent }, () => {})
      .step("poked", { on: Poke, emits: [Item, StopEvent], workers: 1 }, async ({ n }, ctx) => {
        await ctx.run("poke", () => void poked.push(n));
        return n === 0 ? new StopEvent() : new Item({ n });
      })
      .step("item", { on: Item }, () => {})
      .build();
    const here = machine.open({ pokes }).runtime;
    const run = here.run("pokes", {}, { runId: "one" });
    await run.idle();
    const receipt = run.sendEvent(new Poke({ n: 1 })).catch((error: { code: string }) => error.code);
    await here.stop({ drainMs: 0 });
    const there = machine.open({ pokes }).runtime;
    await there.start();
    await settle();

    // Taken once, or refused because of the stop and not taken. Not: RUN_FINISHED for a run that is running.
    const told = await state(receipt);
    expect(told).not.toMatchObject({ value: { code: "RUN_FINISHED" } });
    expect(poked.length > 0).toBe((told as { value: { status?: string } }).value.status === "accepted");
  });

  it("does not take up runs any more that it was just claiming", async () => {
    const machine = new Machine();
    const { calls, flows } = slow();
    const dying = machine.open(flows);
    await dying.runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    dying.kill();
    await machine.clock.advance(30_000);
    const held = gate();
    const late = withMethods(machine.store, {
      async claimDue(lease) {
        const claimed = await machine.store.claimDue(lease);
        await held.promise;
        return claimed;
      },
    });
    const { runtime } = machine.open(flows, { store: late });
    const started = runtime.start();
    await settle();
    const stopped = runtime.stop({ drainMs: 0 });
    held.open();
    await Promise.all([started, stopped]);
    await settle();

    expect(calls).toHaveLength(1);
    expect((await machine.row("one")).lease).toBeNull();
  });
});
