/** A message with a key counts once, whatever dies between its delivery and its receipt. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;

class Add extends ExternalEvent.define("Add", { n: z.number() }) {}
class End extends ExternalEvent.define("End", { n: z.number() }) {}

function sums() {
  return {
    sum: defineWorkflow("sum", { state: { all: z.array(z.number()).default([]) } })
      .step("start", { on: StartEvent }, () => {})
      .step("take", { on: [Add, End], emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        if (ev instanceof End) return new StopEvent({ result: [...(await ctx.store.get("all")), ev.n] });
        await ctx.store.editState((draft) => void draft.all.push(ev.n));
        return null;
      })
      .build(),
  };
}

describe("a message with a key", () => {
  it("that is sent twice is delivered once, and both get one receipt", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(sums());
    const run = runtime.run("sum", {}, { runId: "one" });
    const there = machine.open(sums()).runtime.handle("one");
    const receipts = [
      await run.sendEvent(new Add({ n: 1 }), { key: "a" }),
      await run.sendEvent(new Add({ n: 1 }), { key: "a" }),
      await there.sendEvent(new Add({ n: 1 }), { key: "a" }),
    ];
    await run.sendEvent(new Add({ n: 1 }), { key: "b" });
    await run.sendEvent(new End({ n: 0 }));

    expect(receipts[0]).toMatchObject({ status: "accepted" });
    expect(receipts).toEqual([receipts[0], receipts[0], receipts[0]]);
    expect(await run).toEqual([1, 1, 0]);
  });

  it("gets the first receipt also when the run has ended since", async () => {
    const { runtime } = new Machine().open(sums());
    const run = runtime.run("sum", {}, { runId: "one" });
    const first = await run.sendEvent(new End({ n: 0 }), { key: "a" });
    await run;

    expect(first).toMatchObject({ status: "accepted" });
    expect(await run.sendEvent(new End({ n: 0 }), { key: "a" })).toEqual(first);
  });

  it("is another's in another run", async () => {
    const { runtime } = new Machine().open(sums());
    const runs = ["one", "two"].map((runId) => runtime.run("sum", {}, { runId }));
    for (const run of runs) await run.sendEvent(new End({ n: 7 }), { key: "same" });

    expect(await Promise.all(runs)).toEqual([[7], [7]]);
  });

  async function whole(): Promise<number> {
    const machine = new Machine();
    let commits = 0;
    const store = new Proxy(machine.store, {
      get(target, name) {
        if (name === "commit") commits++;
        return target[name as keyof typeof target];
      },
    });
    const { runtime } = machine.open(sums(), { store });
    const run = runtime.run("sum", {}, { runId: "one" });
    await run.sendEvent(new Add({ n: 1 }), { key: "add" });
    await run.sendEvent(new End({ n: 2 }), { key: "end" });
    await run;
    await settle();
    return commits;
  }

  it("is taken once and answered the same, whichever commit its owner dies with", async () => {
    const commits = await whole();
    expect(commits).toBeGreaterThan(5);
    for (let diesAt = 1; diesAt <= commits; diesAt++) {
      const machine = new Machine();
      const dying = machine.open(sums(), { diesAt, leaseMs: 1_000 });
      const lost = dying.runtime.run("sum", {}, { runId: "one" });
      const sent = async (handle: typeof lost) => [
        await handle.sendEvent(new Add({ n: 1 }), { key: "add" }),
        await handle.sendEvent(new End({ n: 2 }), { key: "end" }),
      ];
      void sent(lost);
      await Promise.race([dying.death, settle().then(settle)]);
      dying.kill();
      await machine.clock.advance(2_000);
      const { runtime } = machine.open(sums(), { leaseMs: HOUR });
      void runtime.start();
      const handle = runtime.handle("one");
      const receipts = await sent(handle as typeof lost);

      expect(await handle, `killed at commit ${diesAt} of ${commits}`).toEqual([1, 2]);
      expect(receipts, `receipts after a kill at commit ${diesAt} of ${commits}`).toMatchObject([
        { status: "accepted" },
        { status: "accepted" },
      ]);
      expect(await sent(handle as typeof lost)).toEqual(receipts);
    }
  });
});
