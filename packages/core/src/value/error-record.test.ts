import { describe, expect, it } from "vitest";
import { WorkflowError } from "../errors/workflow-error.js";
import { decodeValue } from "../event/event-codec.js";
import { NonRetryableError, RetryAfterError } from "../retry/retry-policy.js";
import { encodeValue } from "./codec.js";
import { type ErrorRecord, errorFrom, recordError, reviveError } from "./error-record.js";

/** As another process gets it. */
function moved(record: ErrorRecord): ErrorRecord {
  return JSON.parse(JSON.stringify(record));
}

describe("recordError", () => {
  it("keeps name, message, stack, code and the chain of causes", () => {
    const thrown = Object.assign(new TypeError("outer", { cause: new RangeError("inner") }), { code: "ENOENT" });

    expect(moved(recordError(thrown))).toEqual({
      name: "TypeError",
      message: "outer",
      stack: thrown.stack,
      code: "ENOENT",
      cause: { name: "RangeError", message: "inner", stack: expect.any(String) },
    });
  });

  it.each([
    ["text", "text"],
    [{ status: 500 }, '{"status":500}'],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
  ])("describes a thrown value that is not an error: %o", (thrown, message) => {
    expect(recordError(thrown)).toEqual({ name: "Thrown", message });
  });

  it("cuts a circle of causes", () => {
    const thrown = new Error("a");
    thrown.cause = thrown;

    expect(JSON.stringify(recordError(thrown)).length).toBeLessThan(100_000);
  });

  it.each([
    ["too long", { text: "x".repeat(100_000) }],
    ["too deep", Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {})],
    ["of a key that reaches prototypes", { inner: [JSON.parse('{"__proto__":1}')] }],
    ["no JSON", { big: 1n }],
  ])("leaves out details that are %s", (_, details) => {
    const record = recordError(
      new WorkflowError({ code: "INTERNAL", message: "m", hint: "h", details: { ...details } }),
    );

    expect(record.details).toEqual({});
  });

  it("survives a thrown value that throws when it is read", () => {
    const thrown = Object.defineProperty(new Error("x"), "message", {
      get: () => {
        throw new Error("no");
      },
    });
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;

    expect(recordError(thrown).message).toBe("An error that cannot be read.");
    expect(recordError(circular).message).toBe("An error that cannot be read.");
  });
});

describe("reviveError", () => {
  it("returns what was thrown in the process that recorded it", () => {
    const thrown = { any: "thing" };

    expect(reviveError(recordError(thrown))).toBe(thrown);
    expect(reviveError(recordError(undefined))).toBe(undefined);
  });

  it("returns STEP_FAILED with name, message, stack and causes in another process", () => {
    const thrown = new TypeError("outer", { cause: new RangeError("inner") });

    const revived = reviveError(moved(recordError(thrown))) as WorkflowError;

    expect(WorkflowError.is(revived, "STEP_FAILED")).toBe(true);
    expect(revived).toMatchObject({ name: "TypeError", message: "outer", stack: thrown.stack });
    expect(revived.cause).toMatchObject({ name: "RangeError", message: "inner" });
    expect(Object.keys(revived)).not.toContain("stack");
  });

  it("keeps the code of another library in the details", () => {
    const revived = reviveError(moved(recordError(Object.assign(new Error("x"), { code: "ENOENT" }))));

    expect(revived).toMatchObject({ code: "STEP_FAILED", details: { code: "ENOENT" } });
  });

  it("returns a WorkflowError with its code, hint and details", () => {
    const thrown = new WorkflowError({ code: "STEP_TIMEOUT", message: "m", hint: "h", details: { step: "judge" } });

    const revived = reviveError(moved(recordError(thrown)));

    expect(WorkflowError.is(revived, "STEP_TIMEOUT")).toBe(true);
    expect(revived).toMatchObject({ message: "m", hint: "h", details: { step: "judge" }, stack: thrown.stack });
  });
});

describe("an error of several errors", () => {
  it("has them in another process, with their causes", () => {
    const one = new RangeError("one", { cause: new Error("why") });
    const thrown = new AggregateError([one, "two", new AggregateError([new TypeError("three")], "inner")], "all");

    const revived = errorFrom(moved(recordError(thrown))) as AggregateError;

    expect(revived).toBeInstanceOf(AggregateError);
    expect(revived).toMatchObject({ name: "AggregateError", message: "all", stack: thrown.stack });
    expect(revived.errors).toMatchObject([
      { name: "RangeError", message: "one", cause: { message: "why" } },
      { name: "Thrown", message: "two" },
      { name: "AggregateError", errors: [{ name: "TypeError", message: "three" }] },
    ]);
    expect(revived.errors[2]).toBeInstanceOf(AggregateError);
    expect(Object.keys(revived)).not.toContain("errors");
  });

  it("has them as a failure of a step, and as an error of a class of one's own", () => {
    class AllRetriesFailed extends Error {
      readonly errors = [new Error("one"), new Error("two")];
    }

    expect(reviveError(moved(recordError(new AggregateError([new Error("one")]))))).toMatchObject({
      code: "STEP_FAILED",
      errors: [{ message: "one" }],
    });
    expect(errorFrom(moved(recordError(new AllRetriesFailed("all"))))).toMatchObject({
      errors: [{ message: "one" }, { message: "two" }],
    });
    expect(recordError(Object.assign(new Error("all"), { errors: [{ path: "a" }] }))).not.toHaveProperty("errors");
  });

  it("has them as a value of the state or of an event", () => {
    const value = { failed: new AggregateError([new TypeError("one")], "all") };

    const text = JSON.stringify(encodeValue(value, "value"));

    expect(decodeValue(JSON.parse(text), "value")).toMatchObject({
      failed: { name: "AggregateError", errors: [{ name: "TypeError", message: "one" }] },
    });
  });

  it("is recorded with at most 100 errors, also if it holds itself", () => {
    const many = new AggregateError(Array.from({ length: 1_000 }, (_, n) => new Error(String(n))));
    const circle = new AggregateError([], "circle");
    circle.errors.push(circle, circle, circle);

    const counted = (record: ErrorRecord): number =>
      (record.errors ?? []).reduce((sum, error) => sum + 1 + counted(error), 0);

    expect(counted(recordError(many))).toBe(100);
    expect(counted(recordError(circle))).toBe(100);
  });
});

describe("errors for retries", () => {
  it("carry what the retry verdict reads", () => {
    expect(new NonRetryableError("no")).toMatchObject({ name: "NonRetryableError", retryable: false });
    expect(new RetryAfterError("later", "2s")).toMatchObject({ name: "RetryAfterError", retryAfterMs: 2_000 });
  });
});
