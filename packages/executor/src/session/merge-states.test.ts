import { describe, expect, it } from "vitest";
import type { JsonObject } from "./json.js";
import { mergeStates } from "./merge-states.js";

describe("mergeStates", () => {
  const base = { a: { x: 1, y: 1 }, list: [1], n: 0 };
  const merge = (theirs: JsonObject, mine: JsonObject) => mergeStates({ base, theirs, mine });
  const { a: _a, ...rest } = base;

  it("keeps what both runs have changed, at any depth", () => {
    const theirs = { ...base, a: { x: 2, y: 1 }, theirs: 1 };
    const mine = { ...base, a: { x: 1, y: 2 }, mine: 1 };

    expect(merge(theirs, mine)).toEqual({ a: { x: 2, y: 2 }, list: [1], n: 0, theirs: 1, mine: 1 });
  });

  it("merges objects and lists that both have made", () => {
    const theirs = { ...base, fresh: ["a"], made: { a: 1, same: 1 } };
    const mine = { ...base, fresh: ["b"], made: { b: 2, same: 2 } };

    expect(merge(theirs, mine)).toEqual({ ...base, fresh: ["a", "b"], made: { a: 1, b: 2, same: 2 } });
  });

  it("lets the later commit win where both have changed one field to what cannot be merged", () => {
    expect(merge({ ...base, n: 1 }, { ...base, n: 2 })).toEqual({ ...base, n: 2 });
    expect(merge({ ...base, a: "text" }, { ...base, a: [1] })).toEqual({ ...base, a: [1] });
    expect(merge({ ...base, list: { 0: 1 } }, { ...base, list: [2] })).toEqual({ ...base, list: [2] });
  });

  it("deletes what one has deleted and the other has left as it was", () => {
    expect(merge(rest, base)).toEqual(rest);
    expect(merge(base, rest)).toEqual(rest);
    expect(merge(rest, rest)).toEqual(rest);
  });

  it("loses no change to a deletion, whoever has deleted", () => {
    const changed = { ...base, a: { x: 5, y: 1 } };

    expect(merge(changed, rest)).toEqual(changed);
    expect(merge(rest, changed)).toEqual(changed);
  });

  it("changes none of them, and shares nothing with them", () => {
    const states = {
      base: structuredClone(base),
      theirs: { ...base, theirs: { a: 1 } },
      mine: { ...base, mine: [{}] },
    };
    const before = structuredClone(states);
    const merged = mergeStates(states);
    (merged["theirs"] as JsonObject)["a"] = 2;
    (merged["mine"] as JsonObject[])[0]!["b"] = 2;

    expect(states).toEqual(before);
  });

  it("leads to no prototype", () => {
    const evil = JSON.parse('{"__proto__": {"x": 1}}') as JsonObject;

    expect(Object.keys(mergeStates({ base: {}, theirs: evil, mine: { a: 1 } }))).toEqual(["a"]);
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });
});

describe("mergeStates: numbers that were counted", () => {
  const merge = (versions: { base: JsonObject; theirs: JsonObject; mine: JsonObject }, ...counted: string[]) =>
    mergeStates({ ...versions, counted: Object.fromEntries(counted.map((path) => [path, true])) });

  it("adds what each has changed, also where there was none before", () => {
    expect(merge({ base: { n: 5 }, theirs: { n: 7 }, mine: { n: 4 } }, '["n"]')).toEqual({ n: 6 });
    expect(merge({ base: {}, theirs: { n: 2 }, mine: { n: 3 } }, '["n"]')).toEqual({ n: 5 });
    expect(merge({ base: {}, theirs: { a: { n: 1 } }, mine: { a: { n: 1 } } }, '["a","n"]')).toEqual({ a: { n: 2 } });
  });

  it("adds them in items of lists", () => {
    const base = { scores: [0, 0, 0], players: [{ score: 1 }] };
    const theirs = { scores: [0, 0, 1], players: [{ score: 2 }, { score: 9 }] };
    const mine = { scores: [1, 0, 2], players: [{ score: 3 }] };
    const counted = ['["scores",0]', '["scores",2]', '["players",0,"score"]'];

    expect(merge({ base, theirs, mine }, ...counted)).toEqual({
      scores: [1, 0, 3],
      players: [{ score: 4 }, { score: 9 }],
    });
  });

  it("brings back one that was deleted, as this run knows it", () => {
    expect(merge({ base: { n: 5 }, theirs: {}, mine: { n: 6 } }, '["n"]')).toEqual({ n: 6 });
  });

  it("lets the later commit win where there is no number any more, or would be none", () => {
    expect(merge({ base: { n: 5 }, theirs: { n: "five" }, mine: { n: 6 } }, '["n"]')).toEqual({ n: 6 });
    expect(merge({ base: {}, theirs: { n: 1e308 }, mine: { n: 1.5e308 } }, '["n"]')).toEqual({ n: 1.5e308 });
  });

  it("counts nothing that was not counted", () => {
    expect(merge({ base: { n: 5 }, theirs: { n: 7 }, mine: { n: 4 } }, '["m"]')).toEqual({ n: 4 });
  });
});
