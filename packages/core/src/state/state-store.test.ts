import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTestCell, deferred } from "../../test/support/test-cell.js";
import { createStateSchema, type PreparedChange } from "./state-schema.js";
import { type Commit, StateStore } from "./state-store.js";

interface State {
  count: number;
  list: { n: number }[];
  [key: string]: unknown;
}
const start = { count: 0, list: [{ n: 1 }] };

describe("StateCell: reads", () => {
  it("returns the committed state, values at paths, fallbacks and undefined", () => {
    const { cell } = createTestCell({ a: { b: null, c: undefined }, items: 1 });

    expect(cell.read()).toEqual({ a: { b: null, c: undefined }, items: 1 });
    expect(cell.read("")).toBe(cell.read());
    expect(cell.read("items")).toBe(1);
    expect(cell.read("a.b", "fallback")).toBeNull();
    expect(cell.read("a.c", "fallback")).toBe("fallback");
    expect(cell.read("x.y")).toBeUndefined();
    expect(cell.read("x.y", 7)).toBe(7);
  });

  it("are frozen all the way, also what came in frozen outside only, and Map and Set", async () => {
    const { cell } = createTestCell();
    await cell.write(
      "data",
      Object.freeze({ inner: { list: [1] }, map: new Map([["k", { v: 1 }]]), set: new Set([1]) }),
    );

    const data = cell.read("data") as { inner: { list: number[] }; map: Map<string, { v: number }>; set: Set<number> };
    expect(() => data.inner.list.push(2)).toThrow(TypeError);
    expect(() => data.map.set("x", { v: 2 })).toThrow();
    expect(() => Object.assign(data.map.get("k") as object, { v: 2 })).toThrow(TypeError);
    expect(() => data.set.add(2)).toThrow();
  });

  it("see only what is stored, also during an edit and its storing", async () => {
    const stored = deferred();
    const { cell } = createTestCell(start, { stored: stored.promise });
    const edit = cell.edit((state: State) => {
      state.count = 5;
      expect(cell.read("count")).toBe(0);
    });
    await Promise.resolve();
    expect(cell.read("count")).toBe(0);

    stored.resolve();
    await edit;
    expect(cell.read("count")).toBe(5);
  });
});

describe("StateCell: write", () => {
  it("commits the smallest change and shares what it does not touch", async () => {
    const { cell, commits } = createTestCell(start);
    const list = cell.read("list");
    await cell.write("count", 1, { token: {}, note: "call 1" });

    expect(commits).toMatchObject([
      {
        change: { patches: [{ op: "replace", path: ["count"], value: 1 }] },
        commit: { writer: { note: "call 1" }, value: 1 },
      },
    ]);
    expect(cell.read("list")).toBe(list);
  });

  it("stores only what differs of an equal value, and nothing of the same", async () => {
    const { cell, commits } = createTestCell({ user: { name: "Ada", tags: ["a"], about: "x".repeat(100) } });
    const before = cell.read("user.tags");
    const grace = { name: "Grace", tags: ["a"], about: "x".repeat(100) };
    await cell.write("user", grace);
    await cell.write("user.name", "Grace");

    expect(commits.map(({ change }) => "patches" in change && change.patches)).toEqual([
      [{ op: "replace", path: ["user", "name"], value: "Grace" }],
      [],
    ]);
    expect(cell.read("user.tags")).toBe(before);
    expect(() => grace.tags.push("b")).toThrow(TypeError);
  });

  it("makes missing objects, and keeps the state as it was for whoever holds it", async () => {
    const { cell } = createTestCell(start);
    const before = cell.read() as State;
    await cell.write("scores.7.best", 1);
    await cell.write("list.0.n", 5);

    expect(cell.read()).toEqual({ count: 0, list: [{ n: 5 }], scores: { "7": { best: 1 } } });
    expect(before).toEqual(start);
  });

  it("loses no write of many at once", async () => {
    const { cell } = createTestCell({});
    await Promise.all(Array.from({ length: 100 }, (_, index) => cell.write(`by.${index}`, index)));

    expect(Object.keys(cell.read("by") as object)).toHaveLength(100);
  });

  it.each([["count.x"], [""], ["list.5"], ["__proto__.x"]])("refuses the path %j and changes nothing", async (path) => {
    const { cell, commits } = createTestCell(start);

    await expect(cell.write(path, 1)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(commits).toEqual([]);
  });

  class Client {}
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    ["a class instance", { deep: [new Client()] }, "a.b.deep.0"],
    ["a function", () => 1, "a.b"],
    ["a symbol", new Map([["k", Symbol("s")]]), "a.b.k"],
    ["a forbidden key", JSON.parse('{"__proto__": 1}'), "a.b.__proto__"],
  ])("refuses %s with its path", async (_name, value, path) => {
    const { cell } = createTestCell(start);

    await expect(cell.write("a.b", value)).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      details: { reason: "state", path },
    });
    expect(cell.read("a")).toBeUndefined();
  });

  it("refuses cycles, and paths deeper than a snapshot", async () => {
    const { cell } = createTestCell(start);

    await expect(cell.write("a", cycle)).rejects.toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
    await expect(cell.write(Array(300).fill("a").join("."), 1)).rejects.toMatchObject({ code: "VALUE_UNSERIALIZABLE" });
  });

  it("takes registered classes, Date, typed arrays, Map and Set", async () => {
    class Money {}
    const types = [
      { name: "Money", is: (value: unknown) => value instanceof Money, encode: () => 0, decode: () => new Money() },
    ];
    const { cell } = createTestCell({}, { types });
    const rich = {
      money: new Money(),
      at: new Date(0),
      bytes: new Uint8Array([1]),
      map: new Map([[1, 2]]),
      set: new Set(["a"]),
    };
    await cell.write("rich", rich);

    expect(cell.read("rich")).toEqual(rich);
  });
});

describe("StateCell: edit", () => {
  it("returns the value of the callback, sync and async, with drafts unwrapped", async () => {
    const { cell } = createTestCell(start);

    expect(await cell.edit((state: State) => ++state.count)).toBe(1);
    expect(await cell.edit(async (state: State) => state.list[0])).toEqual({ n: 1 });
    const nested = await cell.edit((state: State) => {
      (state.list[0] as { n: number }).n = 2;
      return { first: state.list[0], all: [state.list] };
    });
    expect(JSON.stringify(nested)).toBe('{"first":{"n":2},"all":[[{"n":2}]]}');
  });

  it("loses nothing in a thousand edits and writes at once", async () => {
    const { cell } = createTestCell({ count: 0 });
    const edits = Array.from({ length: 1000 }, (_, index) => [
      cell.edit(async (state: State) => {
        const before = state.count;
        await null;
        state.count = before + 1;
      }),
      cell.write(`other.${index}`, index),
    ]);
    await Promise.all(edits.flat());

    expect(cell.read("count")).toBe(1000);
    expect(Object.keys(cell.read("other") as object)).toHaveLength(1000);
  });

  it("commits nothing when the callback throws, and frees the lock", async () => {
    const { cell, commits } = createTestCell(start);
    const error = new Error("no");
    const fail = (state: State): never => {
      state.count = 9;
      throw error;
    };

    await expect(cell.edit(fail)).rejects.toBe(error);
    await expect(cell.edit(async (state: State) => fail(state))).rejects.toBe(error);
    expect(commits).toEqual([]);
    await cell.write("count", 1);
    expect(cell.read("count")).toBe(1);
  });

  it("commits without patches what changed nothing", async () => {
    const { cell, commits } = createTestCell(start);
    await cell.edit((state: State) => void (state.count = 0));

    expect(commits).toMatchObject([{ change: { patches: [], next: start } }]);
    expect(cell.read()).toBe(start);
  });

  it("refuses a class instance and a function deep in a draft", async () => {
    const { cell } = createTestCell(start);

    await expect(cell.edit((state: State) => void state.list.push({ n: (() => 1) as never }))).rejects.toMatchObject({
      code: "VALUE_UNSERIALIZABLE",
      details: { reason: "state", path: "list.1.n" },
    });
  });

  it("rejects with what storing rejects with, and frees the lock", async () => {
    const failure = new Error("disk full");
    const { cell } = createTestCell(start, { stored: Promise.reject(failure) });

    await expect(cell.edit((state: State) => void state.count++)).rejects.toBe(failure);
    await expect(cell.write("count", 1)).rejects.toBe(failure);
  });

  it("lets writers in by their arrival, also when some of them were rolled back before their turn", async () => {
    const { cell } = createTestCell(start);
    const gate = deferred();
    const order: string[] = [];
    const attempt = {};
    const edit = (name: string, token: object = {}): Promise<unknown> =>
      cell.edit(() => void order.push(name), { token });

    const first = cell.edit(() => gate.promise);
    void edit("second", attempt).catch(() => order.push("second refused"));
    const third = edit("third");
    void edit("fourth", attempt).catch(() => order.push("fourth refused"));
    const fifth = edit("fifth");
    cell.rollback(attempt, new Error("over"));
    gate.resolve();
    await Promise.all([first, third, fifth, edit("sixth")]);

    expect(order).toEqual(["second refused", "fourth refused", "third", "fifth", "sixth"]);
    expect(cell.isBusy).toBe(false);
  });

  it("runs the callback in the async context of its caller", async () => {
    const { cell } = createTestCell(start);
    const users = new AsyncLocalStorage<string>();
    const first = users.run("first", () =>
      cell.edit(async () => {
        await null;
        return users.getStore();
      }),
    );
    const second = users.run("second", () => cell.edit(() => users.getStore()));

    expect(await Promise.all([first, second])).toEqual(["first", "second"]);
  });
});

describe("StateCell: replace and clear", () => {
  it("replaces the whole, and goes back to the defaults", async () => {
    const { cell, commits } = createTestCell(
      { count: 3, name: "x" },
      { schema: createStateSchema({ count: z.number().default(0), name: z.string().default("") }) },
    );
    await cell.replace({ count: 7, name: "y" });
    expect(cell.read()).toEqual({ count: 7, name: "y" });
    expect(commits[0]?.change).toHaveProperty("whole", true);

    await cell.clear();
    expect(cell.read()).toEqual({ count: 0, name: "" });
  });

  it("clears to an empty record without a schema", async () => {
    const { cell } = createTestCell(start);
    await cell.clear();

    expect(cell.read()).toEqual({});
  });

  it.each([[null], [[1]], ["text"], [new Map()]])("refuses %j as a state", async (state) => {
    await expect(createTestCell(start).cell.replace(state)).rejects.toMatchObject({ code: "STATE_INVALID" });
  });
});

describe("StateCell: schema", () => {
  const schema = createStateSchema({
    count: z.number().default(0),
    list: z.array(z.object({ n: z.number() })).default([]),
  });

  it("commits nothing that does not fit, from any writer", async () => {
    const { cell, commits } = createTestCell(start, { schema });

    await expect(cell.write("count", "text")).rejects.toMatchObject({
      code: "STATE_INVALID",
      message: expect.stringContaining("count: "),
    });
    await expect(cell.edit((state: State) => void (state.list[0] = { n: "x" as never }))).rejects.toMatchObject({
      code: "STATE_INVALID",
    });
    await expect(cell.replace({ count: "text" })).rejects.toMatchObject({ code: "STATE_INVALID" });
    await expect(cell.write("unknown", 1)).rejects.toMatchObject({ code: "STATE_INVALID" });
    expect(commits).toEqual([]);
  });

  it("does not ask about untouched fields", async () => {
    const { cell } = createTestCell({ count: "left over", list: [] }, { schema });
    await cell.write("list", [{ n: 2 }]);

    expect(cell.read("list.0.n")).toBe(2);
  });

  it("restores the default of a deleted field", async () => {
    const { cell } = createTestCell({ count: 4, list: [] }, { schema });
    await cell.edit((state: Partial<State>) => void delete state.count);

    expect(cell.read()).toEqual({ count: 0, list: [] });
  });
});

describe("StateCell: host", () => {
  it("gets the callback's value with the change", async () => {
    const seen: [PreparedChange, Commit][] = [];
    let state: unknown = Object.freeze({});
    const cell = new StateStore({
      read: () => state,
      commit: (change, commit) => {
        state = change.next;
        seen.push([change, commit]);
      },
      schema: null,
      types: [],
      lockTimeoutMs: 1,
      clock: { now: () => 0, setTimer: () => () => {} },
    });
    await cell.edit((draft: State) => {
      draft.a = 1;
      return "answer";
    });

    expect(seen).toEqual([
      [
        expect.objectContaining({ patches: [{ op: "add", path: ["a"], value: 1 }], next: { a: 1 } }),
        { writer: undefined, value: "answer", by: expect.objectContaining({ name: "editState" }) },
      ],
    ]);
  });
});
