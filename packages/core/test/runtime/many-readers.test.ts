/** Many who read or await one run share what they read: a new event is one read, not one for each of them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunHandle, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, withMethods } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

const READERS = 500;

class Say extends ExternalEvent.define("Say", { text: z.string() }) {}
class Said extends event("Said", { text: z.string() }) {}

const flows = {
  echo: defineWorkflow("echo")
    .step("begin", { on: StartEvent }, () => {})
    .step("say", { on: Say, emits: StopEvent, streams: Said }, ({ text }, ctx) => {
      if (text === "end") return new StopEvent({ result: "over" });
      ctx.writeEventToStream(new Said({ text }));
      return null;
    })
    .build(),
};

/** Counts what is read. */
function counting(inner: RunStore) {
  const count = { run: 0, events: 0 };
  const store = withMethods(inner, {
    run(key) {
      count.run++;
      return inner.run(key);
    },
    events(key, range) {
      count.events++;
      return inner.events(key, range);
    },
  });
  return { count, store };
}

async function reading() {
  const machine = new Machine(memoryStore());
  const owner = machine.open(flows).runtime;
  await owner.run("echo", {}, { runId: "one" }).accepted;
  const { count, store } = counting(machine.store);
  const { runtime } = machine.open(flows, { store });
  return { machine, owner: owner.handle("one"), count, runtime };
}

async function texts(handle: RunHandle, after = -1): Promise<string[]> {
  const all: string[] = [];
  for await (const { event: shown } of handle.streamEvents({ after }))
    all.push(shown instanceof Said ? shown.text : shown.type);
  return all;
}

describe("500 readers of one run", () => {
  it("get every event, and the store is read once for each", async () => {
    const { owner, count, runtime } = await reading();
    const readers = Array.from({ length: READERS }, () => texts(runtime.handle("one")));
    await settle();
    Object.assign(count, { run: 0, events: 0 });
    const said = ["a", "b", "c", "d", "e"];
    for (const text of said) {
      await owner.sendEvent(new Say({ text }));
      await settle();
    }
    expect(count.events).toBeLessThan(10 * said.length);
    expect(count.run).toBeLessThan(10 * said.length);

    await owner.sendEvent(new Say({ text: "end" }));
    expect(await Promise.all(readers)).toEqual(readers.map(() => [...said, "StopEvent"]));
  });

  it("who come later, at different places, get all of theirs", async () => {
    const { owner, runtime } = await reading();
    const said = Array.from({ length: 450 }, (_, index) => String(index));
    const early = texts(runtime.handle("one"));
    for (const text of said) await owner.sendEvent(new Say({ text }));
    const late = [-1, 0, 100, 198, 199, 200, 448, 449].map(
      (after) => [after, texts(runtime.handle("one"), after)] as const,
    );
    await owner.sendEvent(new Say({ text: "end" }));

    expect(await early).toEqual([...said, "StopEvent"]);
    for (const [after, reader] of late)
      expect(await reader, `after ${after}`).toEqual([...said.slice(after + 1), "StopEvent"]);
  });

  it("read the run that is there now, where one of that id was deleted", async () => {
    const { machine, owner, runtime } = await reading();
    await owner.sendEvent(new Say({ text: "old" }));
    await owner.sendEvent(new Say({ text: "end" }));
    expect(await texts(runtime.handle("one"))).toEqual(["old", "StopEvent"]);
    await settle();
    await machine.clock.advance(1_000);
    const other = machine.open(flows).runtime;
    await other.delete("one");
    await other.run("echo", {}, { runId: "one" }).accepted;
    const again = texts(runtime.handle("one"));
    await other.handle("one").sendEvent(new Say({ text: "new" }));
    await other.handle("one").sendEvent(new Say({ text: "end" }));

    expect(await again).toEqual(["new", "StopEvent"]);
  });
});

describe("500 who await one run of another process", () => {
  it("share the look at it after each change", async () => {
    const { owner, count, runtime } = await reading();
    const awaiting = Array.from({ length: READERS }, () => runtime.handle("one").then((result) => result));
    await settle();
    Object.assign(count, { run: 0, events: 0 });
    for (const text of ["a", "b", "c", "d", "e"]) {
      await owner.sendEvent(new Say({ text }));
      await settle();
    }
    expect(count.run).toBeLessThan(50);

    await owner.sendEvent(new Say({ text: "end" }));
    expect(await Promise.all(awaiting)).toEqual(awaiting.map(() => "over"));
  });
});
