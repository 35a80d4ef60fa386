/** What one piece of code asks for together is stored together. */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunStore } from "../../src/entries/runtime.js";
import { defineWorkflow, event, StartEvent, StopEvent } from "../../src/index.js";
import { silent, TurnClock } from "../support/runtimes.js";

class Shown extends event("Shown", { n: z.number() }) {}
class Next extends event("Next", { n: z.number() }) {}

/** The types of the ticks of each commit, after "created" for one that creates the run; then "events" where it has some. */
function watched(inner: RunStore, commits: string[]): RunStore {
  return new Proxy(inner, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "commit")
          for (const { create, ticks, events } of args[0] as Parameters<RunStore["commit"]>[0]) {
            const types = (JSON.parse(ticks?.text ?? "[]") as { type: string }[]).map(({ type }) => type);
            const all = [...(create ? ["created"] : []), ...types, ...(events ? ["events"] : [])];
            if (all.length > 0) commits.push(all.join(" "));
          }
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

it("what a step shows and returns after an await is one commit", async () => {
  const commits: string[] = [];
  const flow = defineWorkflow("flow")
    .step("work", { on: StartEvent, emits: Next, streams: Shown }, async (_ev, ctx) => {
      await new Promise(setImmediate);
      ctx.writeEventToStream(new Shown({ n: 1 }));
      ctx.writeEventToStream(new Shown({ n: 2 }));
      return new Next({ n: 3 });
    })
    .step("end", { on: Next, emits: StopEvent }, () => new StopEvent({ result: "ended" }))
    .build();
  const store = watched(memoryStore(), commits);
  const runtime = createRuntime({ workflows: { flow }, store, log: silent, clock: new TurnClock() });

  await runtime.run("flow");
  await runtime.stop();

  expect(commits).toEqual([
    "created run.started",
    "stream.written stream.written step.completed",
    "step.completed events",
  ]);
});

it("a run is created with its first tick, also where the host has waited for its turn for long", async () => {
  const commits: string[] = [];
  const flow = defineWorkflow("flow")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "ended" }))
    .build();
  const clock = new TurnClock();
  const store = watched(memoryStore(), commits);
  const runtime = createRuntime({ workflows: { flow }, store, log: silent, clock });

  for (let run = 0; run < 3; run++) {
    clock.jumpTo(clock.now() + 1_000);
    await runtime.run("flow");
  }
  await runtime.stop();

  const alone = ["created run.started", "step.completed"];
  expect(commits).toEqual([...alone, ...alone, ...alone]);
});

/** The turn in which it is asked is the first one: a commit of that turn is on its way. */
async function oneTurnLater(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
}

const shows = (wait: () => Promise<unknown>) =>
  defineWorkflow("flow")
    .step("show", { on: StartEvent, emits: Next, streams: Shown }, (_ev, ctx) => {
      ctx.writeEventToStream(new Shown({ n: 1 }));
      return new Next({ n: 1 });
    })
    .step("wait", { on: Next, emits: StopEvent }, async () => {
      await wait();
      return new StopEvent({ result: "ended" });
    })
    .build();

it("events are stored with the next ticks, where these come within a turn of the host", async () => {
  const commits: string[] = [];
  const store = watched(memoryStore(), commits);
  const runtime = createRuntime({
    workflows: { flow: shows(oneTurnLater) },
    store,
    log: silent,
    clock: new TurnClock(),
  });

  await runtime.run("flow");
  await runtime.stop();

  expect(commits).toEqual(["created run.started", "stream.written step.completed", "step.completed events"]);
});

it("events are stored soon, where the next step is at work for long", async () => {
  let end = (): void => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const store = memoryStore();
  const runtime = createRuntime({ workflows: { flow: shows(() => held) }, store, log: silent });
  const run = runtime.run("flow", {}, { runId: "run" });

  await expect
    .poll(async () => (await store.events({ tenant: "", runId: "run" }, { after: -1, limit: 10 })).length)
    .toBe(1);
  end();

  expect(await run).toBe("ended");
  await runtime.stop();
});
