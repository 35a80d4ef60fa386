/** What happened to a run, what it was at any tick, and runs that begin from there. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RunStore, RuntimeOptions } from "../../src/entries/runtime.js";
import {
  Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { historyOf, Machine, promptIds, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle, withVirtualClock } from "../support/virtual-clock.js";

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

type Flows = { readonly flow: ReturnType<typeof flow> };

async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function open(options: Partial<RuntimeOptions<Flows>> = {}) {
  const machine = new Machine();
  const { runtime } = machine.open({ flow: flow() }, options);
  const run = runtime.run("flow", {}, { runId: "one", labels: { team: "red" } });
  const answer = async (text: string): Promise<void> => {
    const outcome = await run.idle();
    if (outcome.status !== "waiting") throw new Error(`It is ${outcome.status}.`);
    await run.answer(outcome.prompts[0]?.promptId ?? "", { text });
    await run.idle();
    await settle();
  };
  return { machine, runtime, run, answer };
}

async function whole(options: Partial<RuntimeOptions<Flows>> = {}) {
  const opened = await open(options);
  await opened.answer("a");
  await opened.answer("b");
  expect(await opened.run).toEqual(["a", "b"]);
  return opened;
}

describe("the history of a run", () => {
  it("has every tick in order without gaps, those of children among them", async () => {
    const { machine, runtime } = await whole();
    const entries = await historyOf(runtime as never, "one");

    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));
    expect(entries).toHaveLength((await machine.row("one")).ticks);
    expect(entries[0]?.tick.type).toBe("run.started");
    const children = entries.filter(({ runId }) => runId !== "one");
    expect(children.map(({ tick }) => tick.type)).toEqual(
      expect.arrayContaining(["run.started", "wait.opened", "event.received", "step.completed"]),
    );
    expect(entries.findIndex(({ runId }) => runId !== "one")).toBeGreaterThan(3);
  });

  it("is in order of time, also when a message was posted long before it was taken", async () => {
    const { machine, runtime } = await open({ leaseMs: 1_000 });
    await settle();
    const [promptId = ""] = await promptIds(runtime.handle("one"));
    const deaf = machine.open({ flow: flow() }).runtime;
    void deaf.handle("one").answer(promptId, { text: "a" }, { key: "a" });
    await machine.clock.advance(60_000);
    const times = (await historyOf(runtime as never, "one")).map(({ atMs }) => atMs);

    expect(times).toEqual([...times].sort((left, right) => left - right));
    expect(times.length).toBeGreaterThan(5);
  });
});

describe("stateAt", () => {
  it.each([1, 3, 200])("gives what the run was then, with a snapshot every %i ticks", async (snapshotEvery) => {
    const { runtime, run, answer } = await open({ snapshotEvery });
    const seen = new Map<number, unknown>();
    const look = async () => {
      await settle();
      seen.set((await runtime.runs()).runs[0]?.ticks ?? 0, JSON.parse(JSON.stringify(await run.snapshot())));
    };
    await run.idle();
    await look();
    await answer("a");
    await look();
    await answer("b");
    await look();

    expect(seen.size).toBe(3);
    for (const [tick, snapshot] of seen)
      expect(JSON.parse(JSON.stringify(await runtime.stateAt("one", tick))), `tick ${tick}`).toEqual(snapshot);
  });

  it("of every tick can be restored and ends as the run did", async () => {
    const { runtime } = await whole({ snapshotEvery: 4 });
    const entries = await historyOf(runtime as never, "one");
    for (const { number } of entries.slice(0, -1)) {
      const dict = await runtime.stateAt("one", number);
      const workflow = flow();
      const clock = withVirtualClock(workflow);
      const handler = workflow.resume(Context.fromDict(workflow, JSON.parse(JSON.stringify(dict))));
      for (let turn = 0; turn < 4; turn++) {
        await clock.advance(0);
        const outcome = await handler.idle();
        if (outcome.status !== "waiting") break;
        for (const { promptId, event: asked } of outcome.prompts)
          await handler.answer(promptId, { text: (asked as Ask).id === 1 ? "a" : "b" });
      }
      expect(await handler, `tick ${number}`).toEqual(["a", "b"]);
    }
  });

  it.each([0, -1, 1.5, 10_000, Number.NaN])("refuses the tick %d", async (tick) => {
    const { runtime } = await whole();

    expect((await rejection(runtime.stateAt("one", tick))).code).toBe("OPTION_INVALID");
  });
});

describe("fork", () => {
  it("begins a new run at a tick, changed, and leaves the old one as it is", async () => {
    const { machine, runtime, answer } = await open();
    await answer("a");
    const at = (await machine.row("one")).ticks;
    await answer("b");
    const before = await machine.dump({ tenant: "", runId: "one" });
    const forked = runtime.fork("one", {
      at,
      runId: "two",
      edit: (draft) => {
        (draft["said"] as string[])[0] = "A";
      },
    });
    await forked.accepted;
    await forked.idle();
    await forked.sendEvent(new Answer({ text: "C" }));

    expect(await forked).toEqual(["A", "C"]);
    expect(await machine.dump({ tenant: "", runId: "one" })).toEqual(before);
    const listed = (await runtime.runs()).runs.find(({ runId }) => runId === "two");
    expect(listed).toMatchObject({ forkedFrom: { runId: "one", tick: at }, labels: { team: "red" }, workflow: "flow" });
    expect(await runtime.handle("one")).toEqual(["a", "b"]);
  });

  it("does not share anything with a run that still goes on", async () => {
    const { machine, runtime, run, answer } = await open();
    await answer("a");
    const forked = runtime.fork("one", { at: (await machine.row("one")).ticks, runId: "two" });
    await forked.accepted;
    await run.sendEvent(new Answer({ text: "b" }));
    expect(await run).toEqual(["a", "b"]);
    expect(await state(forked)).toBe("pending");
    await forked.sendEvent(new Answer({ text: "c" }));

    expect(await forked).toEqual(["a", "c"]);
  });

  it("survives the death of its process, and needs nothing of the run that it came from", async () => {
    const machine = new Machine();
    const first = machine.open({ flow: flow() }, { leaseMs: 1_000 });
    const run = first.runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await run.sendEvent(new Answer({ text: "a" }));
    await run.idle();
    await settle();
    await first.runtime.fork("one", { at: (await machine.row("one")).ticks, runId: "two" }).accepted;
    await first.runtime.delete("one");
    first.kill();
    await machine.clock.advance(10_000);
    const { runtime } = machine.open({ flow: flow() });
    await runtime.start();
    const handle = runtime.handle("two");
    await handle.idle();
    await handle.sendEvent(new Answer({ text: "b" }));

    expect(await handle).toEqual(["a", "b"]);
    const numbers = (await historyOf(runtime as never, "two")).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index)); // from its origin on
  });

  it("of the point at which a run had ended is refused", async () => {
    const { machine, runtime } = await whole();
    const forked = runtime.fork("one", { at: (await machine.row("one")).ticks });

    expect((await rejection(forked)).code).toBe("RUN_FINISHED");
    expect((await rejection(forked.accepted)).code).toBe("RUN_FINISHED");
  });

  it("with an edit that does not fit, at no tick, or with an id that is taken is refused", async () => {
    const { runtime } = await whole();
    const edit = (draft: Record<string, unknown>): void => void (draft["said"] = "nothing");
    const codes = await Promise.all(
      [
        runtime.fork("one", { at: 3, edit }),
        runtime.fork("one", { at: 1_000 }),
        runtime.fork("one", { at: 3, runId: "one" }),
      ].map(async (forked) => (await rejection(forked.accepted)).code),
    );

    expect(codes).toEqual(["STATE_INVALID", "OPTION_INVALID", "RUN_ID_CONFLICT"]);
    expect((await runtime.runs()).runs).toHaveLength(1);
    expect(await runtime.handle("one")).toEqual(["a", "b"]);
  });
});

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

  it("can be read where a process that keeps all goes on with a run whose first ticks are gone", async () => {
    const machine = new Machine();
    const first = machine.open({ flow: flow() }, { history: { keep: 2 }, snapshotEvery: 1 });
    await first.runtime.run("flow", {}, { runId: "one" }).idle();
    await settle();
    await first.runtime.handle("one").sendEvent(new Answer({ text: "a" }));
    await first.runtime.handle("one").idle();
    await first.runtime.stop();
    const { runtime } = machine.open({ flow: flow() }, { history: "all", snapshotEvery: 1 });
    await runtime.handle("one").sendEvent(new Answer({ text: "b" }));
    await runtime.handle("one");
    await settle();

    const { first: oldest, last } = (await runtime.ticks("one")) ?? { first: 0, last: 0 };
    expect(oldest).toBeGreaterThan(1);
    for (let tick = oldest; tick <= last; tick++) expect(await runtime.at("one", tick)).toMatchObject({ number: tick });
    expect(await runtime.stateAt("one", oldest)).toMatchObject({ runId: "one" });
  });

  /** Its owner works on, and deletes ticks, between the first two reads of who looks at it. */
  async function overtaken(snapshotEvery: number, read: "snapshot" | "ticks" = "snapshot") {
    const machine = new Machine();
    const { runtime: owner } = machine.open({ flow: flow() }, { history: { keep: 0 }, snapshotEvery });
    await owner.run("flow", {}, { runId: "one" }).idle();
    await settle();
    const { ticks } = await machine.row("one");
    let isFirst = true;
    const goOn = async <Found>(found: Found): Promise<Found> => {
      if (!isFirst) return found;
      isFirst = false;
      await owner.handle("one").sendEvent(new Answer({ text: "a" }));
      await owner.handle("one").idle();
      await settle();
      return found;
    };
    const reads: Pick<RunStore, "snapshot" | "ticks"> = {
      snapshot: async (...asked) => machine.store.snapshot(...asked).then(goOn),
      ticks: async (...asked) => machine.store.ticks(...asked).then(goOn),
    };
    const store = withMethods(machine.store, { [read]: reads[read] });
    const { runtime } = machine.open({ flow: flow() }, { execute: false, store });
    return { runtime, ticks };
  }

  it("is no fault for who reads the run while its owner deletes ticks", async () => {
    const { runtime } = await overtaken(2);

    const read = Context.fromDict(flow(), await runtime.handle("one").snapshot());

    expect(await read.store.getState()).toEqual({ said: ["a"] });
  });

  it("gives no earlier state for a tick that its owner deletes meanwhile", async () => {
    const { runtime, ticks } = await overtaken(4);

    expect((await rejection(runtime.stateAt("one", ticks))).code).toBe("HISTORY_TRIMMED");
  });

  it.each([
    [2, "ticks"],
    [2, "snapshot"],
    [1, "ticks"],
  ] as const)("gives children, attempts and details as they are now (every %i, after %s)", async (every, read) => {
    const [first, second, third] = [
      await overtaken(every, read),
      await overtaken(every, read),
      await overtaken(every, read),
    ];
    const children = await first.runtime.children("one");
    const attempts = await listed(second.runtime.attempts("one"));
    const details = await listed(third.runtime.history("one", { details: true }));

    expect(children).toEqual([]); // it was started by a tick that is gone
    expect(attempts.at(-1)).toMatchObject({ step: "ask", status: "waiting" });
    expect(details.filter(({ tick, step }) => tick.type === "wait.opened" && step === null)).toEqual([]);
  });

  it("gives no moment of a tick that its owner deletes meanwhile", async () => {
    const { runtime, ticks } = await overtaken(2, "ticks");

    expect((await rejection(runtime.at("one", ticks - 1))).code).toBe("HISTORY_TRIMMED");
  });

  it("is HISTORY_TRIMMED for who has read half of the ticks that its owner deletes meanwhile", async () => {
    const machine = new Machine();
    const store = withMethods(machine.store, {
      // A full page, of one batch: the next is read once it is needed.
      ticks: async (key, { after, limit }) =>
        (await machine.store.ticks(key, { after, limit: 1 })).flatMap((batch) => Array(limit).fill(batch)),
    });
    const { runtime: owner } = machine.open({ flow: flow() }, { history: { keep: 0 }, snapshotEvery: 8 });
    const { runtime } = machine.open({ flow: flow() }, { execute: false, store });
    await owner.run("flow", {}, { runId: "one" }).idle();
    const plain = runtime.history("one")[Symbol.asyncIterator]();
    const detailed = runtime.history("one", { details: true })[Symbol.asyncIterator]();
    await plain.next();
    await detailed.next();

    await owner.handle("one").sendEvent(new Answer({ text: "a" }));
    await owner.handle("one").idle();
    await settle();

    expect((await rejection(plain.next())).code).toBe("HISTORY_TRIMMED");
    expect((await rejection(detailed.next())).code).toBe("HISTORY_TRIMMED");
  });

  it("keeps the stream whole", async () => {
    const { runtime } = await whole({ history: { keep: 0 }, snapshotEvery: 1 });
    const shown = await runtime.handle("one").streamEvents().toArray();

    expect(shown.map(({ event: { type } }) => type).filter((type) => type === "Ask")).toHaveLength(2);
    expect(shown.map(({ sequence }) => sequence)).toEqual(shown.map((_, index) => index));
  });
});
