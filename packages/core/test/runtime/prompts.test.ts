/** What a run asks, wherever it is and whatever else it does. */
import { expect, it } from "vitest";
import {
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
