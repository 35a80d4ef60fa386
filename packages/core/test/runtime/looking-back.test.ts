/** What each tick was about and changed, as it happens; a run at any tick; forks that edit an event. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type {
  ChildRun,
  DetailedEntry,
  DetailedHistoryOptions,
  RunAttempt,
  RunMoment,
  Runtime,
} from "../../src/entries/runtime.js";
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  join,
  many,
  StartEvent,
  StepFailedEvent,
  StopEvent,
} from "../../src/index.js";
import { Machine, promptIds } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { cents: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Order extends event("Order", { cents: z.number().int(), note: z.string().transform((note) => `${note}!`) }) {}
class Paid extends event("Paid") {}

const shape = {
  seen: z.array(z.string()).default([]),
  count: z.number().default(0),
  by: z.record(z.string(), z.number()).default({}),
};

const flow = defineWorkflow("flow", { state: shape })
  .step("begin", { on: StartEvent, emits: Order }, async (_event, ctx) => {
    await ctx.store.editState((state) => {
      state.seen.push("begin");
      state.by["a"] = 1;
    });
    await ctx.store.editState((state) => {
      state.seen.splice(0, 1, "began");
      delete state.by["a"];
    });
    return new Order({ cents: 5, note: "quick" });
  })
  .step("pay", { on: Order, emits: Paid, waits: Answer, streams: Ask }, async ({ cents }, ctx) => {
    await ctx.waitForEvent(Answer, { prompt: new Ask({ cents }) });
    return ctx.finish((state) => {
      state.count = cents;
      return new Paid();
    });
  })
  .step("fail", { on: Paid }, () => {
    throw new Error("no");
  })
  .catchError("rescue", { emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

async function opened() {
  const machine = new Machine();
  const { runtime } = machine.open({ flow }, { idleReleaseMs: 60_000 });
  const run = runtime.run("flow", {}, { runId: "one" });
  await machine.clock.advance(0);
  const [promptId = ""] = await promptIds(run);
  const end = async () => {
    await run.answer(promptId, { text: "yes" });
    await run;
    await settle();
  };
  return { machine, runtime, run, end };
}

async function detailsOf(runtime: Runtime, options: Partial<DetailedHistoryOptions> = {}, runId = "one") {
  const entries: DetailedEntry[] = [];
  for await (const entry of runtime.history(runId, { ...options, details: true })) entries.push(entry);
  return entries;
}

describe("a history with details", () => {
  it("names the step of every tick, and what it changed", async () => {
    const { runtime, end } = await opened();
    await end();

    const entries = await detailsOf(runtime);

    expect(
      entries.flatMap(({ tick, step, attempt, changes }) =>
        changes.length > 0 ? [[tick.type, step, attempt, changes]] : [],
      ),
    ).toEqual([
      [
        "run.started",
        null,
        null,
        [
          { path: ["seen"], new: [] },
          { path: ["count"], new: 0 },
          { path: ["by"], new: {} },
        ],
      ],
      [
        "state.edited",
        "begin",
        1,
        [
          { path: ["seen", 0], new: "begin" },
          { path: ["by", "a"], new: 1 },
        ],
      ],
      [
        "state.edited",
        "begin",
        1,
        [
          { path: ["seen", 0], old: "begin", new: "began" },
          { path: ["by", "a"], old: 1 },
        ],
      ],
      ["step.completed", "pay", 1, [{ path: ["count"], old: 0, new: 5 }]],
    ]);
    expect(entries.filter(({ tick }) => tick.type === "step.failed")).toMatchObject([{ step: "fail", attempt: 1 }]);
  });

  it("is the same from any tick on, and before any other", async () => {
    const { runtime, end } = await opened();
    await end();
    const all = await detailsOf(runtime);

    for (const { number } of all) {
      expect(await detailsOf(runtime, { after: number })).toEqual(all.slice(number));
      expect(await detailsOf(runtime, { before: number })).toEqual(all.slice(0, number - 1));
    }
  });

  it("follows the run to its end, one entry when it is asked for one", async () => {
    const { runtime, end } = await opened();
    const follower = runtime.history("one", { details: true, follow: true })[Symbol.asyncIterator]();
    const seen: number[] = [];
    const { ticks } = (await runtime.runs()).runs[0] ?? { ticks: 0 };
    for (let count = 0; count < ticks; count++) seen.push((await follower.next()).value.number);
    const pending = follower.next();
    await end();
    seen.push((await pending).value.number);
    for (let next = await follower.next(); next.done !== true; next = await follower.next())
      seen.push(next.value.number);

    expect(seen).toEqual((await detailsOf(runtime)).map(({ number }) => number));
  });

  it("begins after a tick that the run has yet to reach", async () => {
    const { runtime, end } = await opened();
    const { ticks } = (await runtime.runs()).runs[0] ?? { ticks: 0 };
    const following = detailsOf(runtime, { follow: true, after: ticks + 1 });
    await end();

    const all = await detailsOf(runtime);
    expect(all.length).toBeGreaterThan(ticks + 1);
    expect(await following).toEqual(all.slice(ticks + 1));
  });

  it("ends with its signal, with a run that was cancelled, and fails with one that was deleted", async () => {
    const { runtime, run } = await opened();
    const gone = new AbortController();
    const read = (options = {}) => detailsOf(runtime, { follow: true, ...options }).catch((error: unknown) => error);
    const [called, deleted] = [read({ signal: gone.signal }), read()];
    await settle();
    gone.abort(new Error("gone"));
    expect(await called).toMatchObject({ message: "gone" });
    run.catch(() => {});
    await runtime.delete("one");
    expect(await deleted).toMatchObject({ code: "RUN_UNKNOWN" });

    const other = runtime.run("flow", {}, { runId: "two" });
    other.catch(() => {});
    await other.accepted;
    const cancelled = detailsOf(runtime, { follow: true }, "two");
    await settle();
    await other.cancel();
    expect((await cancelled).at(-1)).toMatchObject({ tick: { type: "run.cancelled" } });
  });

  it("begins with the whole state of a fork", async () => {
    const { runtime } = await opened();
    await runtime.fork("one", { at: 2, runId: "two" }).accepted;

    expect((await detailsOf(runtime, {}, "two"))[0]).toMatchObject({
      number: 0,
      tick: { type: "run.forked" },
      changes: [
        { path: ["seen"], new: ["begin"] },
        { path: ["count"], new: 0 },
        { path: ["by"], new: { a: 1 } },
      ],
    });
  });
});

describe("at()", () => {
  it("says what each step was doing, and what was asked", async () => {
    const { runtime, end } = await opened();
    const { ticks } = (await runtime.runs()).runs[0] ?? { ticks: 0 };
    const waiting = await runtime.at("one", ticks);
    await end();
    const last = (await runtime.runs()).runs[0]?.ticks ?? 0;
    const moment = await runtime.at("one", last);

    const none = { runId: "one", queued: 0, running: 0, waiting: 0, retrying: 0, done: 0, failed: 0, caught: 0 };
    expect(waiting).toMatchObject({
      number: ticks,
      status: "running",
      isWaiting: true,
      state: { seen: ["began"], count: 0 },
      prompts: [{ event: { cents: 5 }, runId: "one" }],
    });
    expect(waiting.steps).toEqual([
      { ...none, step: "begin", done: 1 },
      { ...none, step: "pay", waiting: 1 },
      { ...none, step: "fail" },
      { ...none, step: "rescue" },
    ]);
    expect(moment).toMatchObject({ status: "completed", isWaiting: false, prompts: [], next: [] });
    expect(moment.steps).toEqual([
      { ...none, step: "begin", done: 1 },
      { ...none, step: "pay", done: 1 },
      { ...none, step: "fail", caught: 1 },
      { ...none, step: "rescue", done: 1 },
    ]);
    expect(await runtime.at("one", ticks)).toEqual(waiting);
  });

  it("has the input of a work item, also of a collect step and of a join", async () => {
    class Part extends event("Part", { n: z.number() }) {}
    class Sum extends event("Sum", { n: z.number() }) {}
    class Side extends event("Side") {}
    const gathering = defineWorkflow("gathering")
      .step("split", { on: StartEvent, emits: [many(Part)] }, () => [1, 2].map((n) => new Part({ n })))
      .step("side", { on: StartEvent, emits: Side }, () => new Side())
      .step("add", { on: collect(Part), emits: Sum }, (parts) => new Sum({ n: parts.length }))
      .step(
        "end",
        { on: join({ sum: Sum, side: Side }), emits: StopEvent },
        ({ sum }) => new StopEvent({ result: sum.n }),
      )
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ gathering });
    const run = runtime.run("gathering", {}, { runId: "one" });
    await machine.clock.advance(0);
    await run;
    const attempts: RunAttempt[] = [];
    for await (const attempt of runtime.attempts("one")) attempts.push(attempt);
    const inputOf = async (name: string) => {
      const { startedTick, item } = attempts.find(({ step }) => step === name) as RunAttempt;
      return (await runtime.at("one", startedTick, { item })).input;
    };

    expect(await inputOf("add")).toMatchObject({ step: "add", events: [{ n: 1 }, { n: 2 }], slots: null });
    expect(await inputOf("end")).toMatchObject({ events: [{ n: 2 }, {}], slots: ["sum", "side"] });
    expect(await inputOf("split")).toMatchObject({ events: [{ type: "StartEvent" }] });
    await expect(runtime.at("one", 1, { item: 0 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it.each([0, -1, 1.5, 1_000, Number.NaN])("refuses the tick %d", async (tick) => {
    const { runtime } = await opened();

    await expect(runtime.at("one", tick)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("says which ticks are no longer kept", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow }, { history: { keep: 1 }, snapshotEvery: 2, idleReleaseMs: 60_000 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(0);
    await promptIds(run);
    const { first = 0 } = (await runtime.ticks("one")) ?? {};

    expect(first).toBeGreaterThan(2);
    await expect(runtime.at("one", 1)).rejects.toMatchObject({ code: "HISTORY_TRIMMED" });
    expect(await runtime.at("one", first)).toMatchObject({ number: first });
  });
});

describe("a fork that edits an event", () => {
  /** The tick after which `pay` is to get its order. */
  async function ordered(runtime: Runtime) {
    return (await detailsOf(runtime)).find(({ tick }) => tick.type === "step.completed")?.number ?? 0;
  }

  it("replaces its fields, and leaves the others as they are", async () => {
    const { runtime } = await opened();
    const at = await ordered(runtime);
    expect((await runtime.at("one", at)).next).toMatchObject([{ step: "pay", event: { cents: 5, note: "quick!" } }]);

    const fork = runtime.fork("one", { at, event: { cents: 7 }, runId: "two" });
    const [promptId = ""] = await promptIds(fork);

    expect(await fork.prompts()).toMatchObject([{ event: { cents: 7 } }]);
    expect((await runtime.at("two", 1)).next).toMatchObject([{ event: { cents: 7, note: "quick!" } }]);
    await fork.answer(promptId, { text: "yes" });
    await fork;
  });

  it("tells all that is wrong with the fields, and forks nothing", async () => {
    const { runtime } = await opened();
    const at = await ordered(runtime);

    const forking = runtime.fork("one", { at, event: { cents: 0.5, note: 5 } });

    await expect(forking.accepted).rejects.toMatchObject({
      code: "EVENT_INVALID",
      details: { issues: [{ path: "cents" }, { path: "note" }] },
    });
    await expect(runtime.fork("one", { at, event: { cent: 1 } }).accepted).rejects.toMatchObject({
      code: "EVENT_INVALID",
      message: expect.stringContaining("`cents`?"),
    });
    expect((await runtime.runs()).runs).toHaveLength(1);
  });

  it("is refused where no event is to be delivered, and for another item", async () => {
    const { runtime } = await opened();
    const { ticks } = (await runtime.runs()).runs[0] ?? { ticks: 0 };
    const at = await ordered(runtime);

    for (const options of [
      { at: ticks, event: { cents: 7 } },
      { at, event: { cents: 7 }, item: 99 },
      { at, item: 1 },
      { at, event: 5 as never },
    ])
      await expect(runtime.fork("one", options).accepted).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("asks which one is meant where there are several", async () => {
    const several = defineWorkflow("several")
      .step("left", { on: StartEvent }, () => {})
      .step("right", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ several });
    await runtime.run("several", {}, { runId: "one" });
    await machine.clock.advance(0);

    await expect(runtime.fork("one", { at: 1, event: {} }).accepted).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: {
        items: [
          { item: 1, step: "left", type: "StartEvent" },
          { item: 2, step: "right" },
        ],
      },
    });
    await runtime.fork("one", { at: 1, event: {}, item: 2 }).accepted;
  });
});

describe("children()", () => {
  it("lists the runs that steps have started, and how they stand", async () => {
    const child = defineWorkflow("child")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_event, ctx) => {
        await ctx.waitForEvent(Answer, { prompt: new Ask({ cents: 1 }) });
        return new StopEvent({ result: null });
      })
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
        await ctx.runChild("child", {});
        return new StopEvent({ result: null });
      })
      .build();
    const machine = new Machine();
    const { runtime } = machine.open({ parent });
    const run = runtime.run("parent", {}, { runId: "one" });
    await machine.clock.advance(0);
    const [promptId = ""] = await promptIds(run);

    const known = {
      parentId: "one",
      workflow: "child",
      step: "call",
      item: 1,
      startedAtMs: machine.clock.now(),
    };
    const [open] = await runtime.children("one");
    expect(open).toMatchObject({ ...known, runId: expect.stringMatching(/^one\/\d+$/), status: "running" });
    await run.answer(promptId, { text: "yes" });
    await run;
    await settle();
    expect(await runtime.children("one")).toEqual([{ ...open, status: "completed" }]);
  });
});

describe("at() of a child", () => {
  const leaf = defineWorkflow("leaf", { state: { seen: z.array(z.string()).default([]) } })
    .step("note", { on: StartEvent, emits: Paid }, (_event, ctx) =>
      ctx.finish((state) => {
        state.seen.push("note");
        return new Paid();
      }),
    )
    .step("ask", { on: Paid, emits: [StopEvent, Order], waits: Answer, streams: Ask }, async (_event, ctx) => {
      await ctx.waitForEvent(Answer, { prompt: new Ask({ cents: 1 }) });
      return new StopEvent({ result: null });
    })
    .step("spare", { on: Order }, () => {})
    .build();
  const branch = defineWorkflow("branch", { children: { low: leaf } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
      await ctx.runChild("low", {});
      return new StopEvent({ result: null });
    })
    .build();
  const trunk = defineWorkflow("trunk", { children: { mid: branch } })
    .step("call", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
      await ctx.runChild("mid", {});
      return new StopEvent({ result: null });
    })
    .build();

  async function grown() {
    const machine = new Machine();
    const { runtime } = machine.open({ trunk });
    const run = runtime.run("trunk", {}, { runId: "one" });
    await machine.clock.advance(0);
    const [mid, low] = (await runtime.children("one")) as readonly [ChildRun, ChildRun];
    const last = async () => (await runtime.runs()).runs[0]?.ticks ?? 0;
    return { machine, runtime, run, mid, low, last };
  }

  it("shows its own state and steps, also after its end", async () => {
    const { machine, runtime, run, mid, low, last } = await grown();
    const counts = (moment: RunMoment) =>
      moment.steps.map(({ runId, step, waiting, done }) => [runId, step, waiting, done]);
    const then = await last();
    const waiting = await runtime.at("one", then, { childId: low.runId });
    const [promptId = ""] = await promptIds(run);
    await run.answer(promptId, { text: "yes" });
    await run;
    await machine.clock.advance(0);
    const ended = await runtime.at("one", await last(), { childId: low.runId });

    expect(waiting).toMatchObject({ status: "running", isWaiting: true, state: { seen: ["note"] }, next: [] });
    expect(waiting.prompts).toMatchObject([{ runId: low.runId, step: "ask" }]);
    expect(counts(waiting)).toEqual([
      [low.runId, "note", 0, 1],
      [low.runId, "ask", 1, 0],
      [low.runId, "spare", 0, 0],
    ]);
    expect(counts(await runtime.at("one", then, { childId: mid.runId }))).toContainEqual([mid.runId, "call", 1, 0]);
    expect(ended).toMatchObject({ status: "completed", isWaiting: false, state: { seen: ["note"] }, prompts: [] });
    expect(counts(ended)).toEqual([
      [low.runId, "note", 0, 1],
      [low.runId, "ask", 0, 1],
      [low.runId, "spare", 0, 0],
    ]);
  });

  it("says of one that its parent has left that it was cancelled", async () => {
    const { runtime, run, low, last } = await grown();
    run.catch(() => {});
    await run.cancel();

    expect(await runtime.at("one", await last(), { childId: low.runId })).toMatchObject({
      status: "cancelled",
      isWaiting: false,
    });
    expect(await runtime.children("one")).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
  });

  it.each(["one/99", "two", ""])("refuses what is no child: %j", async (childId) => {
    const { runtime, last } = await grown();

    await expect(runtime.at("one", await last(), { childId })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(runtime.at("one", 1, { childId: "one/2" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

it("the built-in failure of a step cannot be edited", async () => {
  const rescued = defineWorkflow("rescued")
    .step("fail", { on: StartEvent }, () => {
      throw new Error("no");
    })
    .catchError("rescue", { emits: StopEvent }, () => new StopEvent({ result: null }))
    .build();
  const machine = new Machine();
  const { runtime } = machine.open({ rescued });
  await runtime.run("rescued", {}, { runId: "one" });
  await machine.clock.advance(0);
  expect((await runtime.at("one", 2)).next).toMatchObject([{ step: "rescue", event: expect.any(StepFailedEvent) }]);

  await expect(runtime.fork("one", { at: 2, event: { attempts: 5 } }).accepted).rejects.toMatchObject({
    code: "EVENT_INVALID",
  });
});
