/** How often a store is asked on the way of a message. */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RunStore, type Workflows } from "../../src/entries/runtime.js";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../../src/index.js";
import { keptOpen, promptIds } from "../support/processes.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const flows = () => ({
  ask: defineWorkflow("ask")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({}) });
      return new StopEvent({ result: text });
    })
    .build(),
});

/** The store as one process calls it. */
function counted(inner: RunStore, name: string, calls: string[]): RunStore {
  return new Proxy(keptOpen(inner), {
    get(target, method, receiver) {
      const member = Reflect.get(target, method, receiver) as unknown;
      if (typeof member !== "function" || method === "hash" || method === "watch") return member;
      return (...args: unknown[]) => {
        calls.push(`${name}.${String(method)}`);
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** Runs that wait in the store, and two processes that have looked for work. */
async function waiting({ executes = false } = {}) {
  const calls: string[] = [];
  const clock = new VirtualClock();
  const store = memoryStore();
  const open = (name: string, options: object = {}) =>
    createRuntime({ workflows: flows() as Workflows, store: counted(store, name, calls), clock, ...options });
  const worker = open("worker", { idleReleaseMs: 10 });
  const asking = open("asking", { execute: executes });
  const run = worker.run("ask", {}, { runId: "r" });
  const [promptId = ""] = await promptIds(run);
  await asking.start();
  await clock.advance(1_000);
  await settle();
  expect((await store.run({ tenant: "", runId: "r" }))?.lease).toBeNull();
  calls.length = 0;
  return { calls, asking, promptId, run, clock };
}

it("an answer from a process that executes nothing takes 8 calls to its receipt", async () => {
  const { calls, asking, promptId } = await waiting();

  expect(await asking.handle("r").answer(promptId, { text: "yes" })).toMatchObject({ status: "accepted" });

  expect(calls).toEqual([
    "asking.run",
    "asking.post",
    "worker.claimDue",
    "worker.journals",
    "worker.commit",
    "asking.receipt",
    "worker.commit",
    "asking.receipt",
  ]);
});

it("an answer from a process that executes, too, takes no more: it claims the run itself", async () => {
  const { calls, asking, promptId } = await waiting({ executes: true });

  expect(await asking.handle("r").answer(promptId, { text: "yes" }, { key: "k" })).toMatchObject({
    status: "accepted",
  });

  expect(calls.filter((call) => call.startsWith("asking")).length).toBeLessThanOrEqual(8);
});

it("a process that hears of single runs still looks in time at what another one has left for later", async () => {
  const flow = defineWorkflow("sleeps")
    .step("sleep", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.sleep(5_000);
      return new StopEvent({ result: "awake" });
    })
    .build();
  const clock = new VirtualClock();
  const store = memoryStore();
  const open = () =>
    createRuntime({ workflows: { sleeps: flow }, store: keptOpen(store), clock, idleReleaseMs: 0, leaseMs: 600_000 });
  const [one, other] = [open(), open()];
  await other.start();
  const run = one.run("sleeps", {}, { runId: "r" });
  await run.idle();
  await settle();
  await one.stop();

  await clock.advance(6_000);
  await settle();

  expect((await store.run({ tenant: "", runId: "r" }))?.status).toBe("completed");
});

it("a run that is resumed where it executes takes 5 calls", async () => {
  const calls: string[] = [];
  const clock = new VirtualClock();
  const store = memoryStore();
  const runtime = createRuntime({ workflows: flows() as Workflows, store: counted(store, "worker", calls), clock });
  const run = runtime.run("ask", {}, { runId: "r" });
  await promptIds(run);
  await run.cancel();
  await settle();
  calls.length = 0;

  await runtime.resume("r").accepted;

  expect(calls).toEqual(["run", "claim", "snapshot", "ticks", "commit"].map((name) => `worker.${name}`));
});
