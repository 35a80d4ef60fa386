import { expect, it } from "vitest";
import { fieldsOf, jsonOf } from "./plain-json.js";

it.each([
  [{ at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
  [new Date(Number.NaN), "Invalid Date"],
  [new Map([["a", 1n]]), [["a", "1"]]],
  [new Set([1, undefined]), [1, null]],
  [new Uint8Array(3), "3 bytes"],
  [{ gone: undefined, far: Number.POSITIVE_INFINITY }, { far: "Infinity" }],
  [/x/g, "/x/g"],
  [{}, {}],
])("shows %o as JSON", (value, json) => {
  expect(jsonOf(value)).toEqual(json);
});

it("shows an event without its type", () => {
  expect(fieldsOf({ type: "Joke", text: "…" })).toEqual({ text: "…" });
});
