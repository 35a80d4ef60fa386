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
