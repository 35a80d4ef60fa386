import { describe, expect, it } from "vitest";
import { asAsked, askedAgainOptions, placeOfCall, readRequest } from "./asked-again.js";
import type { ModelCall } from "./model-call.js";

const call: ModelCall = {
  scope: "/@clerk",
  model: "mock/small",
  record: "full",
  instructions: "Be brief.",
  settings: { temperature: 0.2, seed: 1 },
  tools: [],
  toolChoice: null,
  messages: [
    { role: "user", content: "Which order?" },
    { role: "user", content: [{ type: "text", text: "The last one." }] },
    { role: "assistant", content: [{ type: "tool-call", toolName: "find", toolCallId: "t", input: {} }] },
  ],
  answer: [],
  finishReason: "stop",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0, cost: null, firstTokenMs: null },
};
const form = asAsked(call);

describe("the request of a call that is made again", () => {
  it("shows texts as texts, and other content as JSON", () => {
    expect(form.messages.map(({ text, isJson }) => [isJson, text.slice(0, 13)])).toEqual([
      [false, "Which order?"],
      [false, "The last one."],
      [true, JSON.stringify(call.messages[2]?.content, null, 2).slice(0, 13)],
    ]);
  });

  it("has nothing of what stays as it is", () => {
    expect(readRequest(call, form)).toEqual({ value: {}, broken: [] });
  });

  it("has the fields that differ, and of settings only those", () => {
    const settings = JSON.stringify({ temperature: 1, topP: 0.5 });

    expect(readRequest(call, { ...form, model: "big", instructions: "", settings }).value).toEqual({
      model: "big",
      instructions: null,
      settings: { temperature: 1, topP: 0.5, seed: null },
    });
  });

  it("has all messages once one differs, and leaves the content of the others", () => {
    const messages = form.messages.with(0, { role: "user", text: "All orders.", isJson: false });

    expect(readRequest(call, { ...form, messages }).value).toEqual({
      messages: [{ role: "user", content: "All orders." }, ...call.messages.slice(1)],
    });
  });

  it("has the messages that are left", () => {
    expect(readRequest(call, { ...form, messages: form.messages.slice(0, 1) }).value).toEqual({
      messages: call.messages.slice(0, 1),
    });
  });

  it.each(["{", "[]", "5", '"x"'])("says that the settings %s are none", (settings) => {
    expect(readRequest(call, { ...form, settings }).broken).toEqual(["settings"]);
  });

  it.each(["{", "{}", "null"])("says that %s is no content", (text) => {
    const messages = form.messages.with(2, { role: "assistant", text, isJson: true });

    expect(readRequest(call, { ...form, messages }).broken).toEqual([2]);
  });

  it("begins before the tick at which the call began", () => {
    const place = placeOfCall(3, { call: "/@clerk/run=m1", startedTick: 9 });

    expect(askedAgainOptions(place, { model: "big" })).toEqual({
      at: 8,
      override: { item: 3, call: "/@clerk/run=m1", value: { model: "big" } },
    });
  });
});
