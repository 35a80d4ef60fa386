/** An agent in a pipeline: its calls of models and tools are in the trace of the run, with GenAI attributes. */
import { Agent, tool } from "@millrace/agents";
import { Pipeline, Step } from "@millrace/pipeline";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openSdk, traceProblems, treeOf } from "./support/sdk.js";
import { parsePrometheus } from "./support/values.js";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const call = { type: "tool-call" as const, toolCallId: "call-1", toolName: "price", input: '{"item":"milk"}' };
const text = { type: "text" as const, text: "120 cents" };

/** Asks for a tool first, and answers with what that gave. */
function model(): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    modelId: "mock-1",
    provider: "mock",
    doGenerate: async () => {
      const isFirst = calls++ === 0;
      const unified = isFirst ? ("tool-calls" as const) : ("stop" as const);
      return { content: [isFirst ? call : text], finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
    doStream: async () => {
      const isFirst = calls++ === 0;
      const unified = isFirst ? ("tool-calls" as const) : ("stop" as const);
      const parts = isFirst
        ? [call]
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
  const price = tool({
    name: "price",
    description: "The price of an item.",
    parameters: z.object({ item: z.string() }),
    execute: () => "120 cents",
  });
  const agent = new Agent({ name: "clerk", model: model(), tools: [price] });
  return new Pipeline({ name: "shop", steps: [new Step({ name: "ask", executor: agent })] });
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

  it("is traced by nobody where it does not run in a step", async () => {
    const sdk = openSdk();
    expect(sdk.telemetry.isActive).toBe(true);
    await new Agent({ name: "alone", model: model(), tools: [] }).run("How much is milk?").catch(() => {});

    expect(await sdk.spans()).toEqual([]);
  });
});
