import { describe, expect, it } from "vitest";
import { attempt, entry, msAt } from "../../test/support/ticks.js";
import { conversationsOf, itemCallsOf } from "./item-calls.js";

const look = { name: "look", description: "Looks.", schema: { type: "object" } };
const metrics = { inputTokens: 10, outputTokens: 5, cost: 0.002, timeToFirstToken: 0.4 };

function reportOf(call: string, tick: number, label?: string) {
  const atMs = msAt(tick * 10);
  const facts = {
    startedAtMs: atMs,
    startedTick: tick,
    endedAtMs: atMs + 5,
    endedTick: tick,
    attempts: 1,
    error: null,
  };
  return { call, ...facts, status: "completed" as const, ...(label !== undefined && { label }) };
}

/** Calls of item 1, recorded at ticks from 2 on. */
function callsOf(records: readonly (readonly [call: string, value: unknown])[], start: object = {}) {
  const entries = records.map(([call, value], index) =>
    entry(index + 2, "effect.recorded", { item: 1, step: "ask", call, value: { json: value } }),
  );
  const calls = records.map(([call], index) => reportOf(call, index + 2));
  const begin = entry(1, "run.started", { event: { type: "Start", data: start } });
  return itemCallsOf({ entries: [begin, ...entries], attempts: [attempt("ask", 1, { calls })] });
}

const asked = (toolCallId: string, input: object) => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "look", input }],
});

describe("the calls of an agent", () => {
  const request = {
    model: "mock/m",
    instructions: "Be kind.",
    settings: { temperature: 0 },
    tools: [look],
    toolChoice: null,
  };
  const records = [
    [
      "/@scout/run=m0",
      { asked: request, messages: [asked("t1", { q: "rivers" })], finishReason: "tool-calls", metrics },
    ],
    ["/@scout/@m0.c0/run=call", { output: "wide" }],
    [
      "/@scout/run=m1",
      { asked: {}, messages: [{ role: "assistant", content: "Wide." }], finishReason: "stop", metrics },
    ],
  ] as const;

  it("have the whole request, though a record holds only what is new", () => {
    const [first, tool, second] = callsOf(records, { input: "How wide?" });

    expect(first?.model).toMatchObject({
      instructions: "Be kind.",
      model: "mock/m",
      tools: [look],
      messages: [{ role: "user", content: "How wide?" }],
      usage: { inputTokens: 10, cost: 0.002, firstTokenMs: 400 },
    });
    expect(tool).toMatchObject({ model: null, input: { q: "rivers" }, output: "wide" });
    expect(second?.model).toMatchObject({
      instructions: "Be kind.",
      settings: { temperature: 0 },
      finishReason: "stop",
    });
    expect(second?.model?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("are one conversation, with its usage", () => {
    const [chat, ...others] = conversationsOf(callsOf(records, { input: "How wide?" }));

    expect(others).toEqual([]);
    expect(chat?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant"]);
    expect(chat).toMatchObject({ title: "scout", usage: { inputTokens: 20, outputTokens: 10, cost: 0.004 } });
  });

  it("say how much of the request was recorded", () => {
    const [first] = callsOf([
      ["/@scout/run=m0", { asked: { record: "off" }, messages: [], finishReason: "stop", metrics }],
    ]);

    expect(first?.model).toMatchObject({ record: "off", instructions: null, tools: [] });
  });
});

describe("the calls of a loop of the AI SDK", () => {
  const tools = [{ type: "function", name: "look", description: "Looks.", inputSchema: { type: "object" } }];
  const prompt = [
    { role: "system", content: "Be kind." },
    { role: "user", content: [{ type: "text", text: "go" }] },
  ];
  const usage = { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 5, reasoning: 2 } };
  const finish = { finishReason: { unified: "stop" }, usage };

  it("are read from whole answers and from streamed ones", () => {
    const call = { type: "tool-call", toolCallId: "t1", toolName: "look", input: '{"q":"a"}' };
    const parts = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "All " },
      { type: "text-delta", id: "0", delta: "seen." },
      { type: "finish", ...finish },
    ];
    const [first, tool, second] = callsOf([
      ["/@loop/run=m0", { asked: { prompt, tools, temperature: 0.2 }, made: { content: [call], ...finish } }],
      ["/@loop/run=call%2Ft1", { output: "seen a" }],
      ["/@loop/run=m1", { asked: {}, parts, timeToFirstToken: 0.25 }],
    ]);

    expect(first?.model).toMatchObject({
      instructions: "Be kind.",
      settings: { temperature: 0.2 },
      tools: [{ name: "look", schema: { type: "object" } }],
      usage: { inputTokens: 10, cacheReadTokens: 4, reasoningTokens: 2, cost: null },
    });
    expect(tool).toMatchObject({ input: { q: "a" }, output: "seen a" });
    expect(second?.model).toMatchObject({
      answer: [{ role: "assistant", content: [{ type: "text", text: "All seen." }] }],
      usage: { firstTokenMs: 250 },
    });
    expect(second?.model?.messages.at(-1)).toMatchObject({ role: "tool" });
  });
});

it("other calls have their output, and those of other items are left out", () => {
  const mail = reportOf("run=mail", 2, "Write a mail");
  const entries = [
    entry(2, "effect.recorded", { item: 1, call: "run=mail", value: { json: { sent: 1 } } }),
    entry(3, "effect.recorded", { item: 2, call: "run=mail", value: { json: { sent: 2 } } }),
  ];

  expect(itemCallsOf({ entries, attempts: [attempt("pay", 1, { calls: [mail] })] })).toMatchObject([
    { label: "Write a mail", output: { sent: 1 }, model: null, tick: 2 },
  ]);
});

describe("a call of a model that has failed", () => {
  const failed = { ...reportOf("/@scout/run=m1", 5, "mock/m"), status: "failed" as const };
  const callsWith = (call: ReturnType<typeof reportOf> | typeof failed) => {
    const request = { model: "mock/m", instructions: "Be kind.", settings: { temperature: 0 }, tools: [look] };
    const value = { asked: request, messages: [asked("t1", { q: "rivers" })], finishReason: "tool-calls", metrics };
    const record = entry(2, "effect.recorded", {
      item: 1,
      step: "ask",
      call: "/@scout/run=m0",
      value: { json: value },
    });
    const begin = entry(1, "run.started", { event: { type: "Start", data: { input: "How wide?" } } });
    const calls = [reportOf("/@scout/run=m0", 2, "mock/m"), call];
    return itemCallsOf({ entries: [begin, record], attempts: [attempt("ask", 1, { calls })] });
  };

  it("has the request that follows from the calls before it", () => {
    expect(callsWith(failed)[1]).toMatchObject({
      status: "failed",
      startedTick: 5,
      model: {
        record: "none",
        model: "mock/m",
        instructions: "Be kind.",
        settings: { temperature: 0 },
        messages: [{ role: "user", content: "How wide?" }, asked("t1", { q: "rivers" })],
        answer: [],
      },
    });
  });

  it("is none where its name or its label is that of another call", () => {
    expect(callsWith({ ...failed, call: "/@scout/run=mail" })[1]?.model).toBeNull();
    expect(callsWith(reportOf("/@scout/run=m1", 5, "A mail"))[1]?.model).toBeNull();
    expect(callsWith(reportOf("/@other/run=m1", 5, "mock/m"))[1]?.model).toBeNull();
  });
});
