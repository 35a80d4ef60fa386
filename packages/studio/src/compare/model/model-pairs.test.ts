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

it("matches the calls of a fork by their ids, and leaves out what was before it", () => {
  const one = sideOf("Be kind.", "yes");
  const two = sideOf("Be kind.", "no");
  const later = (side: ReturnType<typeof sideOf>, tick: number) => {
    const [entryOf, attemptOf] = [side.entries[0], side.attempts[0]];
    const call = { ...attemptOf?.calls[0], call: "/@x/run=m1", startedTick: tick, endedTick: tick } as never;
    const record = { ...entryOf, number: tick, tick: { ...entryOf?.tick, call: "/@x/run=m1" } } as never;
    return { call, record };
  };
  const [inA, inB] = [later(sideOf("Be kind.", "first"), 5), later(two, 2)];
  const a = {
    entries: [...one.entries, inA.record],
    attempts: [attempt("ask", 1, { calls: [...(one.attempts[0]?.calls ?? []), inA.call] })],
  };
  const b = { entries: [inB.record], attempts: [attempt("ask", 1, { calls: [inB.call] })] };

  expect(modelPairs(a, b, 4)).toEqual([
    { step: "ask", number: 2, texts: [{ title: "Answer", a: "assistant: first", b: "assistant: no" }] },
  ]);
});
