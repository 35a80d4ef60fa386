import { describe, expect, it } from "vitest";
import { attempt, entry, namingWith } from "../../test/support/ticks.js";
import { attemptsOf, contentOfTick, eventsOf, failureOf, outputOf, resultOf, startOf, subjectOf } from "./run-data.js";

const event = (type: string, data: object) => ({ type, data });

describe("startOf", () => {
  it("is the input of the run, as callers write it", () => {
    const claim = event("Claim", { order: "A-17" });
    const request = { input: "mills", sessionId: "s", userId: null, media: {} };

    expect(startOf(entry(1, "run.started", { event: claim }))).toEqual({ type: "Claim", value: { order: "A-17" } });
    expect(startOf(entry(1, "run.started", { event: event("pipeline.start", { request }) }))).toEqual({
      type: null,
      value: { input: "mills", session_id: "s" },
    });
    const none = { input: "mills", sessionId: "", userId: "" };
    expect(startOf(entry(1, "run.started", { event: event("pipeline.start", { request: none }) }))?.value).toEqual({
      input: "mills",
    });
    expect(startOf(entry(2, "event.received", { event: claim }))).toBeNull();
  });
});

describe("resultOf", () => {
  it("is the content of a pipeline, with the rest beside it", () => {
    const whole = { pipelineId: "article", content: "An article", stepResults: [], images: [] };

    expect(resultOf(whole)).toEqual({ value: "An article", whole });
    expect(resultOf({ content: "An article" })).toEqual({ value: { content: "An article" }, whole: null });
  });
});

describe("outputOf", () => {
  const outputOfStep = (fields: object) => outputOf({ type: "step.completed", ...fields });

  it("is an event, or a list of the fields of equal events", () => {
    expect(outputOfStep({ output: event("Rows", { count: 2 }) })).toEqual({ type: "Rows", value: { count: 2 } });
    expect(outputOfStep({ output: [event("Row", { n: 1 }), event("Row", { n: 2 })] })).toEqual({
      type: "Row",
      value: [{ n: 1 }, { n: 2 }],
    });
    expect(outputOfStep({ output: [event("A", { n: 1 }), event("B", {})] })).toEqual({
      type: null,
      value: [
        { type: "A", data: { n: 1 } },
        { type: "B", data: {} },
      ],
    });
    expect(outputOfStep({ output: null })).toBeNull();
  });

  it("of a step of a pipeline is its content, and not where the run continues", () => {
    const output = event("pipeline.enter 1 sketch", { visit: 2 });

    expect(outputOfStep({ output, shown: [event("pipeline.shown", { output: { content: "notes" } })] })).toEqual({
      type: null,
      value: "notes",
    });
    expect(outputOfStep({ output, shown: [] })).toBeNull();
  });
});

describe("contentOfTick", () => {
  it("is what came in, was written or asked, or the value of a call", () => {
    const progress = event("Progress", { done: 1 });

    expect(contentOfTick(entry(3, "stream.written", { event: progress }))?.value).toEqual({ done: 1 });
    expect(contentOfTick(entry(3, "wait.opened", { prompt: progress }))?.type).toBe("Progress");
    expect(contentOfTick(entry(3, "effect.recorded", { value: { json: 7 } }))).toEqual({ type: null, value: 7 });
    expect(contentOfTick(entry(3, "run.idled"))).toBeNull();
  });
});

describe("eventsOf", () => {
  it("are those that a run dispatched up to a tick, whatever way", () => {
    const row = (n: number) => event("Row", { n });
    const entries = [
      entry(1, "step.completed", { output: [row(1), event("Other", {})] }),
      entry(2, "step.completed", { sends: [{ event: row(2) }] }),
      entry(3, "stream.written", { event: row(3) }),
      entry(4, "event.received", { event: row(4), runId: "r/1" }),
      entry(5, "event.received", { event: row(5) }),
    ];

    expect(eventsOf(entries, { type: "Row", runId: "r", tick: 4 })).toEqual([{ n: 1 }, { n: 2 }]);
    expect(eventsOf(entries, { type: "Row", runId: "r", tick: 5 })).toEqual([{ n: 1 }, { n: 2 }, { n: 5 }]);
  });
});

describe("failureOf", () => {
  it("has the stack where the tick has it", () => {
    const error = { name: "TypeError", message: "no", stack: "TypeError: no\n    at read" };

    expect(failureOf({ type: "step.failed", error })).toEqual({ ...error, code: null });
    expect(failureOf({ type: "step.failed", error: { message: "no" } })).toMatchObject({ name: "Error", stack: null });
    expect(failureOf({ type: "step.completed" })).toBeNull();
  });
});

describe("the item that is shown", () => {
  const attempts = [attempt("find", 1), attempt("read", 2), attempt("read", 3), attempt("ask", 3, { runId: "r/2" })];
  const facts = { attempts, naming: namingWith(), runId: "r", step: null, item: null, tick: 9 };
  const at = entry(9, "step.completed", { step: "find", item: 1 });

  it("is the chosen one, that of the tick, or the last of the chosen step that had begun", () => {
    expect(subjectOf({ ...facts, entry: at, item: { runId: "r", item: 2 } })).toEqual({ runId: "r", item: 2 });
    expect(subjectOf({ ...facts, entry: at })).toEqual({ runId: "r", item: 1 });
    expect(subjectOf({ ...facts, entry: at, step: "read" })).toEqual({ runId: "r", item: 3 });
    expect(subjectOf({ ...facts, entry: at, step: "read", tick: 3 })).toEqual({ runId: "r", item: 2 });
    expect(subjectOf({ ...facts, entry: entry(1, "run.started") })).toBeNull();
    expect(subjectOf({ ...facts, entry: at, step: "load" })).toBeNull();
    expect(subjectOf({ ...facts, entry: at, step: "ask" })).toEqual({ runId: "r/2", item: 3 });
  });

  it("has its attempts, and the other items of its step in the same run", () => {
    const again = attempt("read", 2, { attempt: 2, startedTick: 5 });
    const { own, items } = attemptsOf([...attempts, again], { runId: "r", item: 2 });

    expect(own.map((one) => one.attempt)).toEqual([1, 2]);
    expect(items.map((one) => [one.item, one.attempt])).toEqual([
      [2, 2],
      [3, 1],
    ]);
  });
});
