/** What a run asks, wherever it is and whatever else it does. */
import { expect, it } from "vitest";
import {
  Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { settle } from "../support/virtual-clock.js";

class Sure extends InputRequiredEvent.define("Sure", {}) {}
class Yes extends HumanResponseEvent.define("Yes", {}) {}
class Ask extends event("Ask", {}) {}
class Work extends event("Work", {}) {}

const ask = async (_ask: unknown, ctx: { waitForEvent: (type: typeof Yes, options: object) => Promise<Yes> }) => {
  await ctx.waitForEvent(Yes, { prompt: new Sure({}) });
  return new StopEvent({ result: null });
};
const alone = defineWorkflow("alone")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Yes, streams: Sure }, ask)
  .build();
const aside = defineWorkflow("aside")
  .step("begin", { on: StartEvent, emits: many(Ask, Work) }, () => [new Ask({}), new Work({})])
  .step("ask", { on: Ask, emits: StopEvent, waits: Yes, streams: Sure }, ask)
  .step("work", { on: Work }, () => new Promise<void>(() => {}))
  .build();

it("shows what is asked while another branch is at work, here and in another process", async () => {
  const machine = new Machine();
  const here = machine.open({ aside, alone }).runtime;
  const elsewhere = machine.open({ aside, alone }).runtime;
  const run = here.run("aside", {}, { runId: "r" });
  await run.accepted;
  await settle();

  const [prompt] = await run.prompts();

  expect(prompt).toMatchObject({ runId: "r", event: { type: "Sure" } });
  expect(await run.outcome()).toBeNull();
  expect(await elsewhere.handle("r").prompts()).toEqual([prompt]);
});

it("shows what a run asks that only waits, and nothing once it has ended", async () => {
  const machine = new Machine();
  const here = machine.open({ aside, alone }).runtime;
  const elsewhere = machine.open({ aside, alone }).runtime;
  const run = here.run("alone", {}, { runId: "r" });
  await run.idle();
  await settle();
  const [prompt] = await elsewhere.handle("r").prompts();

  expect(await run.prompts()).toEqual([prompt]);
  await run.answer(prompt?.promptId as string);
  await run;

  expect(await run.prompts()).toEqual([]);
  expect(await elsewhere.handle("r").prompts()).toEqual([]);
  await expect(elsewhere.handle("nobody").prompts()).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
});

class Maybe extends HumanResponseEvent.define("Maybe", {}) {}
const inTime = defineWorkflow("inTime")
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Yes, streams: Sure }, async (_, ctx) => {
    await ctx.waitForEvent(Yes, { prompt: new Sure({}), timeout: "1h" });
    return new StopEvent({ result: null });
  })
  .build();
const parent = defineWorkflow("parent", { children: { inTime } })
  .step("delegate", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
    await ctx.runChild("inTime", {});
    return new StopEvent({ result: null });
  })
  .build();
const emitting = defineWorkflow("emitting")
  .step("begin", { on: StartEvent, emits: Sure }, () => new Sure({}))
  .step("take", { on: Yes, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();
const unsure = defineWorkflow("unsure")
  .step("begin", { on: StartEvent, emits: Sure }, () => new Sure({}))
  .step("take", { on: Yes, emits: StopEvent }, () => new StopEvent({ result: null }))
  .step("consider", { on: Maybe, emits: StopEvent }, () => new StopEvent({ result: null }))
  .build();
const flows = { alone, inTime, parent, emitting, unsure };

it.each<[keyof typeof flows, object]>([
  ["alone", { runId: "r", step: "ask", dueAtMs: null, answerType: "Yes" }],
  ["inTime", { runId: "r", step: "ask", dueAtMs: expect.any(Number), answerType: "Yes" }],
  ["parent", { runId: expect.stringMatching(/^r\//), step: "ask", dueAtMs: expect.any(Number), answerType: "Yes" }],
  ["emitting", { runId: "r", step: "begin", dueAtMs: null, answerType: "Yes" }],
  ["unsure", { runId: "r", step: "begin", dueAtMs: null, answerType: null }],
])("%s: says who asks, since when, until when, and what answers, the same everywhere", async (name, facts) => {
  const machine = new Machine();
  const here = machine.open(flows).runtime;
  const run = here.run(name, {}, { runId: "r" });
  const outcome = await run.idle();
  await settle();
  const elsewhere = machine.open(flows).runtime;

  const [prompt] = await run.prompts();

  expect(prompt).toEqual({
    promptId: expect.any(String),
    event: new Sure({}),
    askedAtMs: expect.any(Number),
    ...facts,
  });
  expect(outcome).toMatchObject({ prompts: [prompt] });
  expect(await elsewhere.handle("r").outcome()).toMatchObject({ prompts: [prompt] });
  expect(await elsewhere.handle("r").prompts()).toEqual([prompt]);
  expect(Math.abs((prompt?.askedAtMs ?? 0) - (await run.summary()).updatedAtMs)).toBeLessThan(60_000);
});

it.each(["alone", "emitting"] as const)("%s: a snapshot keeps since when it is asked", async (name) => {
  const run = new Machine().open(flows).runtime.run(name, {}, { runId: "r" });
  await run.idle();
  const [asked] = await run.prompts();
  const snapshot = JSON.parse(JSON.stringify(await run.snapshot()));

  const restored = flows[name].resume(Context.fromDict(flows[name], snapshot));
  const outcome = await restored.idle();

  expect(outcome).toMatchObject({ prompts: [{ askedAtMs: asked?.askedAtMs, step: asked?.step }] });
});
