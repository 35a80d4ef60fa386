/**
 * Through how many source files an edit, a message and a crash lead: what somebody who follows them has to read. Measured alone: 33, 86 and
 * 73. Other tests of the process may have timers that come due meanwhile, so there is some room.
 */
import { expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type Workflows } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { keptOpen, Machine, promptIds } from "../support/processes.js";
import { settle, VirtualClock } from "../support/virtual-clock.js";
import { walkedFiles } from "../support/walked-files.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Next extends event("Next", {}) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const flows = () => ({
  ask: defineWorkflow("ask")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({}) });
      return new StopEvent({ result: text });
    })
    .build(),
});

it("an edit of the state, to its commit in memory", async () => {
  let files: string[] = [];
  const edit = defineWorkflow("edit")
    .step("edit", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      files = await walkedFiles(() => ctx.store.editState((state) => void (state["count"] = 1)));
      return new StopEvent({ result: await ctx.store.get("count") });
    })
    .build();

  expect(await edit.run({})).toBe(1);
  expect(files.length, files.join("\n")).toBeGreaterThan(0);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(35);
});

it("an answer that another process posts, to its receipt", async () => {
  const clock = new VirtualClock();
  const store = memoryStore();
  const open = (options: object) =>
    createRuntime({ workflows: flows() as Workflows, store: keptOpen(store), clock, ...options });
  const worker = open({ idleReleaseMs: 10 });
  const asking = open({ execute: false });
  const [promptId = ""] = await promptIds(worker.run("ask", {}, { runId: "r" }));
  await asking.start();
  await clock.advance(1_000);
  await settle();

  const files = await walkedFiles(() => asking.handle("r").answer(promptId, { text: "yes" }));

  expect(files.length, files.join("\n")).toBeLessThanOrEqual(95);
});

it("a run whose process died, until its step is called again", async () => {
  const machine = new Machine();
  let begun = () => {};
  const work = defineWorkflow("work")
    .step("first", { on: StartEvent, emits: Next }, () => new Next({}))
    .step("second", { on: Next, emits: StopEvent }, () => {
      begun();
      return new Promise<never>(() => {});
    })
    .build();
  const calls = () => new Promise<void>((resolve) => void (begun = resolve));
  const dying = machine.open({ work }, { leaseMs: 1_000 });
  const first = calls();
  void dying.runtime.run("work", {}, { runId: "r" }).accepted;
  await first;
  await settle();
  dying.kill();
  await machine.clock.advance(2_000);
  const next = machine.open({ work }).runtime;

  const files = await walkedFiles(async () => {
    const again = calls();
    await next.start();
    await again;
  });

  expect(files.length, files.join("\n")).toBeLessThanOrEqual(83);
});
