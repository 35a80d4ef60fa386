/** What comes out: typed answers, files, reasoning, and the end of a loop. */
import { hasToolCall } from "ai";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentRun, tool } from "../../src/index.js";
import { answering } from "../support/people.js";
import { type Answering, answers, calls, says } from "../support/turns.js";

const Sum = z.object({ sum: z.number() });
const typed = (...script: readonly Answering[]) => {
  const model = answers(...script);
  return { model, agent: new Agent({ name: "Adder", model, outputSchema: Sum }) };
};
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

/** The whole result, as a step of a workflow has it. */
async function inStep<Output>(agent: Agent<Output>): Promise<AgentRun<Output>> {
  let made: AgentRun<Output> | undefined;
  const flow = defineWorkflow("holds")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      made = await agent.run("go", { ctx });
      return new StopEvent({ result: null });
    })
    .build();
  await answering(flow.run(), () => ({ approved: true }));
  return made as AgentRun<Output>;
}

it("reads a typed answer, with a fence of Markdown around it or without", async () => {
  expect((await typed(says('{"sum": 3}')).agent.workflow.run({ input: "go" })).content).toEqual({ sum: 3 });
  expect((await typed(says('```json\n{"sum": 3}\n```')).agent.workflow.run({ input: "go" })).content).toEqual({
    sum: 3,
  });
});

it("tells the model what does not fit, and asks once more", async () => {
  const { agent, model } = typed(says('{"sum": "three"}'), says('{"sum": 3}'));

  expect((await agent.workflow.run({ input: "go" })).content).toEqual({ sum: 3 });
  expect(JSON.stringify(model.doStreamCalls[1]?.prompt.at(-1))).toMatch(/Your answer does not fit: sum: .*JSON only/);
});

it.each([
  ["no JSON", "three"],
  ["nothing", ""],
])("fails when it is %s to the end", async (_what, text) => {
  const { agent } = typed(says(text), says(text));

  await expect(agent.workflow.run({ input: "go" })).rejects.toMatchObject({ code: "AGENT_OUTPUT_INVALID" });
});

it("vercel/ai#8672: keeps an image that came before a question", async () => {
  const image = { type: "file" as const, mediaType: "image/png", data: { type: "data" as const, data: "aGVsbG8=" } };
  const ask = tool({ name: "ask", description: "Asks.", requiresConfirmation: true, execute: () => "yes" });
  const model = answers({ content: [image, ...calls(["ask", {}]).content], finish: "tool-calls" }, says("here"));

  const run = await inStep(new Agent({ model, tools: [ask] }));

  expect(run.images).toMatchObject([{ mimeType: "image/png", content: "aGVsbG8=" }]);
});

it("gives reasoning back to its model with what the provider signed", async () => {
  const providerMetadata = { mock: { signature: "s1" } };
  const thinks = { type: "reasoning" as const, text: "Let me think.", providerMetadata };
  const model = answers({ content: [thinks, ...calls(["look", {}]).content], finish: "tool-calls" }, says("done"));

  await inStep(new Agent({ model, tools: [look] }));

  const [assistant] = model.doStreamCalls[1]?.prompt.filter(({ role }) => role === "assistant") ?? [];
  expect(assistant?.content[0]).toEqual({
    type: "reasoning",
    text: "Let me think.",
    providerOptions: providerMetadata,
  });
});

it("ends where `stopWhen` says, with the last text", async () => {
  const model = answers({
    content: [{ type: "text", text: "Found it." }, ...calls(["look", {}]).content],
    finish: "tool-calls",
  });
  const agent = new Agent({ model, tools: [look], stopWhen: hasToolCall("look") as never });

  expect((await agent.workflow.run({ input: "go" })).content).toBe("Found it.");
  expect(model.doStreamCalls).toHaveLength(1);
});

it("lets `prepareStep` change one call", async () => {
  const other = answers(says("from the other"));
  const agent = new Agent({
    model: answers(calls(["look", {}])),
    tools: [look],
    prepareStep: ({ stepNumber }) =>
      stepNumber === 0 ? undefined : { model: other, activeTools: [], instructions: "Be short." },
  });

  expect((await agent.workflow.run({ input: "go" })).content).toBe("from the other");
  expect(other.doStreamCalls[0]?.tools ?? []).toEqual([]);
  expect(other.doStreamCalls[0]?.prompt[0]).toMatchObject({ role: "system", content: "Be short." });
});

it("gives a step the whole result: messages, tools, tokens", async () => {
  const run = await inStep(
    new Agent({ name: "Scout", model: answers(calls(["look", {}, "c1"]), says("done")), tools: [look] }),
  );

  expect(run).toMatchObject({
    content: "done",
    agent: "Scout",
    status: "COMPLETED",
    pause: null,
    tools: [{ toolCallId: "c1", toolName: "look", toolArgs: {}, result: "seen", toolCallError: false }],
    metrics: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
  });
  expect(run.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
});

it.each([
  ["cut JSON", { ...says('{"sum":'), finish: "length" as const }, { reason: "cut", finishReason: "length" }],
  ["other JSON", says('{"total": 3}'), { text: '{"total": 3}' }],
  ["no JSON", says("three"), { text: "three" }],
])("fails with one code for %s, whole, streamed and in a step", async (_what, answer, details) => {
  const code = "AGENT_OUTPUT_INVALID";
  const agent = () => new Agent({ name: "Adder", model: answers(answer), outputSchema: Sum, outputRepairs: 0 });
  const streamed = async () => {
    for await (const _ of agent().stream("go"));
  };

  await expect(agent().run("go")).rejects.toMatchObject({ code, details });
  await expect(streamed()).rejects.toMatchObject({ code, details });
  await expect(agent().workflow.run({ input: "go" })).rejects.toMatchObject({ code, details });
});
