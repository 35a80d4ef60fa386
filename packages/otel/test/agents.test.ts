/** An agent in a pipeline: its calls of models and tools are in the trace of the run, with GenAI attributes. */
import { Agent, PipelineAgent, Team, tool } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { openSdk, type SeenSpan, traceProblems, treeOf } from "./support/sdk.js";
import { parsePrometheus } from "./support/values.js";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const call = { type: "tool-call" as const, toolCallId: "call-1", toolName: "price", input: '{"item":"milk"}' };
const text = { type: "text" as const, text: "120 cents" };

const price = tool({
  name: "price",
  description: "The price of an item.",
  parameters: z.object({ item: z.string() }),
  execute: () => "120 cents",
});
const failed = { "error.type": "AGENT_FAILED", "millrace.agent.status": "error" };

/** Gives `first`, a call of a tool, and then an answer. */
function model(first: typeof call | typeof text = call): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    modelId: "mock-1",
    provider: "mock",
    doGenerate: async () => {
      const isFirst = calls++ === 0 && first.type === "tool-call";
      const unified = isFirst ? ("tool-calls" as const) : ("stop" as const);
      return { content: [isFirst ? first : text], finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
    doStream: async () => {
      const isFirst = calls++ === 0 && first.type === "tool-call";
      const unified = isFirst ? ("tool-calls" as const) : ("stop" as const);
      const parts = isFirst
        ? [first]
        : [
            { type: "text-start" as const, id: "1" },
            { type: "text-delta" as const, id: "1", delta: text.text },
            { type: "text-end" as const, id: "1" },
          ];
      const chunks = [
        { type: "stream-start" as const, warnings: [] },
        ...parts,
        { type: "finish" as const, finishReason: { unified, raw: unified }, usage },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

function shop() {
  const agent = new Agent({ name: "clerk", model: model(), tools: [price] });
  return new Pipeline({ name: "shop", steps: [new Step({ name: "ask", executor: agent })] });
}

/** What is made in the durable calls of a run, each of which has a span, or beside them. */
function below(spans: readonly SeenSpan[], parent: SeenSpan | undefined): string[] {
  const inside = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId === parent?.spanId);
  return inside.flatMap((span) => (span.name.startsWith("effect ") ? below(spans, span) : [span.name])).sort();
}

function traced(sdk: ReturnType<typeof openSdk>, pipeline: Pipeline): Pipeline {
  pipeline.workflow.use(sdk.telemetry);
  onTestFinished(() => pipeline.close());
  return pipeline;
}

describe("an agent of a pipeline", () => {
  it("has its calls in the trace of the run", async () => {
    const sdk = openSdk();
    const pipeline = shop();
    pipeline.workflow.use(sdk.telemetry);
    const output = await pipeline.run("How much is milk?");
    const spans = await sdk.spans();
    const chats = spans.filter(({ name }) => name === "chat mock-1");
    const samples = parsePrometheus(await sdk.metrics.text());

    expect(output.content).toBe("120 cents");
    expect(traceProblems(spans)).toEqual([]);
    expect(treeOf(spans).map((line) => line.trim())).toEqual(
      expect.arrayContaining(["run shop", "chat mock-1", "execute_tool price"]),
    );
    expect(chats).toHaveLength(2);
    expect(chats[1]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "mock",
      "gen_ai.request.model": "mock-1",
      "gen_ai.agent.name": "clerk",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
    });
    const tokens = samples.filter(({ name }) => name === "gen_ai_client_token_usage_sum");
    expect(tokens.map(({ labels, value }) => [labels["gen_ai_token_type"], value])).toEqual([
      ["input", 20],
      ["output", 10],
    ]);
    expect(samples.find(({ name }) => name === "gen_ai_client_operation_duration_count")?.value).toBe(2);
  });

  it("has a span around what it does, with its name, its session and the tokens of its calls", async () => {
    const sdk = openSdk();
    const pipeline = shop();
    pipeline.workflow.use(sdk.telemetry);
    await pipeline.run("How much is milk?", { sessionId: "s-1" });
    const spans = await sdk.spans();
    const agent = spans.find(({ name }) => name === "invoke_agent clerk");

    expect(spans.find(({ spanId }) => spanId === agent?.parentSpanId)?.name).toBe("step ask");
    expect(below(spans, agent)).toEqual(["chat mock-1", "chat mock-1", "execute_tool price"]);
    expect(agent?.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "mock",
      "gen_ai.request.model": "mock-1",
      "gen_ai.agent.name": "clerk",
      "gen_ai.agent.id": "clerk",
      "gen_ai.conversation.id": "s-1",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 20,
      "gen_ai.usage.output_tokens": 10,
      "millrace.agent.status": "completed",
    });
  });

  it("that leads a team is around its members, and counts its own calls", async () => {
    const sdk = openSdk();
    const member = new Agent({ name: "clerk", model: model(), tools: [price] });
    const task = { toolCallId: "call-2", toolName: "delegate_task_to_member" };
    const delegate = { ...task, type: "tool-call" as const, input: '{"member":"clerk","task":"milk"}' };
    const team = new Team({ name: "desk", model: model(delegate), members: [member] });
    await traced(sdk, new Pipeline({ name: "shop", steps: [team] })).run("How much is milk?");
    const spans = await sdk.spans();
    const agents = spans.filter(({ name }) => name.startsWith("invoke_agent"));
    const belowOf = (named: string) =>
      below(
        spans,
        agents.find(({ name }) => name === named),
      );
    const around = spans.find(
      ({ spanId }) => spanId === agents.find(({ name }) => name.endsWith("clerk"))?.parentSpanId,
    );

    expect(belowOf("invoke_agent desk")).toEqual([
      "chat mock-1",
      "chat mock-1",
      "execute_tool delegate_task_to_member",
    ]);
    expect(belowOf("invoke_agent clerk")).toEqual(["chat mock-1", "chat mock-1", "execute_tool price"]);
    expect(around?.name).toBe("execute_tool delegate_task_to_member");
    expect(agents.map(({ attributes }) => attributes["gen_ai.usage.input_tokens"])).toEqual([20, 20]);
  });

  it("has a span that failed where its model does, and one for each time that it is tried", async () => {
    const sdk = openSdk();
    const broken = new MockLanguageModelV4({
      modelId: "mock-1",
      provider: "mock",
      doGenerate: () => Promise.reject(new TypeError("no answer")),
      doStream: () => Promise.reject(new TypeError("no answer")),
    });
    const agent = new Agent({ name: "clerk", model: broken, maxRetries: 0 });
    const step = new Step({ name: "ask", executor: agent, maxRetries: 1 });
    const pipeline = traced(sdk, new Pipeline({ name: "shop", steps: [step] }));

    await expect(pipeline.run("How much is milk?")).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
    const spans = (await sdk.spans()).filter(({ name }) => name === "invoke_agent clerk");

    expect(spans).toHaveLength(2);
    expect(spans).toMatchObject([0, 1].map(() => ({ hasFailed: true, attributes: failed })));
    expect(spans[0]?.attributes).not.toHaveProperty(["gen_ai.usage.input_tokens"]);
  });

  it("that stands in front of a pipeline has one too", async () => {
    const sdk = openSdk();
    const agent = new PipelineAgent({ name: "host", model: model(text) });
    await traced(sdk, new Pipeline({ name: "shop", agent, steps: [] })).run("Hello");
    const tree = treeOf(await sdk.spans()).map((line) => line.trim());

    expect(tree).toEqual(expect.arrayContaining(["step converse", "invoke_agent host", "chat mock-1"]));
  });

  it("is reported once where another telemetry is in the process", async () => {
    const [own, other] = [openSdk(), openSdk()];
    const [pipeline, elsewhere] = [traced(own, shop()), traced(other, shop())];
    await pipeline.run("How much is milk?");
    await elsewhere.run("How much is milk?");

    expect(traceProblems(await own.spans())).toEqual([]);
    // In any order: what began in one millisecond has none.
    expect(treeOf(await own.spans()).sort()).toEqual(treeOf(await other.spans()).sort());
    const samples = parsePrometheus(await own.metrics.text());
    expect(samples.find(({ name }) => name === "gen_ai_client_operation_duration_count")?.value).toBe(2);
  });

  it("is traced by nobody where it does not run in a step", async () => {
    const sdk = openSdk();
    expect(sdk.telemetry.isActive).toBe(true);
    await new Agent({ name: "alone", model: model(), tools: [] }).run("How much is milk?").catch(() => {});

    expect(await sdk.spans()).toEqual([]);
  });
});
