/** What a run shows, read from the store: by anybody, from any place on, over crashes. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent, type WorkflowEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Shown extends event("Shown", { n: z.number() }) {}
class Next extends ExternalEvent.define("Next", { n: z.number() }) {}

/** Shows what it is sent, up to 0. */
function shows() {
  const child = defineWorkflow("child")
    .step("show", { on: StartEvent, emits: StopEvent, streams: Shown }, (_ev, ctx) => {
      ctx.writeEventToStream(new Shown({ n: 100 }));
      return new StopEvent();
    })
    .build();
  const show = defineWorkflow("show", { children: { child } })
    .step("start", { on: StartEvent, streams: Shown }, (_ev, ctx) => ctx.writeEventToStream(new Shown({ n: -1 })))
    .step("next", { on: Next, emits: StopEvent, streams: Shown, workers: 1 }, async ({ n }, ctx) => {
      if (n === 0) return new StopEvent({ result: "end" });
      if (n === 50) await ctx.runChild("child", {});
      ctx.writeEventToStream(new Shown({ n }));
      return null;
    })
    .build();
  return { show };
}

const numbers = (items: readonly { readonly event: WorkflowEvent }[]): unknown[] =>
  items.map(({ event: shown }) => (shown instanceof Shown ? shown.n : shown.type));

describe("the stream of a stored run", () => {
  it("is the same for every reader, in every process, and ends with the run", async () => {
    const machine = new Machine();
    const run = machine.open(shows()).runtime.run("show", {}, { runId: "one" });
    const there = machine.open(shows()).runtime;
    const here = run.streamEvents().toArray();
    await run.accepted;
    const live = there.handle("one").streamEvents().toArray();
    for (let n = 1; n <= 30; n++) await run.sendEvent(new Next({ n }));
    await run.sendEvent(new Next({ n: 0 }));
    await run;
    const late = there.handle("one").streamEvents().toArray();

    const all = await here;
    const shown = numbers(all).filter((n) => typeof n === "number");
    expect(shown).toEqual([-1, ...Array.from({ length: 30 }, (_, index) => index + 1)]);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index));
    expect(await live).toEqual(all);
    expect(await late).toEqual(all);
  });

  it.each([Number.NaN, "3", null])("is not read after %s, which is the number of no event", (after) => {
    const run = new Machine().open(shows()).runtime.run("show", {});

    const read = () => run.streamEvents({ after: after as number });

    expect(read).toThrow(expect.objectContaining({ code: "OPTION_INVALID", details: { option: "after" } }));
  });

  it("holds events of any length", async () => {
    class Long extends event("Long", { text: z.string() }) {}
    const long = "x".repeat(300_000);
    const tell = defineWorkflow("tell")
      .step("start", { on: StartEvent, emits: StopEvent, streams: Long }, (_ev, ctx) => {
        for (const text of [long, "short", long]) ctx.writeEventToStream(new Long({ text }));
        return new StopEvent();
      })
      .build();
    const machine = new Machine();
    await machine.open({ tell }).runtime.run("tell", {}, { runId: "one" });
    const all = await machine.open({ tell }).runtime.handle("one").streamEvents().toArray();

    expect(all.map(({ event: shown }) => (shown instanceof Long ? shown.text : null))).toEqual([
      long,
      "short",
      long,
      null,
    ]);
  });

  it("goes on after any number, live and afterwards", async () => {
    const machine = new Machine();
    const run = machine.open(shows()).runtime.run("show", {}, { runId: "one" });
    await run.sendEvent(new Next({ n: 1 }));
    await run.idle();
    const there = machine.open(shows()).runtime.handle("one");
    const rest = there.streamEvents({ after: 0 }).toArray();
    await run.sendEvent(new Next({ n: 2 }));
    await run.sendEvent(new Next({ n: 0 }));
    const all = await run.streamEvents().toArray();

    expect(await rest).toEqual(all.slice(1));
    for (let after = 0; after < all.length; after++)
      expect(await there.streamEvents({ after }).toArray(), `after ${after}`).toEqual(all.slice(after + 1));
  });

  it("can be read before the run is stored", async () => {
    const machine = new Machine();
    const run = machine.open(shows()).runtime.run("show", {}, { runId: "one" });
    const all = run.streamEvents().toArray();
    await run.sendEvent(new Next({ n: 0 }));

    expect(numbers(await all)[0]).toBe(-1);
  });

  it("has the events of children with their origin", async () => {
    const machine = new Machine();
    const run = machine.open(shows()).runtime.run("show", {}, { runId: "one" });
    await run.sendEvent(new Next({ n: 50 }));
    await run.idle();
    await run.sendEvent(new Next({ n: 0 }));
    const shown = await machine.open(shows()).runtime.handle("one").streamEvents().toArray();

    const [child] = shown.filter(({ origin }) => origin !== null);
    expect(child).toMatchObject({ origin: "child", event: { n: 100 } });
    expect(child?.event).toBeInstanceOf(Shown);
  });

  it("keeps its numbers over the death of the owner, for a reader that was there before and one that comes later", async () => {
    const machine = new Machine();
    const dying = machine.open(shows(), { leaseMs: 1_000 });
    const lost = dying.runtime.run("show", {}, { runId: "one" });
    await lost.sendEvent(new Next({ n: 1 }));
    await lost.idle();
    const there = machine.open(shows()).runtime;
    const reader = there.handle("one").streamEvents().toArray();
    await settle();
    dying.kill();
    await machine.clock.advance(20_000);
    await there.handle("one").sendEvent(new Next({ n: 2 }));
    await there.handle("one").sendEvent(new Next({ n: 0 }));
    const all = await there.handle("one").streamEvents().toArray();

    expect(await reader).toEqual(all);
    expect(numbers(all).filter((n) => typeof n === "number")).toEqual([-1, 1, 2]);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index));
  });

  it("of a long run comes in pages without a gap", async () => {
    const machine = new Machine();
    const many = defineWorkflow("many")
      .step("show", { on: StartEvent, emits: StopEvent, streams: Shown }, (_ev, ctx) => {
        for (let n = 0; n < 450; n++) ctx.writeEventToStream(new Shown({ n }));
        return new StopEvent();
      })
      .build();
    const run = machine.open({ many }).runtime.run("many", {}, { runId: "one" });
    await run;
    await settle();
    const shown = await machine.open({ many }).runtime.handle("one").streamEvents().toArray();

    expect(numbers(shown).filter((n) => typeof n === "number")).toEqual(Array.from({ length: 450 }, (_, n) => n));
  });

  it("can be left by its reader at any time", async () => {
    const machine = new Machine();
    const run = machine.open(shows()).runtime.run("show", {}, { runId: "one" });
    await run.accepted;
    for await (const item of run.streamEvents()) {
      expect(numbers([item])).toEqual([-1]);
      break;
    }
    await run.sendEvent(new Next({ n: 0 }));

    expect(await run).toBe("end");
  });

  it("ends for the reader of a run that fails, with what made it fail", async () => {
    const machine = new Machine();
    const fails = defineWorkflow("fails")
      .step("fail", { on: StartEvent, emits: StopEvent }, async () => Promise.reject(new Error("no")))
      .build();
    const run = machine.open({ fails }).runtime.run("fails", {}, { runId: "one" });
    await run.catch(() => {});
    await settle();
    const shown = await machine.open({ fails }).runtime.handle("one").streamEvents().toArray();

    expect(shown.at(-1)?.event.type).toMatch(/Failed/);
  });
});
