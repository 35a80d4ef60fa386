/** Questions of `ctx.ask` over a runtime: answered wherever the run is, and checked where its step runs. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tick } from "../../src/entries/engine.js";
import { createRuntime, memoryStore, type RuntimeOptions, type Workflows } from "../../src/entries/runtime.js";
import { defineWorkflow, QuestionEvent, retryPolicy, StartEvent, StopEvent, stop, wait } from "../../src/index.js";
import { rejection } from "../support/runs.js";

const log = { info() {}, error() {} };
const schema = { approved: z.boolean() };
const once = defineWorkflow("once")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.run("before", () => 1);
    const { approved } = await ctx.scope("lib").ask({ title: "Sure?", schema });
    return new StopEvent({ result: approved });
  })
  .build();
const twice = defineWorkflow("twice", { children: { once } })
  .step("both", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const [own, child] = await Promise.all([
      ctx.ask({ title: "Mine?", schema }).then(({ approved }) => approved),
      ctx.runChild(once, {}),
    ]);
    return new StopEvent({ result: [own, child] });
  })
  .build();
const workflows = { once, twice } as unknown as Workflows;

const settings: Record<string, Partial<RuntimeOptions<Workflows>>> = {
  "as it is": {},
  "with maxConcurrentRuns": { maxConcurrentRuns: 5 },
  "with idleReleaseMs 0": { idleReleaseMs: 0 },
  "with idleReleaseMs: 0": { idleReleaseMs: 0 },
  "in a queue": { queues: { work: { concurrency: 1 } } },
};

describe.each(Object.keys(settings))("a runtime %s", (name) => {
  const options = settings[name] as object;

  it.each(["here", "through a process that executes nothing", "in a later process"])(
    "refuses an answer that does not fit, and takes the next: %s",
    async (place) => {
      const store = memoryStore();
      const first = createRuntime({ workflows, store, log, ...options });
      const queue = name === "in a queue" ? { queue: "work" } : {};
      const run = first.run("twice", {}, { runId: "r", ...queue });
      await run.idle();
      const isLater = place === "in a later process";
      if (isLater) await first.stop({ drainMs: 0 });
      const second = createRuntime({
        workflows,
        store,
        log,
        ...options,
        ...(place !== "here" && !isLater && { execute: false }),
      });
      if (isLater) await second.start();
      const handle = place === "here" ? run : second.handle("r");
      const prompts = await handle.prompts();

      for (const { promptId } of prompts) {
        expect(await rejection(handle.answer(promptId, { approved: "yes" }))).toMatchObject({
          code: "EVENT_INVALID",
          message: expect.stringContaining("approved"),
        });
        expect(await handle.answer(promptId, { approved: true }, { key: promptId })).toMatchObject({
          status: "accepted",
        });
        expect(await handle.answer(promptId, { approved: false }, { key: promptId })).toMatchObject({
          status: "accepted",
        });
      }

      expect(prompts.map(({ event }) => (event as QuestionEvent).title).sort()).toEqual(["Mine?", "Sure?"]);
      expect(await handle).toEqual([true, true]);
      await Promise.all([first.stop({ drainMs: 0 }), second.stop({ drainMs: 0 })]);
    },
  );
});

it("an answer that comes while the step waits for its next attempt in a later process is not lost", async () => {
  const store = memoryStore();
  const failing = (waitMs: number) =>
    defineWorkflow("late")
      .step(
        "ask",
        {
          on: StartEvent,
          emits: StopEvent,
          retry: retryPolicy({ wait: wait.fixed(waitMs), stop: stop.afterAttempts(9) }),
        },
        async (_ev, ctx) => {
          const answer = ctx.ask({ title: "Sure?", schema });
          await ctx.sleep(1);
          if (ctx.retryInfo().retry < 1) throw new Error("later");
          return new StopEvent({ result: (await answer).approved });
        },
      )
      .build();
  const first = createRuntime({ workflows: { late: failing(300) }, store, log });
  const run = first.run("late", {}, { runId: "r" });
  await expect.poll(() => run.prompts()).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await first.stop({ drainMs: 0 });
  const second = createRuntime({ workflows: { late: failing(300) }, store, log, idleReleaseMs: 0 });
  await second.start();
  const [prompt] = await second.handle("r").prompts();

  expect(await second.handle("r").answer(prompt?.promptId as string, { approved: true })).toMatchObject({
    status: "accepted",
  });
  expect(await second.handle("r")).toBe(true);
  await second.stop({ drainMs: 0 });
});

it("its question and its answer are in the history", async () => {
  const runtime = createRuntime({ workflows, store: memoryStore(), log });
  const run = runtime.run("once", {}, { runId: "r" });
  await run.idle();
  const [prompt] = await run.prompts();
  await run.answer(prompt?.promptId as string, { approved: true });
  await run;
  const ticks: Tick[] = [];
  for await (const { tick } of runtime.history("r")) ticks.push(tick as Tick);

  expect(ticks.map(({ type }) => type)).toContain("wait.opened");
  expect(ticks.find(({ type }) => type === "event.received")).toMatchObject({
    event: { type: "millrace.answer", fields: { approved: true } },
  });
  const events = await run.streamEvents().toArray();
  expect(events.filter(({ event }) => QuestionEvent.is(event))).toHaveLength(1);
});
