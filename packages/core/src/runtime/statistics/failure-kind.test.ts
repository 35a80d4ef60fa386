import { describe, expect, it } from "vitest";
import type { ErrorRecord } from "../../value/error-record.js";
import { failedStepOf, failureKind, generalMessage, measuredFailure } from "./counted.js";

const same: readonly (readonly [string, string])[] = [
  ["Order A-733333 is unknown.", "Order <id> is unknown."],
  ["Order 17 is unknown.", "Order <number> is unknown."],
  ['Unknown sku "BAD9" in row 6', "Unknown sku <value> in row <number>"],
  ["Unknown sku 'BAD9' in row 6", "Unknown sku <value> in row <number>"],
  ["column `total_2` has no default", "column <value> has no default"],
  ["The customer's card can't be charged", "The customer's card can't be charged"],
  ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED <number>:<number>"],
  ["GET https://api.example.com/orders/17?x=1 failed with 503", "GET <url> failed with <number>"],
  ["user ada@example.com not found", "user <email> not found"],
  ["run 0190a6f2-7c3e-7d10-8a55-93f1b2c4d5e6 is gone", "run <id> is gone"],
  ["blob 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is missing", "blob <id> is missing"],
  ["took 1,250.5 ms of 2s", "took <number> ms of <number>"],
  ["timeout   of\n 5000ms exceeded", "timeout of <number> exceeded"],
  ["at line 3:17 (col -2)", "at line <number>:<number> (col <number>)"],
  ["Straße 5 fehlt", "Straße <number> fehlt"],
  ["row 6. See rows 7, 8.", "row <number>. See rows <number>, <number>."],
  ["utf-8 and a well-known step-by-step", "<id> and a well-known step-by-step"],
  ["", ""],
  ['an "open quote', 'an "open quote'],
];

describe("the message of a kind of failure", () => {
  it.each(same)("of %j is %j", (message, general) => {
    expect(generalMessage(message)).toBe(general);
  });

  it("has at most 300 characters, and is made quickly from any text", () => {
    const strange = ["a@", '"', "'a", "https://", "a1-", "`", " \n", "\u{1f682}"].map((text) => text.repeat(100_000));
    const startedAtMs = performance.now();
    for (const text of strange) expect(generalMessage(text).length).toBeLessThanOrEqual(300);

    expect(performance.now() - startedAtMs).toBeLessThan(500);
  });

  it("takes no half of a character", () => {
    expect(JSON.stringify(generalMessage("\u{1f682}".repeat(999)))).not.toMatch(/\\ud[89a-f]/);
  });
});

const failedWith = (message: string, code?: string) =>
  ({
    status: "failed",
    failure: {
      ...{ stepName: "pay", attempts: 1, elapsedMs: 1, failedAtMs: 1, input: [] },
      error: { name: "Error", message, ...(code !== undefined && { code }) },
    },
  }) as const;

describe("kinds of failures", () => {
  const idOf = (workflow: string, message: string, code?: string): string | undefined => {
    const kind = failureKind(failedWith(message, code));
    return kind === null ? undefined : measuredFailure(workflow, kind, (text) => text).text;
  };

  it("are the same for the same step, code and message without data", () => {
    expect(idOf("a", "Order 1 is gone")).toBe(idOf("a", "Order 2 is gone"));
    expect(idOf("a", "Order 1 is gone", "GONE")).not.toBe(idOf("a", "Order 1 is gone"));
    expect(idOf("a", "Order 1 is lost")).not.toBe(idOf("a", "Order 1 is gone"));
  });

  it("are those of the step that a pipeline names, however deep it is, and of its error", () => {
    const body = { name: "TypeError", message: "no body 17" };
    const named = (stepName: string | null, cause: ErrorRecord) => ({
      ...{ name: "WorkflowError", code: "PIPELINE_FAILED", message: `has failed in the step "${stepName}"` },
      ...{ details: { runId: "r", stepName }, cause },
    });
    const kindOf = (error: object) => {
      const failed = failedWith("");
      return failureKind({ ...failed, failure: { ...failed.failure, error: error as never } });
    };

    const deep = named("inner", named("body", body));
    const kind = { step: "body", code: null, message: "no body <number>" };
    expect(kindOf(named("body", body))).toEqual(kind);
    expect(kindOf(deep)).toEqual(kind);
    const { status, failure } = failedWith("");
    expect(failedStepOf({ status, failure: { ...failure, error: deep } })).toBe("inner");
    expect(failedStepOf({ status, failure })).toBe("pay");
    expect(kindOf(named(null, body))).toMatchObject({ step: "pay", code: "PIPELINE_FAILED" });
    expect(kindOf({ ...named("body", body), cause: undefined })).toMatchObject({
      step: "pay",
      code: "PIPELINE_FAILED",
    });
  });

  it("are of failed runs and of those that timed out", () => {
    expect(failureKind({ status: "cancelled", reason: "no" })).toBeNull();
    expect(failedStepOf({ status: "timedOut", timeoutMs: 5, activeSteps: ["pay"] })).toBe("pay");
    expect(failureKind({ status: "timedOut", timeoutMs: 5, activeSteps: ["pay"] })).toMatchObject({
      step: "pay",
      code: "RUN_TIMED_OUT",
    });
  });
});
