/** When each attempt of a run ran, what it waited for and how it ended. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RunAttempt, Runtime } from "../../src/entries/runtime.js";
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  retryPolicy,
  StartEvent,
  StopEvent,
  wait,
} from "../../src/index.js";
import { Machine, promptIds, withMethods } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Next extends event("Next") {}
class Item extends event("Item", { n: z.number() }) {}

async function attemptsOf(runtime: Runtime, options = {}, runId = "one"): Promise<RunAttempt[]> {
  const attempts: RunAttempt[] = [];
  for await (const attempt of runtime.attempts(runId, options)) attempts.push(attempt);
  return attempts;
}

/** Works for so long. */
function work(machine: Machine, ms: number): Promise<void> {
  return new Promise((resolve) => machine.clock.setTimer(machine.clock.now() + ms, resolve));
}

/** A run of two steps that take their time, over a store that takes its own. */
async function timed(commitMs: number) {
  const machine = new Machine();
  const store = withMethods(machine.store, {
    commit: async (commits) => {
      if (commitMs > 0) await work(machine, commitMs);
      return machine.store.commit(commits);
    },
  });
  const flow = defineWorkflow("flow")
    .step("first", { on: StartEvent, emits: Next }, async () => {
      await work(machine, 300);
      return new Next();
    })
    .step("second", { on: Next, emits: StopEvent }, async () => {
      await work(machine, 200);
      return new StopEvent({ result: null });
    })
    .build();
  const { runtime } = machine.open({ flow }, { store });
  const startMs = machine.clock.now();
  void runtime.run("flow", {}, { runId: "one" });
  await machine.clock.advance(10_000);
  const attempts = await attemptsOf(runtime);
  return attempts.map(({ step, startedAtMs, endedAtMs }) => [step, startedAtMs - startMs, (endedAtMs ?? 0) - startMs]);
}

describe("the times of attempts", () => {
  it("are those of the ticks where storing takes none", async () => {
    expect(await timed(0)).toEqual([
      ["first", 0, 300],
      ["second", 300, 500],
    ]);
  });

  it("are true ones where storing the tick before took its time", async () => {
    expect(await timed(50)).toEqual([
      ["first", 50, 350], // the start is one commit, with the run
      ["second", 400, 600],
    ]);
  });
});

function flow(machine: Machine) {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_event, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask() });
      return new StopEvent({ result: text });
    })
    .build();
  let failures = 0;
  return defineWorkflow("parent", { children: { child } })
    .step(
      "shaky",
      { on: StartEvent, emits: Next, retry: retryPolicy({ wait: wait.fixed(1_000) }), workers: 1 },
      async () => {
        await work(machine, 10);
        if (failures++ === 0) throw new TypeError("not yet");
        return new Next();
      },
    )
    .step("nested", { on: Next, emits: StopEvent }, async (_event, ctx) => {
      await ctx.sleep(500);
      return new StopEvent({ result: await ctx.runChild("child", {}) });
    })
    .build();
}

describe("attempts()", () => {
  it("tells of retries, waits and children", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: flow(machine) }, { idleReleaseMs: 60_000 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(5_000);
    const [promptId = ""] = await promptIds(run);
    const open = await attemptsOf(runtime);
    await run.answer(promptId, { text: "a" });
    await machine.clock.advance(0);
    const ended = await attemptsOf(runtime);

    const shaky = { runId: "one", workflow: "parent", step: "shaky", item: 1, eventType: "StartEvent" };
    const failed = { ...shaky, attempt: 1, status: "retrying", isFinal: false, startedTick: 1, endedTick: 2 };
    const error = { code: "STEP_FAILED", message: "not yet" };
    expect(open).toMatchObject([
      { ...failed, error, retryAtMs: (open[0]?.endedAtMs ?? 0) + 1_000 },
      { ...shaky, attempt: 2, status: "completed", isFinal: true, error: null, retryAtMs: null },
      { step: "nested", status: "waiting", isFinal: false, endedAtMs: null, endedTick: null },
      { step: "ask", runId: "one/5", workflow: "child", status: "waiting" },
    ]);
    expect(open[2]?.waits).toMatchObject([
      { kind: "sleep", toTick: expect.any(Number) },
      { kind: "child", runId: "one/5", toMs: null, toTick: null },
    ]);
    expect(open[2]?.waits[0]).toMatchObject({ untilMs: open[2]?.waits[0]?.toMs });
    expect(open[3]?.waits).toMatchObject([{ kind: "event", promptId, toMs: null }]);
    expect(ended.slice(2)).toMatchObject([
      { step: "nested", status: "completed", waits: [{}, { kind: "child", toTick: expect.any(Number) }] },
      { step: "ask", status: "completed", waits: [{ kind: "event", toTick: expect.any(Number) }] },
    ]);
  });

  it("tells of a run that has left memory that its work begins again", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: flow(machine) }, { idleReleaseMs: 0 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(5_000);
    const [promptId = ""] = await promptIds(run);
    await run.answer(promptId, { text: "a" });
    await machine.clock.advance(1_000);

    const attempts = await attemptsOf(runtime);

    const nested = attempts.filter(({ step }) => step === "nested");
    expect(nested.map(({ attempt, status, isFinal }) => [attempt, status, isFinal])).toEqual([
      [1, "restarted", false],
      [2, "restarted", false],
      [3, "completed", true],
    ]);
    for (const { waits, endedAtMs } of nested)
      expect(waits.every(({ toMs }) => toMs !== null && toMs <= (endedAtMs ?? 0))).toBe(true);
  });

  it("tells of a run that was cancelled", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: flow(machine) }, { idleReleaseMs: 60_000 });
    const run = runtime.run("flow", {}, { runId: "one" });
    run.catch(() => {});
    await machine.clock.advance(5_000);
    await run.cancel();
    await machine.clock.advance(0);

    expect((await attemptsOf(runtime)).slice(2)).toMatchObject([
      { step: "nested", status: "cancelled", isFinal: false, waits: [{}, { toTick: expect.any(Number) }] },
      { step: "ask", status: "cancelled", waits: [{ toTick: expect.any(Number) }] },
    ]);
  });
});

/** Twenty items at once, then ten in turn. */
const wide = defineWorkflow("wide")
  .step("split", { on: StartEvent, emits: many(Item) }, () => Array.from({ length: 20 }, (_, n) => new Item({ n })))
  .step("each", { on: Item, emits: Next, workers: 20 }, () => new Next())
  .step("all", { on: collect(Next), emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();

describe("pages of attempts", () => {
  it("end with a tick, and the next one begins behind it", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ wide });
    await runtime.run("wide", {}, { runId: "one" });
    await machine.clock.advance(0);
    const all = await attemptsOf(runtime);

    const first = await attemptsOf(runtime, { limit: 2 });
    const rest = await attemptsOf(runtime, { after: first.at(-1)?.startedTick, limit: 2 });

    expect(all).toHaveLength(22);
    expect(first).toHaveLength(21); // all that the tick of the second one has started
    expect([...first, ...rest]).toEqual(all);
    expect(await attemptsOf(runtime, { after: 1_000_000 })).toEqual([]);
  });

  it.each([0, -1, 1.5, "2", null])("refuses the limit %j", async (limit) => {
    const { runtime } = new Machine().open({ wide });

    await expect(attemptsOf(runtime, { limit })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it("begin with what was at work where the kept ticks begin", async () => {
    const machine = new Machine();
    const options = { history: { keep: 2 }, snapshotEvery: 2, idleReleaseMs: 60_000 };
    const { runtime } = machine.open({ flow: flow(machine) }, options);
    const run = runtime.run("flow", {}, { runId: "one" });
    await machine.clock.advance(5_000);
    await settle();
    const kept = await runtime.ticks("one");
    await promptIds(run);

    const attempts = await attemptsOf(runtime);

    expect(kept?.first).toBeGreaterThan(1);
    expect(kept?.last).toBe((await machine.row("one")).ticks);
    expect(attempts.every(({ startedTick }) => startedTick >= (kept?.first ?? 0) - 1)).toBe(true);
    expect(attempts.find(({ step }) => step === "nested")).toMatchObject({ status: "waiting" });
  });
});
