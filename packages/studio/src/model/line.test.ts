import type { HistoryEntry } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { entry, namingWith } from "../../test/support/ticks.js";
import { CallLabels } from "./call-labels.js";
import { lineOf } from "./log-entry-text.js";

const labelsOf = (...entries: HistoryEntry[]) => {
  const labels = new CallLabels();
  for (const one of entries) labels.record(one);
  return labels;
};
const facts = { runId: "r", naming: namingWith("write: gather") };
const of = (given: HistoryEntry) => lineOf(given, { ...facts, labels: labelsOf(given) });

describe("lineOf", () => {
  it.each([
    ["run.started", { event: { type: "Claim" } }, "Run starts", "Claim"],
    ["run.forked", { from: { runId: "o", tick: 3 } }, "Fork begins after tick 3", null],
    ["run.cancelled", { by: { user: "ada", door: "chat" } }, "Run is cancelled by ada through chat", null],
    ["run.resumed", { by: { door: "mcp" } }, "Run resumes through mcp", null],
    ["step.completed", { step: "find", item: 1, output: { type: "Found" } }, "find completed", "Found"],
    ["step.completed", { step: "find", item: 1, output: null }, "find completed", null],
    ["wait.opened", { step: "pay", item: 1, prompt: null, accepts: ["Paid"] }, "pay waits", "Paid"],
    ["wait.opened", { step: "pay", item: 1, prompt: { type: "Ask" }, accepts: ["Paid"] }, "pay asks, and waits", "Ask"],
    ["event.received", { event: { type: "Paid" }, promptId: null }, "Event received", "Paid"],
    ["event.received", { event: { type: "Paid" }, promptId: "r:1" }, "Answer received", "Paid"],
    [
      "event.received",
      { event: { type: "Paid" }, promptId: "r:1", by: { user: "ada", door: "http" } },
      "Answer received from ada through http",
      "Paid",
    ],
    ["effect.recorded", { step: "pay", item: 1, call: "run=charge" }, "pay did “charge” once", null],
    ["effect.opened", { step: "pay", item: 1, call: "run=charge", label: "Charge it" }, "pay does “Charge it”", null],
    ["effect.recorded", { step: "pay", item: 1, call: "/@a%2Fb/run=charge" }, "pay did “a/b › charge” once", null],
    [
      "effect.opened",
      { step: "pay", item: 1, call: "run=charge", callAttempt: 2 },
      "pay does “charge”, attempt 2",
      null,
    ],
    ["effect.failed", { step: "pay", item: 1, call: "run=charge", retryAtMs: 5 }, "“charge” of pay failed", null],
    ["state.edited", { step: null }, "The caller edited state", null],
    ["stream.written", { step: null, origin: "quote", event: { type: "Quoting" } }, "quote streamed", "Quoting"],
    [
      "child.opened",
      { step: "book", item: 1, name: "quote", start: { type: "Quote" } },
      "book started child quote",
      "Quote",
    ],
    ["a.new.one", {}, "a.new.one", null],
  ])("%s %o is a sentence", (type, fields, text, event) => {
    expect(of(entry(1, type, fields))).toMatchObject({ text, event });
  });

  it("has nothing of the events by which a pipeline runs", () => {
    const ended = (type: string) => of(entry(1, "step.completed", { step: "edit", item: 1, output: { type } }));

    expect(ended("pipeline.enter 1 publish")).toMatchObject({ text: "edit completed", kind: "steps", event: null });
    expect(ended("pipeline.ask 1 edit").kind).toBe("housekeeping");
  });

  it("says how a pipeline begins and ends; only the step that failed is a failure", () => {
    const naming = namingWith("begin", "finish", "caught");
    const ofPipeline = (type: string, fields: Record<string, unknown>) =>
      lineOf(entry(1, type, fields), { runId: "r", naming, labels: labelsOf() });
    const error = { name: "WorkflowError", code: "PIPELINE_FAILED", message: "Run r has failed" };

    expect(ofPipeline("step.completed", { step: "begin", item: 1 }).text).toBe("The pipeline begins");
    expect(ofPipeline("step.completed", { step: "finish", item: 1 })).toMatchObject({
      text: "The pipeline ends",
      kind: "housekeeping",
    });
    expect(ofPipeline("step.failed", { step: "caught", item: 1, error })).toMatchObject({
      text: "The pipeline fails",
      kind: "housekeeping",
      isFailure: false,
    });
  });

  it("has of a pipeline the changes that its author knows", () => {
    const output = { function: "edit", content: "an edit", stepId: "1" };
    const changes = [
      { path: ["visits"], new: 4 },
      { path: ["session", "edits"], new: 1 },
      { path: ["frames", "0", "outputs", 0, 1], new: output },
      { path: ["frames", "0/2@3"], new: { outputs: [[{ ...output, skipped: true }, null]] } },
      { path: ["nested", "r/2", "frames", "0", "outputs", 0], new: [{ ...output, stepName: "plan" }] },
    ];
    const loop = { stepType: "Loop", stepName: "polish", steps: [{ ...output, content: "a first edit" }, output] };
    const closed = [{ path: ["frames", "0", "outputs", 0, 2], new: { ...loop, content: "2 iterations" } }];
    const completed = entry(1, "step.completed", { step: "edit", item: 1, changes });

    expect(lineOf(completed, { ...facts, labels: labelsOf(), isPipeline: true }).changes).toEqual([
      { path: ["session", "edits"], new: 1 },
      { path: ["outputs", "edit"], new: "an edit" },
      { path: ["outputs", "plan"], new: "an edit" },
    ]);
    expect(of(completed).changes).toEqual(changes);
    const ofPipeline = (step: string, given: HistoryEntry["changes"], type = "step.completed") =>
      lineOf(entry(1, type, { step, item: 1, ...(given && { changes: given }) }), {
        ...facts,
        labels: labelsOf(),
        isPipeline: true,
      });
    expect(ofPipeline("edit", closed).changes).toEqual([{ path: ["outputs", "edit"], new: "an edit" }]);
    expect(ofPipeline("write: gather", closed).changes).toEqual([]);
    expect(ofPipeline("edit", [{ path: ["discarded", 0], new: {} }], "state.edited").kind).toBe("housekeeping");
  });

  it("has the label of a call, which only its first tick has", () => {
    const pay = { step: "pay", item: 1, call: "/@bank/run=charge" };
    const opened = entry(1, "effect.opened", { ...pay, label: "Charge the card" });
    const failed = entry(2, "effect.failed", { ...pay, retryAtMs: 5 });
    const recorded = entry(3, "effect.recorded", { ...pay, callAttempt: 2 });
    const labels = labelsOf(opened, failed, recorded);
    const lines = [opened, failed, recorded, { ...recorded, item: 2 }, { ...recorded, runId: "r/1" }];

    expect(lines.map((one) => lineOf(one, { ...facts, labels }).text)).toEqual([
      "pay does “Charge the card”",
      "“Charge the card” of pay failed",
      "pay did “Charge the card” once",
      "pay did “bank › charge” once",
      "pay did “bank › charge” once",
    ]);
  });

  it("counts the events of a fan-out", () => {
    const output = [{ type: "Leg" }, { type: "Leg" }, { type: "Leg" }];

    expect(of(entry(1, "step.completed", { step: "plan", item: 1, output })).event).toBe("Leg ×3");
  });

  it("distinguishes a failure that is tried again from one that is final, and what was thrown", () => {
    const failed = { step: "load", item: 3, attempt: 2, error: { name: "Error", message: "no paper" } };

    const again = of(entry(1, "step.failed", { ...failed, retryAtMs: 5 }));
    const final = of(entry(2, "step.failed", { ...failed, retryAtMs: null }));

    expect(again).toMatchObject({
      text: "load failed, attempt 2",
      icon: "retry",
      isFailure: true,
      message: "no paper",
    });
    expect(final).toMatchObject({ icon: "failed", isFailure: true });
  });

  it("a question and its answer are stops; a wait for an event is none", () => {
    expect(of(entry(1, "wait.opened", { step: "a", item: 1, prompt: { type: "Ask" } })).isQuestion).toBe(true);
    expect(of(entry(2, "event.received", { event: { type: "Yes" }, promptId: "r:1" })).isQuestion).toBe(true);
    expect(of(entry(3, "wait.opened", { step: "a", item: 1, prompt: null, accepts: ["X"] })).isQuestion).toBe(false);
  });

  it("housekeeping: idling, timers, and steps that only move a pipeline on, unless they fail", () => {
    const inner = { step: "write: gather", item: 8 };

    expect(of(entry(1, "run.idled")).kind).toBe("housekeeping");
    expect(of(entry(2, "time.passed")).kind).toBe("housekeeping");
    expect(of(entry(3, "step.completed", { ...inner, output: null })).kind).toBe("housekeeping");
    expect(of(entry(4, "step.failed", { ...inner, error: { message: "no" } })).kind).toBe("steps");
    expect(of(entry(5, "step.completed", { ...inner, runId: "r/2", output: null })).kind).toBe("steps");
  });
});
