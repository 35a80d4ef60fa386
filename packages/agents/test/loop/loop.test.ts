import { PieceReader, PiecesEvent } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentPart, tool } from "../../src/index.js";
import { answers, calls, says, toolMessages } from "../support/turns.js";

const look = tool({
  name: "look",
  description: "Looks something up.",
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => `seen ${q}`,
});

it("asks, makes the calls, and asks again until the model has answered", async () => {
  const model = answers(calls(["look", { q: "a" }], ["look", { q: "b" }]), says("Both seen."));
  const agent = new Agent({ name: "Scout", model, tools: [look], instructions: "Look twice." });

  const result = await agent.workflow.run({ input: "go" });

  expect(result).toMatchObject({ content: "Both seen.", agent: "Scout", finishReason: "stop" });
  expect(result.metrics).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  expect(model.doStreamCalls).toHaveLength(2);
  expect(toolMessages(model.doStreamCalls[1]!)).toEqual([
    ["call", expect.any(String), "look", { q: "a" }],
    ["call", expect.any(String), "look", { q: "b" }],
    ["result", expect.any(String), { type: "text", value: "seen a" }],
    ["result", expect.any(String), { type: "text", value: "seen b" }],
  ]);
});

it("shows texts, calls and results as parts, each of its call", async () => {
  const agent = new Agent({
    name: "Scout",
    model: answers(calls(["look", { q: "a" }, "c1"]), says("Seen it.")),
    tools: [look],
  });

  const shown = await agent.workflow.run({ input: "go" }).streamEvents().toArray();

  const reader = new PieceReader();
  const parts = shown.flatMap(({ event, call, writer }) => {
    const pieces = PiecesEvent.is(event) ? (reader.take(event, writer)?.pieces ?? []) : [];
    return pieces.map((part) => [call, part as AgentPart] as const);
  });
  const text = parts.flatMap(([call, part]) => (call === "/@scout/run=m1" && part.type === "text" ? part.text : []));
  expect(text.join("")).toBe("Seen it.");
  expect(parts.filter(([, { type }]) => type !== "text")).toEqual([
    ["/@scout/run=m0", { type: "agent", name: "Scout" }],
    ["/@scout/run=m0", { type: "tool-call", toolCallId: "c1", toolName: "look", input: { q: "a" } }],
    ["/@scout/run=m0", { type: "end", finishReason: "tool-calls", inputTokens: 10, outputTokens: 5 }],
    ["/@scout/@m0.c0/run=call", { type: "tool-result", toolCallId: "c1", output: "seen a" }],
    ["/@scout/run=m1", { type: "end", finishReason: "stop", inputTokens: 10, outputTokens: 5 }],
  ]);
});
