import { describe, expect, it } from "vitest";
import { retryIf } from "./retry-policy.js";

const fetchFailed = new TypeError("fetch failed", { cause: new RangeError("socket hang up") });

describe("retryIf", () => {
  it("matches by class, any of several", () => {
    expect(retryIf.type(RangeError, TypeError).matches(fetchFailed)).toBe(true);
    expect(retryIf.type(RangeError).matches(fetchFailed)).toBe(false);
  });

  it("matches text within the message", () => {
    expect(retryIf.message("failed").matches(fetchFailed)).toBe(true);
    expect(retryIf.message("Failed").matches(fetchFailed)).toBe(false);
    expect(retryIf.message("busy").matches("server busy")).toBe(true);
  });

  it("matches a global expression every time", () => {
    const condition = retryIf.message(/fetch/g);

    expect([condition.matches(fetchFailed), condition.matches(fetchFailed)]).toEqual([true, true]);
  });

  it("asks the causes, and not the error itself", () => {
    const wrapped = new Error("outer", { cause: fetchFailed });

    expect(retryIf.cause(RangeError).matches(wrapped)).toBe(true);
    expect(retryIf.cause(TypeError).matches(fetchFailed)).toBe(false);
  });

  it("ends on causes that run in a circle", () => {
    const first = new Error("a");
    first.cause = new Error("b", { cause: first });

    expect(retryIf.cause(TypeError).matches(first)).toBe(false);
  });

  it("copes with anything that can be thrown", () => {
    expect(retryIf.message("null").matches(null)).toBe(true);
    expect(retryIf.cause(TypeError).matches(undefined)).toBe(false);
  });

  it("composes from left to right", () => {
    const yes = retryIf.test(() => true);
    const no = retryIf.test(() => false);

    expect(yes.or(no).and(no).matches(fetchFailed)).toBe(false);
    expect(yes.or(no.and(no)).matches(fetchFailed)).toBe(true);
    expect(yes.and(no.not()).matches(fetchFailed)).toBe(true);
  });
});
