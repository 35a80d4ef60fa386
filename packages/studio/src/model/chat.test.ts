import { describe, expect, it } from "vitest";
import { chatsOf, messageOf } from "./chat.js";

describe("chatsOf", () => {
  it("finds messages wherever they are kept, with the name, the tokens and the cost of their agent", () => {
    const messages = [
      { role: "user", content: "Ten mills?" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "tool-call", toolName: "find", input: { n: 10 } },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", toolName: "find", output: { type: "json", value: [1, 2] } }] },
    ];
    const metrics = { inputTokens: 120, outputTokens: 30, totalTokens: 150, duration: 1, cost: 0.002 };
    const state = { frames: { 0: { outputs: [{ executorName: "researcher", metrics, messages }] } } };

    expect(chatsOf(state)).toEqual([
      {
        title: "researcher",
        usage: { inputTokens: 120, outputTokens: 30, cost: 0.002 },
        messages: [
          { role: "user", parts: [{ kind: "text", text: "Ten mills?", name: null }] },
          {
            role: "assistant",
            parts: [
              { kind: "text", text: "Looking.", name: null },
              { kind: "call", text: '{"n":10}', name: "find" },
            ],
          },
          { role: "tool", parts: [{ kind: "result", text: "[1,2]", name: "find" }] },
        ],
      },
    ]);
  });

  it("finds none in other lists, and says nothing of uncounted tokens", () => {
    expect(chatsOf({ list: [{ role: "admin", content: "x" }], other: [1], messages: [] })).toEqual([]);
    expect(chatsOf({ messages: [{ role: "user", content: "Hi" }] })).toEqual([
      {
        title: "Messages",
        usage: null,
        messages: [{ role: "user", parts: [{ kind: "text", text: "Hi", name: null }] }],
      },
    ]);
    expect(chatsOf(null)).toEqual([]);
  });
});

it("says which tool a person is asked to permit, in words", () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "refund", input: { euros: 8 } };
  const asked = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
  const { parts } = messageOf({ role: "assistant", content: [call, asked, { ...asked, toolCallId: "other" }] });
  expect(parts.map(({ text }) => text)).toEqual([
    '{"euros":8}',
    "A person is asked for permission to use refund.",
    "A person is asked for permission.",
  ]);
});
