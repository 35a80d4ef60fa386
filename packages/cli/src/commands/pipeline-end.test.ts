import { expect, it } from "vitest";
import { pipelineEnd } from "./pipeline-end.js";

const output = {
  ...{ status: "ERROR", content: "failed", sessionState: { count: 1 }, pipelineId: "article" },
  error: { stepName: "write", message: "no body", name: "TypeError", code: null, retryable: null },
  stepResults: [
    { stepName: "both", content: "## a", steps: [{ stepName: "a", content: "A" }] },
    { stepName: "edit", content: "one" },
    { stepName: "edit", content: "two", skipped: true },
    { stepName: "write", content: "no body", error: "no body", steps: [] },
  ],
};

it("the end of a pipeline is what its steps have made, by their names", () => {
  expect(pipelineEnd(output)).toEqual({
    status: "ERROR",
    error: { step: "write", message: "no body", code: null },
    session: { count: 1 },
    steps: { both: { a: "A" }, edit: "one", "edit 2": "(skipped)", write: { error: "no body" } },
    result: "failed",
  });
});

it("no other value is the end of a pipeline", () => {
  for (const value of [null, undefined, "a", { status: "done" }, { stepResults: [] }])
    expect(pipelineEnd(value)).toBeNull();
});
