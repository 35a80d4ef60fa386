import { describe, expect, it } from "vitest";
import { createTestCell } from "../../test/support/test-cell.js";
import { StopEvent } from "../event/built-in-events.js";
import { freezeState } from "../value/freeze.js";
import { createDraft } from "./draft.js";
import { finishDraft, finishedState, plainOf } from "./finish-draft.js";

const long = "x".repeat(100);

/** What an edit of a state writes down. */
function edited<State extends object>(state: State, edit: (draft: State) => void) {
  const before = freezeState(state);
  const draft = createDraft(before);
  edit(draft);
  return { before, ...finishDraft(draft) };
}

function patchesOf<State extends object>(state: State, edit: (draft: State) => void) {
  return edited(state, edit).patches;
}

describe("a draft", () => {
  it("says in one patch what one change of a long list is", () => {
    const list = () => Array.from({ length: 200 }, (_, n) => ({ n, long }));
    const item = { n: -1, long };

    expect(patchesOf({ list: list() }, (state) => void state.list.push(item))).toEqual([
      { op: "add", path: ["list", 200], value: item },
    ]);
    expect(patchesOf({ list: list() }, (state) => void state.list.shift())).toEqual([
      { op: "remove", path: ["list", 0] },
    ]);
    expect(patchesOf({ list: list() }, (state) => void state.list.splice(7, 1, item))).toEqual([
      { op: "replace", path: ["list", 7, "n"], value: -1 },
    ]);
    expect(patchesOf({ list: list() }, ({ list: [first] }) => void ((first as { n: number }).n = 5))).toEqual([
      { op: "replace", path: ["list", 0, "n"], value: 5 },
    ]);
    const added = patchesOf({ list: list() }, (state) => void (state.list = [...state.list, item]));
    expect(added).toEqual([{ op: "add", path: ["list", 200], value: item }]);
  });

  it("follows an item that has moved, and one that was taken out", () => {
    const { next, patches } = edited({ list: [{ n: 1 }, { n: 2 }, { n: 3, long }], done: [] as object[] }, (state) => {
      const last = state.list[2] as { n: number };
      const first = state.list.shift() as { n: number };
      state.done.push(first);
      first.n = 10;
      last.n = 30;
    });

    expect(next).toEqual({ list: [{ n: 2 }, { n: 30, long }], done: [{ n: 10 }] });
    expect(patches).toContainEqual({ op: "replace", path: ["list", 1, "n"], value: 30 });
  });

  it("takes as many items in one push as a list does", () => {
    const items = Array.from({ length: 100_000 }, (_, n) => n);
    const draft = createDraft(freezeState({ list: [-1] }));
    draft.list.push(...items);

    expect(finishedState(draft)).toEqual({ list: [-1, ...items] });
  });

  it("distinguishes two places of one part", () => {
    const part = { n: 1, long };
    const { next } = edited({ a: part, b: part, list: [part, part] }, (state) => {
      state.a.n = 2;
      (state.list[1] as { n: number }).n = 3;
    });

    expect(next).toMatchObject({ a: { n: 2 }, b: { n: 1 }, list: [{ n: 1 }, { n: 3 }] });
  });

  it("copies nothing for a look, and shares what was not written", () => {
    const { before, next, patches } = edited({ a: { b: { c: 1 } }, d: { e: [1] }, f: 1 }, (state) => {
      JSON.stringify(state);
      state.a.b.c = 2;
    });

    expect(patches).toEqual([{ op: "replace", path: ["a", "b", "c"], value: 2 }]);
    expect((next as typeof before).d).toBe(before.d);
    expect(edited({ a: { b: 1 } }, (state) => void JSON.stringify(state)).next).toEqual({ a: { b: 1 } });
  });

  it("returns the state before where all was put back", () => {
    const { before, next, patches } = edited({ a: 1, list: [1, 2] }, (state) => {
      state.a = 2;
      state.a = 1;
      state.list.push(3);
      state.list.pop();
    });

    expect(patches).toEqual([]);
    expect(next).toBe(before);
  });

  it("keeps the order of keys that were removed and added again", () => {
    const { patches, next } = edited({ a: 1, b: 2, c: long, d: long } as Record<string, unknown>, (state) => {
      delete state["a"];
      state["a"] = 3;
    });

    expect(patches).toEqual([
      { op: "remove", path: ["a"] },
      { op: "add", path: ["a"], value: 3 },
    ]);
    expect(Object.keys(next as object)).toEqual(["b", "c", "d", "a"]);
  });

  it("is a Map or a Set where the state has one", () => {
    const state = { map: new Map([["a", { n: 1, long }]]), set: new Set<unknown>(["x", { n: 1 }, long]) };
    const { next, patches } = edited(state, ({ map, set }) => {
      expect([map instanceof Map, set instanceof Set, map.size, set.size]).toEqual([true, true, 1, 3]);
      for (const value of map.values()) value.n++;
      map.set("b", { n: 5, long });
      for (const item of set) if (typeof item === "object") (item as { n: number }).n = 2;
      set.delete("x");
    });

    expect(next).toEqual({
      map: new Map([
        ["a", { n: 2, long }],
        ["b", { n: 5, long }],
      ]),
      set: new Set([{ n: 2 }, long]),
    });
    expect(patches).toContainEqual({ op: "replace", path: ["map", "a", "n"], value: 2 });
    expect(patches).toContainEqual({ op: "replace", path: ["set"], value: new Set([{ n: 2 }, long]) });
  });

  it("shows a loop over a Map or a Set what the loop adds, and not what it removes", () => {
    const state = {
      map: new Map([
        ["a", { n: 1 }],
        ["b", { n: 2 }],
        ["c", { n: 3 }],
      ]),
      set: new Set([1, 2]),
    };
    const seen: unknown[] = [];
    const { next } = edited(state, ({ map, set }) => {
      for (const [key, { n }] of map) {
        seen.push(key);
        if (key === "a") map.delete("b");
        if (key === "c") map.delete("c");
        if (n < 5) map.set(n === 3 ? "c" : `${key}${n}`, { n: 5 });
      }
      for (const item of set) {
        seen.push(item);
        if (item < 4) set.add(item + 2);
      }
      map.forEach((_, key) => void map.delete(key));
    });

    expect(seen).toEqual(["a", "c", "a1", "c", 1, 2, 3, 4, 5]);
    expect(next).toEqual({ map: new Map(), set: new Set([1, 2, 3, 4, 5]) });
  });

  it("has the methods that newer engines have on a Map and a Set", () => {
    interface NewSet extends Set<number> {
      union(other: Set<number>): Set<number>;
      isSubsetOf(other: Set<number>): boolean;
    }
    interface NewMap extends Map<string, number[]> {
      getOrInsert(key: string, value: number[]): number[];
    }
    const state = { map: new Map([["a", [1]]]) as NewMap, set: new Set([1, 2]) as NewSet, isSubset: true };
    const { next } = edited(state, (draft) => {
      draft.isSubset = draft.set.isSubsetOf(new Set([1]));
      draft.set = draft.set.union(new Set([3])) as NewSet;
      draft.map.getOrInsert("a", []).push(2);
      draft.map.getOrInsert("b", []).push(3);
    });

    expect(next).toEqual({
      map: new Map([
        ["a", [1, 2]],
        ["b", [3]],
      ]),
      set: new Set([1, 2, 3]),
      isSubset: false,
    });
  });

  it("refuses a length that no list can have", () => {
    const draft = createDraft(freezeState({ list: [1, 2, 3] }));

    for (const length of [-1, 1.5, Number.NaN, 2 ** 32])
      expect(() => void (draft.list.length = length)).toThrow("Invalid array length");
    expect(finishDraft(draft).patches).toEqual([]);
  });

  it("says a list in whole that has changed all over", () => {
    const items = Array.from({ length: 300 }, (_, n) => n);
    const { next, patches } = edited({ list: items, long }, (state) => {
      for (let index = 0; index < 300; index += 2) state.list[index] = -index - 1;
    });

    expect(patches).toHaveLength(1);
    expect(next).toEqual({ list: items.map((n) => (n % 2 === 0 ? -n - 1 : n)), long });
  });

  it("cannot be used once its edit is over, and neither can its parts", () => {
    const draft = createDraft(freezeState({ list: [{ n: 1 }], map: new Map([["a", 1]]) }));
    const { list, map } = draft;
    finishDraft(draft);

    for (const use of [() => list.length, () => list.push({ n: 2 }), () => map.get("a"), () => Object.keys(draft)])
      expect(use).toThrow("This part of the state belongs to an edit that is over.");
  });

  it("takes no properties that a list of JSON has not", () => {
    const draft = createDraft(freezeState({ list: [1] })) as { list: number[] & { name?: string } };

    expect(() => void (draft.list.name = "x")).toThrow('A list of the state has no "name"');
    expect(() => Object.defineProperty(draft, "x", { get: () => 1 })).toThrow(TypeError);
    expect(() => Object.freeze(draft)).toThrow(TypeError);
  });
});

describe("a state that ticks alone have given", () => {
  it("is frozen all the way, so that no edit of it is lost", () => {
    const state = { list: [] as number[], text: long };
    const draft = createDraft(state);
    draft.list.push(1);
    const { patches } = finishDraft(draft);

    expect(patches).toEqual([{ op: "add", path: ["list", 0], value: 1 }]);
    expect(state.list).toEqual([]);
  });
});

describe("plainOf", () => {
  it("returns what a draft represents now, and outlives the edit", () => {
    const draft = createDraft(freezeState({ list: [{ n: 1 }], other: { n: 0 } }));
    (draft.list[0] as { n: number }).n = 2;
    const [list, other] = [plainOf(draft.list), plainOf(draft.other)];
    draft.list.push({ n: 3 });
    const next = finishedState(draft);

    expect(list).toEqual([{ n: 2 }]);
    expect(next).toEqual({ list: [{ n: 2 }, { n: 3 }], other: { n: 0 } });
    expect(next.other).toBe(other);
  });

  it("leaves what is no draft as it is", () => {
    const value = { n: 1 };

    expect(plainOf(value)).toBe(value);
    expect(plainOf(null)).toBeNull();
  });
});

describe("StateCell: drafts", () => {
  it("lets an edit write into what it took from a read, which stays as it was", async () => {
    const { cell } = createTestCell({ a: { n: 1 }, b: {} as { n?: number } });
    const read = cell.read("a") as { n: number };
    await cell.edit((state: { b: { n?: number } }) => {
      state.b = read;
      state.b.n = 2;
    });

    expect(cell.read()).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  it("copies into an event what it has when the event is made, in an async edit too", async () => {
    const { cell } = createTestCell({ list: [1] });
    const made = await cell.edit(async (state: { list: number[] }) => {
      await null;
      const stopped = new StopEvent({ result: { list: state.list } });
      state.list.push(2);
      return stopped;
    });

    expect(made.result).toEqual({ list: [1] });
    expect(cell.read("list")).toEqual([1, 2]);
  });

  it("refuses a part that was put into itself", async () => {
    const { cell, commits } = createTestCell({ a: { b: {} } });
    const edit = cell.edit((state: { a: { b: object } }) => void (state.a.b = { inner: [state.a] }));

    await expect(edit).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      message: expect.stringContaining("contains itself"),
    });
    expect(commits).toEqual([]);
  });

  it("refuses a forbidden key that is written into a draft", async () => {
    const { cell } = createTestCell({ a: {} });
    const forbidden = "__proto__";
    const edit = cell.edit((state: { a: Record<string, unknown> }) => void (state.a[forbidden] = { x: 1 }));

    await expect(edit).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      details: { reason: "state", path: "a.__proto__" },
    });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("finds drafts in what was frozen before it was put in, however deep", async () => {
    const { cell } = createTestCell({ a: { n: 1 }, list: [{ n: 2 }] as object[] });
    const answer = await cell.edit((state: { a: { n: number }; list: { n: number }[]; b?: object }) => {
      state.b = Object.freeze({ deep: Object.freeze([Object.freeze({ a: state.a })]) });
      state.list.unshift(Object.freeze({ n: 3, deep: Object.freeze({ a: state.a }) }));
      state.list.sort((left, right) => left.n - right.n);
      state.a.n = 5;
      return state;
    });

    const a = { n: 5 };
    const after = { a, list: [{ n: 2 }, { n: 3, deep: { a } }], b: { deep: [{ a }] } };
    expect(cell.read()).toEqual(after);
    expect(answer).toEqual(after);
  });

  it("finds drafts however deep they are in an answer, and in an event", async () => {
    const { cell } = createTestCell({ a: { n: 1 } });
    const nested = (inner: object) => Array.from({ length: 30 }).reduce<object>((all) => ({ all }), inner);
    const answer = await cell.edit((state: { a: object }) => [
      nested(state.a),
      Object.freeze({ a: state.a }),
      new StopEvent({ result: nested(state.a) }),
    ]);

    expect(answer).toEqual([nested({ n: 1 }), { a: { n: 1 } }, expect.objectContaining({ result: nested({ n: 1 }) })]);
  });

  it("returns a circle that has one, and refuses it in the state", async () => {
    const { cell } = createTestCell({ a: {} });
    const circle: Record<string, object> = {};
    Object.assign(circle, { left: circle, right: circle });

    expect(await cell.edit(() => circle)).toBe(circle);
    await expect(cell.edit((state: { b?: object }) => void (state.b = circle))).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      message: expect.stringContaining("contains itself"),
    });
  });

  it("takes a part of another state that is being edited as it is then", async () => {
    const { cell: one } = createTestCell({ list: [1], rest: {} });
    const { cell: other } = createTestCell({});
    await one.edit(async (state: { list: number[]; rest: { n?: number } }) => {
      state.list.push(2);
      await other.edit((taken: Record<string, unknown>) => {
        taken["edited"] = state.list;
        taken["within"] = [state.rest];
      });
      await other.write("written", { list: state.list });
      state.list.push(3);
      state.rest.n = 1;
    });

    expect(one.read()).toEqual({ list: [1, 2, 3], rest: { n: 1 } });
    expect(other.read()).toEqual({ edited: [1, 2], within: [{}], written: { list: [1, 2] } });
  });

  it("finds drafts in a list that was frozen before it was put in", async () => {
    const { cell } = createTestCell({ list: [{ n: 1 }] });
    await cell.edit((state: { list: readonly { n: number }[] }) => {
      (state.list[0] as { n: number }).n = 2;
      state.list = Object.freeze([...state.list, { n: 3 }]);
    });

    expect(cell.read("list")).toEqual([{ n: 2 }, { n: 3 }]);
    expect(JSON.stringify(cell.read())).toBe('{"list":[{"n":2},{"n":3}]}');
  });
});
