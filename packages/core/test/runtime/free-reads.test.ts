/** Whoever asks where a run stands changes nothing of it. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, type RunHandle, type Runtime } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type Workflow,
} from "../../src/index.js";
import { historyOf, Machine } from "../support/processes.js";
import { waiting } from "../support/runs.js";

const IDLE = 10_000;
const HALF = IDLE / 2;

class Ask extends InputRequiredEvent.define("Ask", { id: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

function asking() {
  const child = defineWorkflow("child")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ id: 2 }), timeout: "1d" });
      return new StopEvent({ result: text });
    })
    .build();
  return defineWorkflow("parent", { children: { child } })
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("child", {}) });
    })
    .build();
}

/** Everything that can be asked of a run, by its name. */
const reads: [string, (run: RunHandle, runtime: Runtime) => Promise<unknown>][] = [
  ["handle.outcome()", (run) => run.outcome()],
  ["handle.idle()", (run) => run.idle()],
  ["handle.prompts()", (run) => run.prompts()],
  ["handle.summary()", (run) => run.summary()],
  ["handle.snapshot()", (run) => run.snapshot()],
  ["handle.accepted", (run) => run.accepted],
  ["handle.streamEvents()", (run) => run.streamEvents()[Symbol.asyncIterator]().next()],
  ["runtime.runs()", (_run, runtime) => runtime.runs()],
  ["runtime.check()", (_run, runtime) => runtime.check()],
  ["runtime.due()", (_run, runtime) => runtime.due()],
  ["runtime.history()", (_run, runtime) => historyOf(runtime, "one")],
  ["runtime.stateAt()", (_run, runtime) => runtime.stateAt("one", 1)],
];

describe.each(reads)("%s of a run that waits", (_name, read) => {
  it("writes nothing, tells no watcher of anything, and does not keep the run in memory", async () => {
    const machine = new Machine();
    const flow: Workflow = asking();
    const { runtime } = machine.open({ flow }, { idleReleaseMs: IDLE });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await machine.clock.advance(HALF);
    const before = await machine.dump({ tenant: "", runId: "one" });
    const seen: string[] = [];
    for (const name of ["run.idle", "run.resumed", "event.streamed"] as const)
      flow.on(name, () => void seen.push(name));

    for (let poll = 0; poll < 38; poll++) await read(run, runtime);
    const after = await machine.dump({ tenant: "", runId: "one" });
    await machine.clock.advance(HALF);

    expect(after).toEqual(before);
    expect(seen).toEqual([]);
    expect(await machine.row("one")).toMatchObject({ status: "waiting", lease: null });
  });

  it("says the same of it when it has left memory, and does not bring it back", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: asking() }, { idleReleaseMs: IDLE });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    await machine.clock.advance(IDLE);
    const before = await machine.dump({ tenant: "", runId: "one" });

    await read(run, runtime);
    await read(runtime.handle("one"), runtime);

    expect(await machine.dump({ tenant: "", runId: "one" })).toEqual(before);
    expect(await machine.row("one")).toMatchObject({ lease: null });
  });
});

describe("handler.idle() of a run that waits", () => {
  it("makes one tick when the run comes to rest, and none when it is asked again", async () => {
    const flow = asking();
    let told = 0;
    flow.on("run.idle", () => void told++);
    const handler = flow.run();
    const first = await waiting(handler);
    const toldOnce = told;
    const before = handler.context.toDict();

    const others = [await waiting(handler), await waiting(handler), await waiting(handler)];

    expect(others).toEqual([first, first, first]);
    expect(handler.context.toDict()).toEqual(before);
    expect(told).toBe(toldOnce);
  });

  it("waits for the end of what an answer has set off", async () => {
    const handler = asking().run();
    const { prompts } = await waiting(handler);
    const answered = handler.answer(prompts[0]?.promptId ?? "", { text: "yes" });

    expect(await handler.idle()).toMatchObject({ status: "completed", result: "yes" });
    expect(await answered).toMatchObject({ status: "accepted" });
  });
});

describe("lastEvent of a run that has ended", () => {
  const done = defineWorkflow("done")
    .step("end", { on: StartEvent, emits: StopEvent, streams: Ask }, (_ev, ctx) => {
      for (const id of [0, 1, 2]) ctx.writeEventToStream(new Ask({ id }));
      return new StopEvent({ result: null });
    })
    .build();

  it("is the number of the event that ended it", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ done });
    const run = runtime.run("done", {}, { runId: "one" });
    const events = await run.streamEvents().toArray();
    const last = events.at(-1)?.sequence;

    expect(last).toBe(3);
    expect((await run.summary()).lastEvent).toBe(last);
    await machine.clock.advance(0);
    expect((await run.summary()).lastEvent).toBe(last);
    expect((await runtime.runs()).runs).toEqual([await run.summary()]);
    expect(await run.streamEvents({ after: last ?? -1 }).toArray()).toEqual([]);
  });
});

describe("a run that sleeps", () => {
  const nap = defineWorkflow("nap")
    .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.sleep(20);
      return new StopEvent({ result: "rested" });
    })
    .build();

  it("wakes up on time while somebody asks in a loop whether it is idle", async () => {
    const handler = nap.run();
    let asked = 0;
    while ((await handler.idle()).status === "waiting") asked += 1;

    expect(await handler).toBe("rested");
    expect(asked).toBeGreaterThan(0);
  });

  it("does so in a runtime too", async () => {
    const runtime = createRuntime({ workflows: { nap } });
    const run = runtime.run("nap");
    let asked = 0;
    while ((await run.idle()).status === "waiting") asked += 1;

    expect(await run).toBe("rested");
    expect(asked).toBeGreaterThan(0);
    await runtime.stop();
  });
});
