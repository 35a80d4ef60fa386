import { describe, expect, it } from "vitest";
import { mergeStates } from "./merge-states.js";

const merge = (base: unknown[], theirs: unknown[], mine: unknown[]) =>
  mergeStates({ base: { list: base }, theirs: { list: theirs }, mine: { list: mine } })["list"];

describe("mergeStates: lists", () => {
  it.each([
    ["what both have added to the end, the later commit last", [1], [1, 2], [1, 3, 4], [1, 2, 3, 4]],
    ["the same text twice, where both have added it", [], ["x"], ["x"], ["x", "x"]],
    ["what both have put in front", [1], [2, 1], [3, 1], [2, 3, 1]],
    ["what was put in the middle and at the end", ["a", "b"], ["a", "x", "b"], ["a", "b", "c"], ["a", "x", "b", "c"]],
    ["what one has removed and the other left", ["a", "b", "c"], ["a", "c"], ["a", "b", "c", "d"], ["a", "c", "d"]],
    ["what both have removed, once", ["a", "b", "c"], ["b", "c"], ["b"], ["b"]],
    ["nothing of what either has removed", ["a", "b", "c", "d"], ["b", "c", "d"], ["a", "b", "c"], ["b", "c"]],
    ["one taken from the front by each, one added by each", [1, 2, 3, 4], [2, 3, 4, 5], [2, 3, 4, 6], [2, 3, 4, 5, 6]],
    ["a new order, and what was added", ["c", "a", "b"], ["c", "a", "b", "d"], ["a", "b", "c"], ["a", "b", "d", "c"]],
    ["one new order of both, once", [1, 2, 3], [3, 2, 1], [3, 2, 1], [3, 2, 1]],
    ["of two places, that of the later commit", ["a", "b", "c"], ["b", "a", "c"], ["b", "c", "a"], ["b", "c", "a"]],
    ["nothing that one has moved and the other removed", ["a", "b", "c"], ["b", "c"], ["b", "c", "a"], ["b", "c"]],
    ["what each has set in its place", [0, 0, 0], [0, 0, 5], [1, 0, 0], [1, 0, 5]],
    ["both of two texts in the place of one", ["a", "b"], ["x", "b"], ["y", "b"], ["x", "y", "b"]],
    ["one text that both have put in the place of one", ["a", "b"], ["x", "b"], ["x", "c"], ["x", "c"]],
    ["what one has set and the other removed", ["a", "b", "c"], ["a", "c"], ["a", "x", "c"], ["a", "x", "c"]],
    ["lists in lists", [[1], [2]], [[1, 3], [2]], [[1, 4], [2]], [[1, 3, 4], [2]]],
  ])("keeps %s", (_name, base, theirs, mine, expected) => {
    expect(merge(base, theirs, mine)).toEqual(expected);
  });

  const [milk, bread] = [
    { id: 1, name: "milk", bought: false, amount: 1 },
    { id: 2, name: "bread", bought: false, amount: 1 },
  ];

  it("merges two versions of one item, field by field", () => {
    const theirs = [{ ...milk, bought: true }, bread];
    const mine = [{ ...milk, amount: 2 }, bread, { id: 3 }];

    expect(merge([milk, bread], theirs, mine)).toEqual([{ ...milk, bought: true, amount: 2 }, bread, { id: 3 }]);
  });

  it("finds a version of an item that others have come before, by its id", () => {
    const mine = [{ id: 0 }, { ...bread, amount: 2 }];
    const theirs = [milk, { ...bread, bought: true }];

    expect(merge([milk, bread], theirs, mine)).toEqual([{ id: 0 }, { ...bread, amount: 2, bought: true }]);
  });

  it("keeps both of two other items in the place of one", () => {
    expect(merge([milk], [{ ...milk, id: 7 }], [{ ...milk, id: 8 }])).toEqual([
      { ...milk, id: 7 },
      { ...milk, id: 8 },
    ]);
  });

  it("edits an item where the other has moved it to", () => {
    const theirs = [bread, milk, { id: 3 }];
    const mine = [{ ...milk, amount: 2 }, bread];

    expect(merge([milk, bread], theirs, mine)).toEqual([bread, { ...milk, amount: 2 }, { id: 3 }]);
  });

  it("brings back an item that was removed, where the other has edited it", () => {
    expect(merge([milk, bread], [bread], [{ ...milk, amount: 2 }, bread])).toEqual([{ ...milk, amount: 2 }, bread]);
  });

  it("has of very different lists what each has added, and the later order", () => {
    const base = Array.from({ length: 3_000 }, (_, n) => n);
    const shuffled = base.toReversed().filter((n) => n !== 7);

    const merged = merge(base, [...base, "theirs"], [...shuffled, "mine"]);

    expect(merged).toEqual([...shuffled, "mine", "theirs"]);
  });

  it("merges thousands of items that both have edited, and what was added to them", () => {
    const base = Array.from({ length: 3_000 }, (_, id) => ({ id, mine: 0, theirs: 0 }));
    const theirs = [...base.map((item) => ({ ...item, theirs: 1 })), { id: "theirs" }];
    const mine = [...base.map((item) => ({ ...item, mine: 1 })), { id: "mine" }];

    expect(merge(base, theirs, mine)).toEqual([
      ...base.map(({ id }) => ({ id, mine: 1, theirs: 1 })),
      { id: "theirs" },
      { id: "mine" },
    ]);
  });
});
