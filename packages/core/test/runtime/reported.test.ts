/** Faults that users of other runtimes have reported of messages and deletions that meet, tried here. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;

class Add extends ExternalEvent.define("Add", { n: z.number() }) {}
class End extends ExternalEvent.define("End", {}) {}

/** Adds what it is sent, until it is told to end; or ends after two hours. */
function sums() {
  return {
    sum: defineWorkflow("sum", { state: { all: z.array(z.number()).default([]) } })
      .step("start", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.sleep("2h");
        return new StopEvent({ result: null });
      })
      .step("take", { on: [Add, End], emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        if (ev instanceof End) return new StopEvent({ result: await ctx.store.get("all") });
        await ctx.store.editState((draft) => void draft.all.push(ev.n));
        return null;
      })
      .build(),
  };
}

describe("events that meet the end of their run", () => {
  // coinbase/temporal-ruby#258, discovery-ukraine/saga-lara-flow#63: accepted, and never seen by the run.
  it.each([0, 1, 2, 5, 9])("are told so where they came too late: %i before it", async (before) => {
    const machine = new Machine();
    const run = machine.open(sums()).runtime.run("sum", {}, { runId: "one" });
    await run.idle();
    const there = machine.open(sums()).runtime.handle("one");
    const send = (n: number) => there.sendEvent(new Add({ n }), n % 2 === 0 ? { key: `${n}` } : {});
    const early = Array.from({ length: before }, (_, n) => send(n));
    const end = there.sendEvent(new End());
    const late = Array.from({ length: 10 }, (_, n) => send(before + n));
    const receipts = await Promise.all([...early, ...late]);
    await settle();

    const result = (await run) as number[];
    expect(await end).toMatchObject({ status: "accepted" });
    for (const n of result) expect(receipts[n]).toMatchObject({ status: "accepted" });
    expect(await Promise.all(receipts.map((_, n) => send(n)))).toEqual(
      receipts.map((receipt, n) => (n % 2 === 0 ? receipt : expect.objectContaining({ code: "RUN_FINISHED" }))),
    );
  });

  // discovery-ukraine/saga-lara-flow#63: a run that is being cancelled takes nothing.
  it("are refused by a run that is cancelled, and are not there when it is resumed", async () => {
    const machine = new Machine();
    const owner = machine.open(sums()).runtime;
    const run = owner.run("sum", {}, { runId: "one" });
    void rejection(run);
    await run.idle();
    const there = machine.open(sums()).runtime.handle("one");

    const [cancelled, added] = await Promise.all([there.cancel("stop"), there.sendEvent(new Add({ n: 1 }))]);

    expect(cancelled).toMatchObject({ status: "accepted" });
    const again = owner.resume("one");
    await again.accepted;
    await there.sendEvent(new End());
    expect(await again).toEqual(added.status === "accepted" ? [1] : []);
  });
});

describe("a run that is deleted", () => {
  // direktiv/direktiv#443: an instance that waited for an event stayed when its workflow was deleted.
  it.each(["here", "there"])("ends whoever waits for it %s", async (where) => {
    const machine = new Machine();
    const owner = machine.open(sums());
    await owner.runtime.run("sum", {}, { runId: "one" }).idle();
    const other = machine.open(sums());
    const { runtime } = where === "here" ? owner : other;
    const waiting = rejection(runtime.handle("one"));
    const reading = runtime
      .handle("one")
      .streamEvents()
      .toArray()
      .then(
        () => "RUN_UNKNOWN",
        (error: { code: string }) => error.code,
      );
    await settle();

    await owner.runtime.delete("one");

    expect(await waiting).toMatchObject({ code: "RUN_UNKNOWN" });
    expect(await reading).toBe("RUN_UNKNOWN");
  });

  // twentyhq/twenty#25528: the timer of a run that is gone failed, and so did what reported that.
  it("has no timer that fails later", async () => {
    const machine = new Machine();
    const { runtime, log } = machine.open(sums());
    await runtime.run("sum", {}, { runId: "one" }).idle();
    await runtime.delete("one");

    await machine.clock.advance(3 * HOUR);

    expect(log.errors).toEqual([]);
    expect((await runtime.runs()).runs).toEqual([]);
  });

  // ovh/cds#7812: a run was started again between its selection and its deletion.
  it("by age, while somebody resumes it, is resumed or gone, and its caller hears which", async () => {
    for (let early = 0; early < 6; early++) {
      const inner = memoryStore();
      let resumed: Promise<unknown> = Promise.resolve();
      const deletion: RunStore["delete"] = async (...which) => {
        const again = other.resume("one");
        void rejection(again);
        resumed = again.accepted.then(
          () => "resumed",
          (error: { code: string }) => error.code,
        );
        for (let turn = 0; turn < early; turn++) await new Promise((resolve) => setImmediate(resolve));
        return inner.delete(...which);
      };
      const machine: Machine = new Machine(withMethods(inner, { delete: deletion }));
      const { runtime } = machine.open(sums());
      const { runtime: other } = machine.open(sums());
      const run = runtime.run("sum", {}, { runId: "one" });
      void rejection(run);
      await run.idle();
      await run.cancel("stop");
      await settle();
      await machine.clock.advance(HOUR + 1);

      const deleted = await runtime.retain({ olderThan: "1h" });

      expect([deleted, await resumed]).toEqual(deleted === 1 ? [1, "RUN_UNKNOWN"] : [0, "resumed"]);
    }
  });
});
