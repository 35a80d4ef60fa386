import { expect, it } from "vitest";
import { factsOf } from "./diff.js";
import { differencesOf } from "./differences.js";

const completed = { type: "step.completed", item: 1, atMs: 5, elapsedMs: 3, output: { type: "Done", data: { n: 1 } } };

it("two runs of one input do not differ by how long their attempts have worked, or by who has asked", () => {
  const other = { ...completed, atMs: 70, elapsedMs: 61, by: { user: "ada", door: "http" } };

  expect(differencesOf(factsOf(completed, "a"), factsOf(other, "b"))).toEqual([]);
});

it("two runs differ by a field of an event that is called `elapsedMs`", () => {
  const withField = (elapsedMs: number) => ({ ...completed, output: { type: "Done", data: { elapsedMs } } });

  expect(differencesOf(factsOf(withField(1), "a"), factsOf(withField(2), "b"))).toHaveLength(1);
});

it("two runs differ by neither their own ids nor the times of the steps of a pipeline", () => {
  const tickOf = (runId: string, duration: number) => ({
    type: "step.completed",
    output: { type: "Saved", data: { file: "a.txt", by: runId, duration: 5 } },
    shown: [{ type: "pipeline.shown", data: { afterMs: duration, output: { stepId: "0", content: "x", duration } } }],
  });

  expect(differencesOf(factsOf(tickOf("a", 1), "a"), factsOf(tickOf("b", 2), "b"))).toEqual([]);
  const other = { ...tickOf("b", 2), output: { type: "Saved", data: { file: "a.txt", by: "b", duration: 6 } } };
  expect(differencesOf(factsOf(tickOf("a", 1), "a"), factsOf(other, "b"))).toHaveLength(1);
});

it("two runs that fail in the same way do not differ by the stack of the error, or by their ids in its message", () => {
  const failed = (runId: string, turn: string) => ({
    type: "step.failed",
    error: { name: "TypeError", message: `Run "${runId}/4" has failed`, stack: `TypeError: no\n    at ${turn}` },
  });

  expect(differencesOf(factsOf(failed("a", "x"), "a"), factsOf(failed("b", "y"), "b"))).toEqual([]);
  const state = (stack: string) => ({ type: "state.edited", value: { stack } });
  expect(differencesOf(factsOf(state("x"), "a"), factsOf(state("y"), "b"))).toHaveLength(1);
});
