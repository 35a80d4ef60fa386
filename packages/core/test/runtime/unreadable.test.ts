/** A run that the code here cannot load: what is stored of it can be looked at, and a new run can begin before what is broken. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RawHistoryEntry } from "../../src/entries/runtime.js";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent } from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Go extends HumanResponseEvent.define("Go", { n: z.number() }) {}
class Line extends event("Line", { text: z.string() }) {}

/** Writes a line into its state; whether this version can read it again is another matter. */
const flow = (events: readonly (typeof Line)[], line: () => unknown = () => new Line({ text: "one" })) =>
  defineWorkflow("flow", { events, state: { lines: z.array(z.any()).default(() => []) } })
    .step("write", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
      await ctx.waitForEvent(Go);
      await ctx.store.editState((state) => void state.lines.push(line()));
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: (await ctx.store.get("lines")).length });
    })
    .build();

async function written(snapshotEvery: number): Promise<Machine> {
  const machine = new Machine();
  const { runtime, kill } = machine.open({ flow: flow([Line]) }, { snapshotEvery });
  const run = runtime.run("flow", {}, { runId: "one" });
  await run.idle();
  await run.sendEvent(new Go({ n: 1 }));
  await run.idle();
  await settle();
  kill();
  await machine.clock.advance(60_000);
  return machine;
}

async function rawOf(entries: AsyncIterable<RawHistoryEntry>): Promise<RawHistoryEntry[]> {
  const all: RawHistoryEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

describe("a run with a tick that cannot be read", () => {
  it("says which one, and shows all of them as they are stored", async () => {
    const machine = await written(1_000);
    const { runtime } = machine.open({ flow: flow([]) });

    const error = await rejection(historyOf(runtime as never, "one"));
    const raw = await rawOf(runtime.history("one", { raw: true }));

    const edited = raw.find(({ tick }) => tick.type === "state.edited");
    expect(error).toMatchObject({ code: "EVENT_UNKNOWN", details: { runId: "one", tick: edited?.number } });
    expect(raw.map(({ number }) => number)).toEqual(raw.map((_, index) => index + 1));
    expect(JSON.stringify(edited)).toContain('"type":"Line"');
  });

  it("shows its ticks also where its workflow is not registered", async () => {
    const machine = await written(1_000);
    const { runtime } = machine.open({ other: flow([]) });

    const [first] = await rawOf(runtime.history("one", { raw: true }));

    expect(first).toMatchObject({ number: 1, runId: "one", tick: { type: "run.started" } });
  });

  it("goes on as a fork from the tick before, under code that can", async () => {
    const machine = await written(1_000);
    const { runtime } = machine.open({ flow: flow([], () => "one") });
    const error = (await rejection(historyOf(runtime as never, "one"))) as unknown as { details: { tick: number } };

    const fork = runtime.fork("one", { at: error.details.tick - 1 });
    await fork.idle();
    await fork.sendEvent(new Go({ n: 2 }));

    expect(await fork).toBe(1);
  });
});

describe("a run whose snapshot cannot be read", () => {
  it("shows it as it is stored", async () => {
    const machine = await written(2);
    const { runtime } = machine.open({ flow: flow([]) });
    const handle = runtime.handle("one");

    const error = await rejection(handle.snapshot());
    const raw = await handle.snapshot({ raw: true });

    expect(error.code).toBe("EVENT_UNKNOWN");
    expect(raw?.dict).toMatchObject({ format: "millrace/run", runId: "one" });
    expect(JSON.stringify(raw?.dict["store"])).toContain('"type":"Line"');
  });
});

describe("a run of which no snapshot is stored", () => {
  it("has none to show", async () => {
    const machine = await written(1_000);

    expect(
      await machine
        .open({ flow: flow([Line]) })
        .runtime.handle("one")
        .snapshot({ raw: true }),
    ).toBeNull();
  });
});
