import { expect, it } from "vitest";
import type { CliError } from "./cli-error.js";
import { parseJson } from "./parse-json.js";

function placeOf(text: string): unknown {
  try {
    parseJson(text, "It");
    return null;
  } catch (error) {
    const { code, details } = error as CliError;
    expect(code).toBe("INPUT_NOT_JSON");
    return [details["line"], details["column"]];
  }
}

it("says where text stops being JSON", () => {
  expect(placeOf('{"a":1}')).toBeNull();
  expect(placeOf("{a:1}")).toEqual([1, 2]);
  expect(placeOf('{"a":}')).toEqual([1, 6]);
  expect(placeOf('{"a":1')).toEqual([1, 7]);
  expect(placeOf("")).toEqual([1, 1]);
  expect(placeOf('{\n  "a": 1,\n  "b": oops\n}')).toEqual([3, 8]);
  expect(placeOf('{"topic": "x",}')).toEqual([1, 15]);
});

it("returns the hint of the file that the text is from", () => {
  const hint = "Pass a file that was exported.";

  expect(() => parseJson("{", "Line 1", hint)).toThrow(expect.objectContaining({ hint }));
});
