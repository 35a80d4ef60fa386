import type { ChangedValue } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { Blame } from "./blame.js";
import { stateRows } from "./state-rows.js";

const changesByTick: Readonly<Record<number, readonly ChangedValue[]>> = {
  2: [{ path: ["order"], old: "", new: "A-1" }],
  5: [{ path: ["approvals", 0], new: { by: "Ada" } }],
  7: [{ path: ["a.b"], new: 1 }],
  9: [{ path: ["approvals", 0, "by"], old: "Ada", new: "Grace" }],
};
const blame = new Blame();
for (const [tick, changes] of Object.entries(changesByTick)) blame.record(Number(tick), changes);
const state = { order: "A-1", risk: 0.2, approvals: [{ by: "Grace" }], "a.b": 1 };
const view = { state, changes: [], tick: 9, blame, toggled: new Set<string>(), onlyChanged: false };

describe("stateRows", () => {
  it("says of every field which tick changed it last", () => {
    expect(stateRows(view).map(({ key, depth, changedAt }) => [key, depth, changedAt])).toEqual([
      ["order", 0, 2],
      ["risk", 0, null],
      ["approvals", 0, 9],
      ["0", 1, 9],
      ["by", 2, 9],
      ["a.b", 0, 7],
    ]);
  });

  it("says so of the past, too: only ticks up to the cursor count", () => {
    const rows = stateRows({ ...view, state: { order: "A-1", approvals: [{ by: "Ada" }] }, tick: 6 });

    expect(rows.map(({ changedAt }) => changedAt)).toEqual([2, 5, 5, 5]);
  });

  it("shows a field that holds a part of the state closed, with the ticks of that part", () => {
    const { order, ...rest } = state;
    const folded = { ...view, state: { order, internals: rest }, folded: "internals" };
    const toggled = new Set(['["internals"]']);

    expect(stateRows(folded).map(({ key, changedAt, isOpen }) => [key, changedAt, isOpen])).toEqual([
      ["order", 2, false],
      ["internals", null, false],
    ]);
    expect(stateRows({ ...folded, toggled }).map(({ key, changedAt }) => [key, changedAt])).toEqual([
      ["order", 2],
      ["internals", null],
      ["risk", null],
      ["approvals", 9],
      ["0", 9],
      ["by", 9],
      ["a.b", 7],
    ]);
  });

  it("marks what the tick did, and can show that alone with the way to it", () => {
    const changes = changesByTick[9] as readonly ChangedValue[];

    const rows = stateRows({ ...view, changes, onlyChanged: true });

    expect(rows.map(({ key, isChanged }) => [key, isChanged])).toEqual([
      ["approvals", false],
      ["0", false],
      ["by", true],
    ]);
  });

  it("shows all of a value that the tick added", () => {
    const changes = changesByTick[5] as readonly ChangedValue[];

    expect(stateRows({ ...view, changes, onlyChanged: true }).map(({ key }) => key)).toEqual(["approvals", "0", "by"]);
  });

  it("opens and closes; what is large or deep begins closed", () => {
    const list = { list: Array.from({ length: 60 }, (_, index) => index) };
    const closed = stateRows({ ...view, state: list });
    expect(closed.map(({ key, size, isOpen }) => [key, size, isOpen])).toEqual([["list", 60, false]]);

    const toggled = new Set(closed.map(({ id }) => id));
    expect(stateRows({ ...view, state: list, toggled })).toHaveLength(61);
  });

  it("distinguishes a field with a dot from a path", () => {
    const rows = stateRows({ ...view, state: { "a.b": 1, a: { b: 2 } } });

    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    expect(rows.map(({ changedAt }) => changedAt)).toEqual([7, null, null]);
  });
});
