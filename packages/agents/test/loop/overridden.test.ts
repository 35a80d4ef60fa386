/** A model call that is made again with another request: `override` of `runtime.fork`. */
import { generateText, isStepCount, tool as sdkTool } from "ai";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunAttempt, type Runtime } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions, recorded, tool } from "../../src/index.js";
import type { CallOptions } from "../support/models.js";
import { type Answering, answers, calls, says } from "../support/turns.js";

const look = tool({
  name: "look",
  description: "Looks something up.",
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => `a result about ${q}`,
});

/** What a model was asked, as one text for each message. */
const asked: { model: string; messages: string[]; temperature: number | undefined }[] = [];

function noting(answer: ReturnType<typeof says>): Answering {
  return function (this: unknown, { prompt, temperature }: CallOptions) {
    const texts = prompt.map(({ role, content }) =>
      typeof content === "string" ? `${role}: ${content}` : `${role}: ${content.map(textOf).join()}`,
    );
    asked.push({ model: "answers", messages: texts, temperature });
    return answer;
  };
}

const textOf = (part: { readonly type: string; readonly text?: unknown }): string => String(part.text ?? part.type);

async function world(script: readonly ReturnType<typeof says>[], options: Partial<AgentOptions> = {}) {
  asked.length = 0;
  const agent = new Agent({
    name: "Scout",
    model: answers(...script.map(noting)),
    tools: [look],
    instructions: "Be brief.",
    modelSettings: { temperature: 0.1 },
    ...options,
  });
  const runtime = createRuntime({ store: memoryStore(), workflows: { scout: agent.workflow } });
  await runtime.start();
  await runtime.run("scout", { input: "Which rivers?" }, { runId: "one" });
  return runtime;
}

const twoCalls = [calls(["look", { q: "rivers" }]), says("The Nile."), says("The Amazon."), says("Later.")];

async function attemptOf(runtime: Pick<Runtime, "attempts">, runId = "one"): Promise<RunAttempt> {
  for await (const attempt of runtime.attempts(runId)) return attempt;
  throw new TypeError("no attempt");
}

/** Where a call can be overridden. */
async function place(runtime: Pick<Runtime, "attempts">, number: number) {
  const { item, calls: made } = await attemptOf(runtime);
  const call = made.find(({ call: id }) => id.endsWith(`run=m${number}`));
  if (call === undefined) throw new TypeError(`no call m${number}`);
  return { at: call.startedTick - 1, item, call: call.call };
}

async function forked(runtime: Awaited<ReturnType<typeof world>>, number: number, value: object, runId = "two") {
  const { at, item, call } = await place(runtime, number);
  return runtime.fork("one", { at, runId, override: { item, call, value } });
}

it("asks with other instructions, messages and settings, and keeps the calls before", async () => {
  const runtime = await world(twoCalls);

  const run = await forked(runtime, 1, {
    instructions: "Be long.",
    messages: [{ role: "user", content: "Which seas?" }],
    settings: { temperature: 0.9 },
  });

  expect(run).toMatchObject({ content: "The Amazon." });
  expect(asked).toHaveLength(3); // the first call and its tool are recorded
  expect(asked[2]).toEqual({ model: "answers", messages: ["system: Be long.", "user: Which seas?"], temperature: 0.9 });
  await runtime.stop();
});

it("leaves what is not overridden as it was", async () => {
  const runtime = await world(twoCalls);

  await forked(runtime, 1, { instructions: null });

  expect(asked[2]?.messages).toEqual(asked[1]?.messages.slice(1));
  expect(asked[2]?.temperature).toBe(0.1);
  await runtime.stop();
});

it("goes on from what was overridden in later calls of the loop", async () => {
  const runtime = await world([...twoCalls.slice(0, 2), calls(["look", { q: "seas" }]), says("The Aral.")]);

  await forked(runtime, 0, { instructions: "Be long.", messages: [{ role: "user", content: "Which seas?" }] });

  expect(asked[3]?.messages).toEqual([
    "system: Be long.",
    "user: Which seas?",
    "assistant: tool-call",
    "tool: tool-result",
  ]);
  await runtime.stop();
});

it("records what was asked instead, and by which override", async () => {
  const runtime = await world(twoCalls);
  await forked(runtime, 1, { instructions: "Be long.", messages: [{ role: "user", content: "Which seas?" }] });

  const recorded: unknown[] = [];
  for await (const { tick } of runtime.history("two")) if (tick.type === "effect.recorded") recorded.push(tick.value);

  expect(recorded).toMatchObject([
    {
      // All of it, because the calls before it are in the history of another run.
      asked: {
        model: "mock/answers",
        instructions: "Be long.",
        tools: [{ name: "look" }],
        messages: [{ role: "user", content: "Which seas?" }],
      },
      override: { instructions: "Be long." },
    },
  ]);
  await runtime.stop();
});

it("asks another model of the same provider", async () => {
  const runtime = await world(twoCalls);

  await forked(runtime, 1, { model: "mock/other" });

  const records: unknown[] = [];
  for await (const { tick } of runtime.history("two")) if (tick.type === "effect.recorded") records.push(tick.value);
  expect(records).toMatchObject([{ asked: { model: "mock/other" } }]);
  await runtime.stop();
});

it("fails the run for an override that no model can be asked with, and names all that is wrong", async () => {
  const runtime = await world(twoCalls);

  await expect(forked(runtime, 1, { model: "", instructions: 5, messages: "hello", top: 1 })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringMatching(/top.*model.*instructions.*messages/),
  });
  expect(asked).toHaveLength(2);
  await runtime.stop();
});

it("overrides a call of a loop of the AI SDK, and keeps its instructions in later calls", async () => {
  asked.length = 0;
  const model = answers(...[...twoCalls.slice(0, 2), calls(["seek", { q: "seas" }]), says("The Aral.")].map(noting));
  const seek = sdkTool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => `a result about ${q}` });
  const flow = defineWorkflow("flow")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_event, ctx) => {
      const tools = { look: seek, seek };
      const loop = { ...recorded(ctx, { model, tools }), instructions: "Be brief.", stopWhen: isStepCount(5) };
      const { text } = await generateText({ ...loop, prompt: "Which rivers?" });
      return new StopEvent({ result: text });
    })
    .build();
  const runtime = createRuntime({ store: memoryStore(), workflows: { flow } });
  await runtime.start();
  await runtime.run("flow", {}, { runId: "one" });
  const { at, item, call } = await place(runtime, 0);
  const value = { instructions: "Be long.", messages: [{ role: "user", content: "Which seas?" }] };

  const result = await runtime.fork("one", { at, override: { item, call, value } });

  expect(result).toBe("The Aral.");
  expect(asked[2]?.messages).toEqual(["system: Be long.", "user: Which seas?"]);
  expect(asked[3]?.messages[0]).toBe("system: Be long.");
  await runtime.stop();
});

/** What went wrong in other projects. */
async function askingWorld(script: readonly ReturnType<typeof says>[]) {
  asked.length = 0;
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    requiresConfirmation: true,
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => paid.push(n),
  });
  const agent = new Agent({ name: "Clerk", model: answers(...script.map(noting)), tools: [pay] });
  const runtime = createRuntime({ store: memoryStore(), workflows: { scout: agent.workflow } });
  await runtime.start();
  const allow = async (
    handle: { prompts(): Promise<readonly { readonly promptId: string }[]> } & PromiseLike<unknown>,
  ) => {
    await expect.poll(async () => (await handle.prompts()).length).toBe(1);
    const [prompt] = await handle.prompts();
    await (handle as never as { answer(id: string, fields: object): Promise<unknown> }).answer(prompt?.promptId ?? "", {
      approved: true,
    });
    return handle;
  };
  return { runtime, paid, allow };
}

it("asks a person anew whose answer came after the call", async () => {
  // langchain-ai/langgraph#7027: the answer of the first run was used again, and nobody was asked.
  const script = [calls(["pay", { n: 1 }]), says("Paid."), calls(["pay", { n: 2 }]), says("Paid, too.")];
  const { runtime, paid, allow } = await askingWorld(script);
  await allow(runtime.run("scout", { input: "Pay 1." }, { runId: "one" }) as never);
  expect(paid).toEqual([1]);

  const { at, item, call } = await place(runtime, 0);
  const override = { item, call, value: { messages: [{ role: "user", content: "Pay 2." }] } };
  await allow(runtime.fork("one", { at, runId: "two", override }) as never);

  expect(paid).toEqual([1, 2]);
  await runtime.stop();
});

it("leaves the run that it comes from as it was, and can be overridden again", async () => {
  // langchain-ai/langgraph#8551: a fork wrote into the branch that it had left. #4987: a second one began at the first.
  const runtime = await world(twoCalls);
  const before = JSON.stringify(await all(runtime.history("one")));

  await forked(runtime, 1, { instructions: "Be long." });
  const attempt = await attemptOf(runtime, "two");
  const call = attempt.calls.at(-1);
  const override = { item: attempt.item, call: call?.call ?? "", value: { instructions: "Be short." } };
  const third = await runtime.fork("two", { at: (call?.startedTick ?? 0) - 1, override });

  expect(third).toMatchObject({ content: "Later." });
  expect(asked[3]?.messages[0]).toBe("system: Be short.");
  expect(asked[3]?.messages.slice(1)).toEqual(asked[1]?.messages.slice(1));
  expect(JSON.stringify(await all(runtime.history("one")))).toBe(before);
  await runtime.stop();
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

it("has no message twice in an agent that another one has handed over to", async () => {
  // langchain-ai/langgraph#7593: a fork of a nested agent had the messages of its checkpoint and those of the run.
  asked.length = 0;
  const script = [calls(["transfer_to_expert", {}]), says("By hand."), says("By mill.")].map(noting);
  const model = answers(...script);
  const expert = new Agent({ name: "Expert", model, instructions: "You know." });
  const first = new Agent({ name: "First", model, canHandOffTo: [expert] });
  const runtime = createRuntime({ store: memoryStore(), workflows: { scout: first.workflow } });
  await runtime.start();
  await runtime.run("scout", { input: "How?" }, { runId: "one" });
  const { item, calls: made } = await attemptOf(runtime);
  const call = made.at(-1);

  const override = { item, call: call?.call ?? "", value: { settings: { temperature: 1 } } };
  const result = await runtime.fork("one", { at: (call?.startedTick ?? 0) - 1, override });

  expect(result).toMatchObject({ content: "By mill.", agent: "Expert" });
  expect(asked[2]).toEqual({ ...asked[1], temperature: 1 });
  await runtime.stop();
});

it("offers the same tools as before", async () => {
  // langfuse/langfuse-js#906: what was asked again had no tools.
  const model = answers(...twoCalls.map(noting));
  const runtime = await world(twoCalls, { model });

  await forked(runtime, 1, { messages: [{ role: "user", content: "Which seas?" }] });

  const offered = [...model.doStreamCalls, ...model.doGenerateCalls].map(({ tools }) => tools?.map(({ name }) => name));
  expect(offered).toEqual([["look"], ["look"], ["look"]]);
  await runtime.stop();
});

it("asks again where the model had failed", async () => {
  // inngest/inngest#2104: a failed run could not be run again from the step that had failed.
  let isDown = true;
  const down: Answering = () => {
    if (isDown) throw new TypeError("down");
    return says("Up.");
  };
  const agent = new Agent({ name: "Scout", model: answers(down, down), maxRetries: 0 });
  const runtime = createRuntime({ store: memoryStore(), workflows: { scout: agent.workflow } });
  await runtime.start();
  await expect(runtime.run("scout", { input: "Go" }, { runId: "one" })).rejects.toMatchObject({ code: "AGENT_FAILED" });
  isDown = false;

  expect(await forked(runtime as never, 0, { instructions: "Be brief." })).toMatchObject({ content: "Up." });
  await runtime.stop();
});
