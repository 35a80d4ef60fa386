import { describe, expect, it } from "vitest";
import { invariant, WorkflowError } from "./workflow-error.js";

const failed = new WorkflowError({
  code: "STEP_TIMEOUT",
  message: 'Step "judge" ran for 30 ms.',
  hint: "Raise `timeout`.",
  details: { step: "judge" },
  cause: new Error("inner"),
});

describe("WorkflowError", () => {
  it("is distinguished from other errors, and by its code", () => {
    expect(WorkflowError.is(failed)).toBe(true);
    expect(WorkflowError.is(failed, "STEP_TIMEOUT")).toBe(true);
    expect(WorkflowError.is(failed, "STEP_FAILED")).toBe(false);
    expect(WorkflowError.is(new Error("x"))).toBe(false);
    expect(WorkflowError.is(null)).toBe(false);
  });

  it("is not recognized in JSON that looks like it", () => {
    expect(WorkflowError.is(JSON.parse(JSON.stringify(failed)))).toBe(false);
  });

  it("is recognized when another installed copy made it", () => {
    const foreign = Object.defineProperty(new Error("x"), Symbol.for("millrace.error"), { value: true });

    expect(WorkflowError.is(foreign)).toBe(true);
  });

  it("returns JSON without stack and cause", () => {
    expect(JSON.parse(JSON.stringify(failed))).toEqual({
      code: "STEP_TIMEOUT",
      message: 'Step "judge" ran for 30 ms.',
      hint: "Raise `timeout`.",
      details: { step: "judge" },
    });
  });

  it("has no `cause` when none is given", () => {
    expect("cause" in new WorkflowError({ code: "INTERNAL", message: "m", hint: "h" })).toBe(false);
  });
});

describe("invariant", () => {
  it("throws INTERNAL when the condition does not hold", () => {
    expect(() => invariant(false, "a run has a state")).toThrow(expect.objectContaining({ code: "INTERNAL" }));
    expect(() => invariant(1, "a run has a state")).not.toThrow();
  });
});
