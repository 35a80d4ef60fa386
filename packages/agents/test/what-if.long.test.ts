/** Agents and loops of the AI SDK, played again with another model over HTTP: what it calls, and with what. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { recordRun, testRuntime, type WhatIfOptions, whatIf } from "@millrace/testing";
import { generateText, isStepCount, type LanguageModel, tool as sdkTool, wrapLanguageModel } from "ai";
import { type DefinedWorkflow, defineWorkflow, StartEvent, StopEvent } from "millrace";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, recorded, tool } from "../src/index.js";

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

type Call = readonly [name: string, args: object];
/** What a model says to a conversation: calls of tools, or a text. */
type Script = (asked: Asked, toolResults: number) => readonly Call[] | string;

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).map((close) => close()));

let ids = 0;

/** A service of models over the chat completions API. */
async function service(script: Script): Promise<(name: string) => LanguageModel> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const asked = JSON.parse(body) as Asked;
    const said = script(asked, asked.messages.filter(({ role }) => role === "tool").length);
    const calls = typeof said === "string" ? [] : said;
    const tools = calls.map(([name, args], index) => {
      return { index, id: `call_${ids++}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
    });
    const message = { role: "assistant", ...(typeof said === "string" ? { content: said } : { tool_calls: tools }) };
    const finish = typeof said === "string" ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
    const base = { id: "c1", created: 1, model: asked.model };
    if (asked.stream !== true)
      return void response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ ...base, choices: [{ index: 0, message, finish_reason: finish }], usage }));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (part: object): void => void response.write(`data: ${JSON.stringify({ ...base, ...part })}\n\n`);
    send({ choices: [{ index: 0, delta: message, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }], usage });
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () => void server.closeAllConnections(),
    () => void server.close(),
  );
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return createOpenAICompatible({ name: "local", baseURL, apiKey: "none", includeUsage: true });
}

/** Tools that were really called. */
let made: string[] = [];
const orderOf = (id: string): string => `order ${made.push(`order ${id}`) && id} for 80 euros`;
const refund = (id: string, euros: number): string => `refunded ${made.push(`refund ${id} ${euros}`) && euros}`;

function agentFlow(model: LanguageModel): DefinedWorkflow<{ text?: string }, unknown, object> {
  const agent = new Agent({
    name: "clerk",
    model,
    instructions: "Be kind.",
    prices: {
      "small-model": { input: 1_000_000, output: 1_000_000 },
      "local-model": { input: 2_000_000, output: 2_000_000 },
    },
    tools: [
      tool({
        name: "order",
        description: "Finds an order.",
        parameters: z.object({ id: z.string() }),
        execute: ({ id }) => orderOf(id),
      }),
      tool({
        name: "refund",
        description: "Pays it back.",
        parameters: z.object({ id: z.string(), euros: z.number() }),
        execute: ({ id, euros }) => refund(id, euros),
      }),
    ],
  });
  return defineWorkflow("clerk")
    .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      await agent.run("My order A-17 is broken.", { ctx });
      return new StopEvent({ result: "answered" });
    })
    .build() as never;
}

function loopFlow(model: LanguageModel): DefinedWorkflow<{ text?: string }, unknown, object> {
  const order = sdkTool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => orderOf(id) });
  const back = sdkTool({
    inputSchema: z.object({ id: z.string(), euros: z.number() }),
    execute: async ({ id, euros }) => refund(id, euros),
  });
  return defineWorkflow("clerk")
    .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const own = recorded(ctx, { model: model as never, tools: { order, refund: back } });
      await generateText({ ...own, prompt: "My order A-17 is broken.", stopWhen: isStepCount(5) });
      return new StopEvent({ result: "answered" });
    })
    .build() as never;
}

/** Looks at the order, and pays 80 euros. */
const usual: Script = (_asked, results) =>
  [[["order", { id: "A-17" }]], [["refund", { id: "A-17", euros: 80 }]], "It is paid back."][results] as never;

const flows = { "an agent": agentFlow, "a loop of the AI SDK": loopFlow };

async function tried(flowOf: typeof agentFlow, script: Script, options: WhatIfOptions = {}) {
  const model = (await service(usual))("local-model");
  const { runtime } = testRuntime({ clerk: flowOf(model) });
  await runtime.run("clerk", {}, { runId: "r-1" });
  const recording = await recordRun(runtime, "r-1");
  await runtime.stop();
  expect(made).toEqual(["order A-17", "refund A-17 80"]);
  made = [];
  const report = await whatIf(flowOf((await service(script))("local-model")), [recording], options);
  expect(made).toEqual([]);
  return report;
}

afterEach(() => void (made = []));

describe.each(Object.entries(flows))("%s with another model", (_name, flowOf) => {
  it("decides the same in other words, and no tool is called", async () => {
    const { runs } = await tried(flowOf, (asked, results) => (results === 2 ? "Done!" : usual(asked, results)));

    expect(runs).toMatchObject([
      { verdict: "same", ended: true, played: { calls: 3, inputTokens: 36, outputTokens: 9 } },
    ]);
  });

  it("decides otherwise where a tool is called with something else, and stops there", async () => {
    const { runs } = await tried(flowOf, (asked, results) =>
      results === 1 ? [["refund", { id: "A-17", euros: 90 }]] : usual(asked, results),
    );

    expect(runs).toMatchObject([
      {
        verdict: "other",
        first:
          'Step "answer" calls "refund" with {"euros":90,"id":"A-17"}, not "refund" with {"euros":80,"id":"A-17"}.',
        ended: false,
        stoppedAt: { label: "refund", why: "arguments", input: { id: "A-17", euros: 90 } },
      },
    ]);
  });

  it("goes on with an answer that a function makes of the recorded one", async () => {
    const said: unknown[] = [];
    const script: Script = (asked, results) => {
      said.push(asked.messages.findLast(({ role }) => role === "tool")?.content);
      return results === 1 ? [["refund", { id: "A-17", euros: 90 }]] : usual(asked, results);
    };
    const { runs } = await tried(flowOf, script, {
      unknown: ({ label, why, recorded: before }) => {
        expect([label, why, before]).toEqual(["refund", "arguments", { output: "refunded 80" }]);
        return { answer: { output: "refunded 90" } };
      },
    });

    expect(runs).toMatchObject([{ verdict: "other", ended: true, stoppedAt: null, played: { calls: 3 } }]);
    expect(said).toEqual([undefined, "order A-17 for 80 euros", "refunded 90"]);
  });

  it("is answered by what it calls, in whatever order it calls it", async () => {
    const { runs } = await tried(flowOf, (_asked, results) =>
      results > 0
        ? "Done!"
        : [
            ["refund", { euros: 80, id: "A-17" }],
            ["order", { id: "A-17" }],
          ],
    );

    expect(runs).toMatchObject([{ verdict: "same", ended: true, played: { calls: 2 } }]);
  });

  it("decides otherwise where it does not call a tool, or calls it twice", async () => {
    const lazy = await tried(flowOf, () => "I cannot help.");
    const eager = await tried(flowOf, (asked, results) =>
      results === 2 ? [["order", { id: "A-17" }]] : usual(asked, results),
    );

    expect(lazy.runs).toMatchObject([
      { verdict: "other", first: 'Step "answer" did not call "order" with {"id":"A-17"}.', ended: true },
    ]);
    expect(eager.runs).toMatchObject([{ verdict: "other", ended: false, stoppedAt: { label: "order" } }]);
  });

  it("may be another model of the provider, by its name", async () => {
    const models: string[] = [];
    const script: Script = (asked, results) => {
      models.push(asked.model);
      return usual(asked, results);
    };
    const { runs } = await tried(flowOf, script, { model: "small-model" });

    expect(models).toEqual(["small-model", "small-model", "small-model"]);
    expect(runs).toMatchObject([{ verdict: "same" }]);
  });
});

describe("an agent with other instructions", () => {
  it("gets them in place of its own, and its calls have their price", async () => {
    const texts: unknown[] = [];
    const script: Script = (asked, results) => {
      texts.push(asked.messages[0]?.content);
      return usual(asked, results);
    };
    const byName = await tried(agentFlow, script, { instructions: { clerk: "Be short." }, model: "small-model" });

    expect(texts).toEqual(["Be short.", "Be short.", "Be short."]);
    expect([byName.recorded.cost, byName.played.cost]).toEqual([90, 45]);
    await expect(tried(agentFlow, script, { instructions: { other: "Be short." } })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});

it("a model that is wrapped cannot be replaced by a name, which no run hides", async () => {
  const wrapped: typeof agentFlow = (model) => agentFlow(wrapLanguageModel({ model: model as never, middleware: {} }));
  const { runs } = await tried(wrapped, usual, { model: "small-model" });

  expect(runs).toMatchObject([
    { verdict: "unknown", first: expect.stringContaining('cannot become "small-model"'), ended: false },
  ]);
});

describe("an agent that asks a person", () => {
  const asking = (model: LanguageModel): DefinedWorkflow<object, unknown, object> => {
    const agent = new Agent({
      name: "clerk",
      model,
      tools: [
        tool({
          name: "refund",
          description: "Pays it back.",
          parameters: z.object({ id: z.string(), euros: z.number() }),
          requiresConfirmation: true,
          execute: ({ id, euros }) => refund(id, euros),
        }),
      ],
    });
    return defineWorkflow("clerk")
      .step("answer", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await agent.run("My order A-17 is broken.", { ctx });
        return new StopEvent({ result: "answered" });
      })
      .build() as never;
  };
  const pays =
    (euros: number): Script =>
    (_asked, results) =>
      results === 0 ? [["refund", { id: "A-17", euros }]] : "Done!";

  it("gets the recorded answer to the same question, and to no other", async () => {
    const { runtime } = testRuntime({ clerk: asking((await service(pays(80)))("local-model")) });
    const handle = runtime.run("clerk", {}, { runId: "r-1" });
    const outcome = await handle.idle();
    const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];
    await handle.answer(prompt?.promptId ?? "", { approved: true });
    await handle;
    const recording = await recordRun(runtime, "r-1");
    await runtime.stop();
    expect(made).toEqual(["refund A-17 80"]);

    const same = await whatIf(asking((await service(pays(80)))("local-model")), [recording]);
    const other = await whatIf(asking((await service(pays(90)))("local-model")), [recording]);

    expect(same.runs).toMatchObject([{ verdict: "same", ended: true }]);
    expect(other.runs).toMatchObject([{ verdict: "other", ended: false }]);
    expect(made).toEqual(["refund A-17 80"]);
  });
});
