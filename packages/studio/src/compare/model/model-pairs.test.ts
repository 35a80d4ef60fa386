import { expect, it } from "vitest";
import { attempt, entry } from "../../../test/support/ticks.js";
import { modelPairs } from "./model-pairs.js";

const sideOf = (instructions: string, text: string) => {
  const asked = { model: "m", instructions, settings: {}, tools: [], messages: [{ role: "user", content: "go" }] };
  const metrics = { inputTokens: 1, outputTokens: 1, timeToFirstToken: Math.random() };
  const value = { json: { asked, messages: [{ role: "assistant", content: text }], finishReason: "stop", metrics } };
  const call = {
    call: "/@x/run=m0",
    startedAtMs: 1,
    startedTick: 2,
    endedAtMs: 2,
    endedTick: 2,
    status: "completed",
    attempts: 1,
    error: null,
  } as const;
  return {
    entries: [entry(2, "effect.recorded", { step: "ask", item: 1, call: call.call, value })],
    attempts: [attempt("ask", 1, { calls: [call] })],
  };
};

it("says in which texts two model calls differ, and nothing of their times", () => {
  expect(modelPairs(sideOf("Be kind.", "yes"), sideOf("Be kind.", "yes"))).toEqual([]);
  expect(modelPairs(sideOf("Be kind.", "yes"), sideOf("Be strict.", "no"))).toEqual([
    {
      step: "ask",
      number: 1,
      texts: [
        { title: "Instructions", a: "Be kind.", b: "Be strict." },
        { title: "Answer", a: "assistant: yes", b: "assistant: no" },
      ],
    },
  ]);
});

it("has the calls that only one run has made", () => {
  const [pair] = modelPairs(sideOf("Be kind.", "yes"), { entries: [], attempts: [] });

  expect(pair?.texts.map(({ title, b }) => [title, b])).toContainEqual(["Answer", ""]);
});
