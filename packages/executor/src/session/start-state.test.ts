import { describe, expect, it } from "vitest";
import type { JsonObject } from "./json.js";
import { deepMerge, startState } from "./start-state.js";

describe("startState", () => {
  const template = { list: ["template"], settings: { a: 1, b: 1 } };
  const stored = { list: ["stored"], settings: { a: 2 } };
  const given = { settings: { b: 3 }, extra: [1] };

  it.each([
    ["a new session: the template", { template, stored: null, given: null, overwrite: false }, template],
    ["a stored one: what is stored", { template, stored, given: null, overwrite: false }, stored],
    [
      "new, with a given state: merged over the template",
      { template, stored: null, given, overwrite: false },
      { list: ["template"], settings: { a: 1, b: 3 }, extra: [1] },
    ],
    [
      "stored, with a given state: merged over what is stored",
      { template, stored, given, overwrite: false },
      { list: ["stored"], settings: { a: 2, b: 3 }, extra: [1] },
    ],
    [
      "overwritten: merged over the template",
      { template, stored, given, overwrite: true },
      { list: ["template"], settings: { a: 1, b: 3 }, extra: [1] },
    ],
    ["overwritten with nothing: what is stored", { template, stored, given: null, overwrite: true }, stored],
    [
      "overwritten without a template: what was given alone",
      { template: {}, stored: { shopping_list: ["milk"] }, given: { secret_number: 43 }, overwrite: true },
      { secret_number: 43 },
    ],
  ] as const)("%s", (_name, states, expected) => {
    expect(startState(states)).toEqual(expected);
  });

  it("shares nothing with what it is made of", () => {
    const given = { settings: { b: [1] } };
    const state = startState({ template, stored: null, given, overwrite: false });
    (state["list"] as string[]).push("more");
    ((state["settings"] as JsonObject)["b"] as number[]).push(2);

    expect([template.list, given]).toEqual([["template"], { settings: { b: [1] } }]);
  });

  it("refuses what is no data", () => {
    const given = { at: { client: new URL("https://example.com") } };

    expect(() => startState({ template, stored: null, given, overwrite: false })).toThrow(
      expect.objectContaining({ code: "VALUE_UNSERIALIZABLE", details: { reason: "state", path: "at.client" } }),
    );
  });
});

describe("deepMerge", () => {
  it("merges objects, and replaces everything else", () => {
    const first = { a: { x: 1, list: [1, 2] }, b: { y: 1 }, c: 1 };
    const second = { a: { list: [3], z: null }, b: 2, c: { deep: true } };

    expect(deepMerge(first, second)).toEqual({ a: { x: 1, list: [3], z: null }, b: 2, c: { deep: true } });
  });

  it("leads to no prototype", () => {
    const merged = deepMerge({}, JSON.parse('{"__proto__": {"x": 1}, "a": 1}'));

    expect(Object.keys(merged)).toEqual(["a"]);
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });
});
