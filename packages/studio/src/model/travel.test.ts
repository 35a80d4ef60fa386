import type { ChangedValue } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { entry } from "../../test/support/ticks.js";
import { stateAfter } from "./travel.js";

/** The state after the changes, and after they were undone again. */
function thereAndBack(state: unknown, changes: readonly ChangedValue[]): readonly [unknown, unknown] {
  const entries = [entry(1, "run.started"), entry(2, "state.edited", { changes })];
  const there = stateAfter(entries, { from: 1, state, to: 2, runId: "r" });
  return [there, stateAfter(entries, { from: 2, state: there, to: 1, runId: "r" })];
}

describe("stateAfter", () => {
  it.each<[string, unknown, ChangedValue, unknown]>([
    ["sets a field", { a: 1 }, { path: ["a"], old: 1, new: 2 }, { a: 2 }],
    ["adds a field", {}, { path: ["a"], new: null }, { a: null }],
    ["deletes a field", { a: 1, b: 2 }, { path: ["a"], old: 1 }, { b: 2 }],
    ["changes an element", { list: [1, 2] }, { path: ["list", 0], old: 1, new: 9 }, { list: [9, 2] }],
    ["puts an element between others", { list: [1, 3] }, { path: ["list", 1], new: 2 }, { list: [1, 2, 3] }],
    ["takes an element out", { list: [1, 2, 3] }, { path: ["list", 0], old: 1 }, { list: [2, 3] }],
    ["reaches into a list", { list: [{ a: 1 }] }, { path: ["list", 0, "a"], old: 1, new: 2 }, { list: [{ a: 2 }] }],
    ["replaces everything", { a: 1 }, { path: [], old: { a: 1 }, new: 5 }, 5],
  ])("%s, and back", (_, before, change, after) => {
    expect(thereAndBack(before, [change])).toEqual([after, before]);
  });

  it("undoes the changes of one tick from the last to the first", () => {
    const changes = [
      { path: ["list", 0], new: "a" },
      { path: ["list", 1], new: "b" },
      { path: ["list", 0], old: "a", new: "c" },
    ];

    expect(thereAndBack({ list: [] }, changes)).toEqual([{ list: ["c", "b"] }, { list: [] }]);
  });

  it("leaves what it was given as it was", () => {
    const state = { list: [{ a: 1 }] };

    thereAndBack(state, [{ path: ["list", 0, "a"], old: 1, new: 2 }]);

    expect(state).toEqual({ list: [{ a: 1 }] });
  });
});
