import { describe, expect, it } from "vitest";
import { isEmptyContent, toText } from "./text.js";

describe("toText", () => {
  it("leaves text alone", () => {
    expect(toText('a "quoted" line\n')).toBe('a "quoted" line\n');
  });

  it("writes objects as JSON indented by two spaces, without undefined fields", () => {
    expect(toText({ topic: "AI", depth: undefined, tags: ["a"] })).toBe(
      '{\n  "topic": "AI",\n  "tags": [\n    "a"\n  ]\n}',
    );
  });

  it.each([
    [5, "5"],
    [0, "0"],
    [false, "false"],
    [null, "null"],
    [undefined, ""],
    [12n, '"12"'],
    [[1, "a"], '[\n  1,\n  "a"\n]'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new Set([1]), "[\n  1\n]"],
    [new Map([["a", 1]]), '{\n  "a": 1\n}'],
    [{ bytes: new Uint8Array(3), error: new Error("no") }, '{\n  "bytes": "3 bytes",\n  "error": "no"\n}'],
    [() => {}, ""],
  ])("writes %o", (value, text) => {
    expect(toText(value)).toBe(text);
  });

  it("refuses a value that contains itself", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;

    expect(() => toText(loop)).toThrow(expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" }));
  });
});

describe("isEmptyContent", () => {
  it("takes nothing and empty text for empty, and no data", () => {
    expect([undefined, null, ""].map(isEmptyContent)).toEqual([true, true, true]);
    expect([0, false, [], {}, " "].map(isEmptyContent)).toEqual([false, false, false, false, false]);
  });
});
