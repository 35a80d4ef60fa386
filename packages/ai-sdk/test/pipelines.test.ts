/** Agents of a pipeline in a chat: word by word, with their questions and over restarts. */
import { Agent, Team, tool } from "@millrace/agents";
import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import type { UIMessage } from "ai";
import { memoryStore } from "millrace/runtime";
import { afterEach, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { QuestionData } from "../src/index.js";
import { faults, lastText, openDesk } from "./support/chats.js";
import { modelAt, type ScriptedModelOptions, scriptedModel } from "./support/scripted-model.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const textsOf = ({ parts = [] }: Partial<UIMessage> = {}): string[] =>
  parts.flatMap((part) => (part.type === "text" ? part.text : []));

const paid: number[] = [];
const pay = tool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ n: z.number() }),
  requiresConfirmation: true,
  execute: ({ n }) => `paid ${paid.push(n)}`,
});

type StepsOf = (clerk: Agent, model: ReturnType<typeof modelAt>) => readonly object[];

async function openPipeline(stepsOf: StepsOf, options: ScriptedModelOptions = {}) {
  const model = await scriptedModel(options);
  onTestFinished(() => model[Symbol.asyncDispose]());
  const store = memoryStore();
  const language = modelAt(model.url);
  const clerk = new Agent({ name: "Clerk", model: language, tools: [pay] });
  const open = async () => {
    const pipeline = new Pipeline({ name: "Desk", store, steps: stepsOf(clerk, language) as never });
    const world = await openDesk({ desk: pipeline.workflow as never }, { pipeline: "desk" }, store);
    onTestFinished(() => world[Symbol.asyncDispose]());
    return world;
  };
  return { ...(await open()), model, reopen: open };
}

const oneStep: StepsOf = (clerk) => [new Step({ name: "clerk", executor: clerk })];

it("shows the words of an agent while they come, and the result once", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  const world = await openPipeline(oneStep, { tokenMs: 10, onToken: (count) => count === 20 && reached() });
  const page = world.page("c1");

  const sent = page.sendMessage({ text: `say ${"word ".repeat(40)}end.` });
  await half;
  await expect.poll(() => lastText(page)).toMatch(/^(word )+$/);
  await sent;

  expect(textsOf(page.messages.at(-1))).toEqual([`${"word ".repeat(40)}end.`]);
  expect(page.messages.at(-1)?.metadata).toEqual({ usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } });
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("shows reasoning and each answer of an agent in its place", async () => {
  const world = await openPipeline(oneStep);
  const page = world.page("c1");

  await page.sendMessage({ text: "think Hm.; say Hello." });

  expect(page.messages[1]?.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({ type: "reasoning", text: "Hm.", state: "done" }),
    expect.objectContaining({ type: "text", text: "Hello.", state: "done" }),
  ]);
});

it("shows the result too if a later step has made something else of the words", async () => {
  const loud = ({ previousStepContent }: { previousStepContent?: unknown }) =>
    String(previousStepContent).toUpperCase();
  const world = await openPipeline((clerk) => [
    new Step({ name: "clerk", executor: clerk }),
    new Step({ name: "loud", executor: loud }),
  ]);
  const page = world.page("c1");

  await page.sendMessage({ text: "say Hello." });

  expect(textsOf(page.messages[1])).toEqual(["Hello.", "HELLO."]);
});

it("keeps the words of agents apart that speak at the same time", async () => {
  const world = await openPipeline(
    (clerk) => [
      new Parallel({ name: "both", steps: ["one", "two"].map((name) => new Step({ name, executor: clerk })) }),
    ],
    { tokenMs: 5 },
  );
  const page = world.page("c1");

  await page.sendMessage({ text: `say ${"word ".repeat(20)}end.` });

  expect(textsOf(page.messages[1]).slice(0, 2)).toEqual(Array(2).fill(`${"word ".repeat(20)}end.`));
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("shows what the leader of a team says, and not its members", async () => {
  const world = await openPipeline((clerk, model) => [
    new Step({ name: "team", executor: new Team({ name: "Team", model, members: [clerk] }) }),
  ]);
  const page = world.page("c1");
  const task = JSON.stringify({ member: "clerk", task: "say Of the member." });

  await page.sendMessage({ text: `call delegate_task_to_member ${task} | say The end.` });

  expect(textsOf(page.messages[1])).toEqual(["The end."]);
});

it("asks about a call with a form, and shows how it went on", async () => {
  const world = await openPipeline(oneStep);
  const page = world.page("c1");
  await page.sendMessage({ text: 'call pay {"n":7} | say Paid.' });

  const question = page.messages[1]?.parts.find((part) => part.type === "data-question") as { data: QuestionData };
  expect(question.data).toMatchObject({
    title: "May Clerk call pay?",
    details: { toolName: "pay", input: { n: 7 } },
    status: "open",
    schema: { required: ["approved"] },
  });
  await page.sendMessage(undefined, { body: { answers: { [question.data.promptId]: { approved: true } } } });

  expect([page.status, lastText(page), paid]).toEqual(["ready", "Paid.", [7]]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("takes back the words of a process that was stopped, and says them once", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  const world = await openPipeline(oneStep, { tokenMs: 5, onToken: (count) => count === 20 && reached() });
  const page = world.page("c1");
  void page.sendMessage({ text: `say ${"word ".repeat(40)}end.` });
  await half;
  await world.runtime.stop({ drainMs: 0 });

  const later = await world.reopen();
  const reloaded = later.page("c1", { messages: await later.messages("c1") });
  await reloaded.resumeStream();

  expect(textsOf(reloaded.messages.at(-1))).toEqual([`${"word ".repeat(40)}end.`]);
  expect(await later.messages("c1")).toEqual(plain(reloaded.messages));
});
