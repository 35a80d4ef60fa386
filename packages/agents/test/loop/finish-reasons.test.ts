/** How answers end: openai-agents-python#4510, mastra#24442, vercel/ai#15349, NousResearch/hermes-agent#86054, mastra#9387. */
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, tool } from "../../src/index.js";
import { type Answering, answers, calls, says } from "../support/turns.js";

const made: string[] = [];
const pay = tool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ n: z.number() }),
  execute: ({ n }) => void made.push(`paid ${n}`),
});

const agentOf = (...script: readonly Answering[]) =>
  new Agent({ name: "Clerk", model: answers(...script), tools: [pay], maxRetries: 0 }).workflow;

it.each(["length", "content-filter"] as const)("fails with the reason when an answer is cut by %s", async (reason) => {
  const run = agentOf(says("The answer is", reason)).run({ input: "go" });

  await expect(run).rejects.toMatchObject({
    code: "AGENT_OUTPUT_INVALID",
    retryable: false,
    details: { reason: "cut", executor: "Clerk", finishReason: reason, text: "The answer is" },
  });
});

it.each(["length", "content-filter"] as const)("makes no call of an answer that is cut by %s", async (reason) => {
  made.length = 0;

  const run = agentOf({ ...calls(["pay", { n: 1 }]), finish: reason }).run({ input: "go" });

  await expect(run).rejects.toMatchObject({ code: "AGENT_OUTPUT_INVALID" });
  expect(made).toEqual([]);
});

it.each([
  ["error", says("I can", "error")],
  ["a connection that closes early", { ...says("I can", "other"), raw: undefined }],
] as const)("fails for %s, so that another attempt may ask again", async (_name, answer) => {
  await expect(agentOf(answer).run({ input: "go" })).rejects.toMatchObject({ code: "AGENT_FAILED" });
});

it("takes a text with the reason `tool-calls` as the answer", async () => {
  expect(await agentOf(says("Final.", "tool-calls")).run({ input: "go" })).toMatchObject({ content: "Final." });
});

it("makes the calls of an answer with the reason `stop`", async () => {
  made.length = 0;

  const result = await agentOf({ ...calls(["pay", { n: 1 }]), finish: "stop" }, says("Done.")).run({ input: "go" });

  expect(result).toMatchObject({ content: "Done." });
  expect(made).toEqual(["paid 1"]);
});

it("keeps the answer when the closing turn is empty", async () => {
  const planned = { content: [{ type: "text" as const, text: "The plan is A." }, ...calls(["pay", { n: 1 }]).content] };

  expect(await agentOf(planned, says("")).run({ input: "go" })).toMatchObject({ content: "The plan is A." });
});

it("ends a model that never stops calling", async () => {
  const model = answers(...Array.from({ length: 3 }, () => calls(["pay", { n: 1 }])));
  const agent = new Agent({ name: "Clerk", model, tools: [pay], maxSteps: 3 });

  await expect(agent.workflow.run({ input: "go" })).rejects.toMatchObject({
    code: "AGENT_FAILED",
    details: { maxSteps: 3 },
  });
});

it("tells the model what is wrong with arguments that are cut or do not fit, and with tools that do not exist", async () => {
  const model = answers(calls(["pay", '{"n":1'], ["pay", { n: "one" }], ["sell", {}]), says("Sorry."));
  const agent = new Agent({ name: "Clerk", model, tools: [pay] });

  await agent.workflow.run({ input: "go" });

  const told = model.doStreamCalls[1]?.prompt.at(-1)?.content as { readonly output: { readonly value: string } }[];
  expect(told.map(({ output }) => output)).toEqual([
    { type: "error-text", value: expect.stringContaining("JSON") },
    { type: "error-text", value: expect.stringContaining("The arguments do not fit: n: ") },
    { type: "error-text", value: 'There is no tool "sell".' },
  ]);
});
