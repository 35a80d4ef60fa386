import { image } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { isExecutorResult, isRunEvent, toOutput } from "./function-result.js";
import { executionsOf, runMetrics } from "./metrics.js";
import { createOutput, stepOutput } from "./step-output.js";

const metrics = { inputTokens: 10, outputTokens: 5, totalTokens: 15, duration: 0.5 };
const result = { runId: "run-1", content: "report", metrics, status: "COMPLETED" };

describe("toOutput", () => {
  it("takes a step output as it is", () => {
    const output = toOutput(stepOutput({ content: "x", stop: true }));

    expect(output).toMatchObject({ content: "x", stop: true });
  });

  it.each([["text"], [5], [0], [false], [[1, 2]], [{ k: 1 }], [null], [{ content: "x", runId: "5", status: "ok" }]])(
    "keeps %o as content",
    (value) => {
      expect(toOutput(value).content).toBe(value);
    },
  );

  it("has no content for a function that returned nothing", () => {
    expect(toOutput(undefined).success).toBe(true);
    expect(toOutput(undefined).content).toBeUndefined();
  });

  it("takes content, media, metrics and run id from the result of a run", () => {
    const output = toOutput({ ...result, images: [image({ filepath: "a" })], files: null });

    expect(output).toMatchObject({
      content: "report",
      stepRunId: "run-1",
      metrics,
      images: [{ filepath: "a" }],
      files: [],
      success: true,
    });
  });

  it.each([
    [{ ...result, status: "ERROR", error: new Error("no model") }, "no model"],
    [{ ...result, status: "ERROR", error: "quota" }, "quota"],
    [{ ...result, status: "ERROR", error: null, content: "no key" }, "no key"],
    [{ ...result, status: "CANCELLED", content: undefined }, "The run ended with CANCELLED."],
  ])("is a failure when the run failed: %o", (failed, error) => {
    expect(toOutput(failed)).toMatchObject({ success: false, error });
  });

  it("leaves out metrics of another shape", () => {
    expect(toOutput({ ...result, metrics: { duration: 1, tokens: 5 } }).metrics).toBeNull();
    expect(toOutput({ ...result, metrics: null }).metrics).toBeNull();
  });

  it("sums the metrics of a pipeline's run, whose own time counts, and keeps its steps", () => {
    const step = createOutput({ stepName: "search", executorType: "agent", metrics });
    const run = runMetrics(executionsOf([step, step]), 3);

    const output = toOutput({ ...result, metrics: run, stepResults: [step] });

    expect(output).toMatchObject({ metrics: { totalTokens: 30, duration: 3 }, steps: [{ stepName: "search" }] });
  });
});

describe("isExecutorResult and isRunEvent", () => {
  it("distinguishes results, events and data", () => {
    const event = { event: "RunContent", runId: "run-1", content: "x", metrics: null };

    expect([isExecutorResult(result), isRunEvent(result)]).toEqual([true, false]);
    expect([isExecutorResult(event), isRunEvent(event)]).toEqual([false, true]);
    expect(isRunEvent({ event: "CustomEvent", progress: 1 })).toBe(true);
    expect(isRunEvent({ event: "WorkflowStarted", createdAt: 1 })).toBe(true);
    expect([isExecutorResult({ runId: "r", content: "x" }), isRunEvent({ event: "birthday" })]).toEqual([false, false]);
    expect([isExecutorResult(null), isRunEvent("x")]).toEqual([false, false]);
  });
});
