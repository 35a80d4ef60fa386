import { createDraft, finishedState } from "millrace/engine";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "./json.js";
import { applyTo } from "./patches.js";
import { LiveSessionState } from "./session-state.js";

interface Cart {
  items: { name: string; count: number }[];
  total?: number;
}

function open(initial: JsonObject = {}) {
  const live = new LiveSessionState(initial);
  const stored = structuredClone(initial);
  const view = live.view();
  return { live, view, stored, state: view.state, store: () => applyTo(stored, view.take()) };
}

describe("a view of the session state", () => {
  it("reads like a plain object", () => {
    const { state } = open({ name: "Ann", tags: ["a", "b"], cart: { items: [{ name: "milk", count: 1 }] } });
    const tags = state["tags"] as string[];

    expect(JSON.stringify(state)).toBe('{"name":"Ann","tags":["a","b"],"cart":{"items":[{"name":"milk","count":1}]}}');
    expect(Object.keys(state)).toEqual(["name", "tags", "cart"]);
    expect({ ...state }).toEqual(state);
    expect([...tags, "c"]).toEqual(["a", "b", "c"]);
    expect(Array.isArray(tags)).toBe(true);
    expect(tags.map((tag) => tag.toUpperCase())).toEqual(["A", "B"]);
    expect("name" in state && !("other" in state)).toBe(true);
    expect(state["other"]).toBeUndefined();
    expect(String(state["toString"])).toContain("native code");
  });

  it("returns the same object for the same object", () => {
    const { state } = open({ cart: { items: [{ name: "milk", count: 1 }] } });
    const { items } = state["cart"] as Cart;
    const [milk] = items;

    items.unshift({ name: "eggs", count: 2 });

    expect(state["cart"]).toBe(state["cart"]);
    expect((state["cart"] as Cart).items[1]).toBe(milk);
    expect(items.indexOf(milk as Cart["items"][0])).toBe(1);
  });

  it("writes through: every other view sees it at once", () => {
    const { live, state } = open({ list: [1] });
    const other = live.view();

    (state["list"] as number[]).push(2);
    state["name"] = "Ann";
    delete state["none"];

    expect(other.state).toEqual({ list: [1, 2], name: "Ann" });
    expect(other.take()).toEqual([]);
  });

  it("records what it changes where it is by then, however it came there", () => {
    const { state, stored, store } = open({
      cart: {
        items: [
          { name: "milk", count: 1 },
          { name: "eggs", count: 2 },
        ],
      },
    });
    const cart = state["cart"] as Cart;
    const eggs = cart.items[1] as Cart["items"][0];
    cart.items = cart.items.filter((item) => item !== cart.items[0]);
    eggs.count = 12;
    state["basket"] = cart;
    delete state["cart"];
    cart.total = 3;
    store();

    expect(stored).toEqual(JSON.parse(JSON.stringify(state)));
    expect(stored["basket"]).toEqual({ items: [{ name: "eggs", count: 12 }] });
  });

  it("keeps one object at one place: a second place has a copy", () => {
    const { state, stored, store } = open({ a: { n: 1 } });
    state["b"] = state["a"];
    (state["b"] as { n: number }).n = 2;
    store();

    expect(state).toEqual({ a: { n: 1 }, b: { n: 2 } });
    expect(stored).toEqual(state);
  });

  it("lets what was removed be changed, and put back", () => {
    const { state, stored, store } = open({ list: [{ n: 1 }] });
    const removed = (state["list"] as { n: number }[]).pop() as { n: number };
    removed.n = 2;
    store();
    const without = structuredClone(stored);
    (state["list"] as object[]).push(removed);
    removed.n = 3;
    store();

    expect([without, stored]).toEqual([{ list: [] }, { list: [{ n: 3 }] }]);
  });

  it("records what is changed in an object after it was put there", () => {
    const { state, stored, store } = open();
    const list: number[] = [];
    const item = { done: false };
    state["list"] = list;
    list.push(1);
    (state["list"] as number[]).push(2);
    state["items"] = [...((state["items"] as object[] | undefined) ?? []), item];
    store();
    list.push(3);
    item.done = true;
    store();

    expect(stored).toEqual({ list: [1, 2, 3], items: [{ done: true }] });
    expect(state).toEqual(stored);
  });

  it("replaces the content, and only what differs", () => {
    const { live, view, state, stored, store } = open({ keep: { n: 1 }, drop: 1, change: 1 });
    const { keep } = state;

    view.replace({ ...state, change: 2, added: true });
    delete view.state["drop"];

    expect(view.state).toBe(state);
    expect(state["keep"]).toBe(keep);
    store();
    expect(stored).toEqual({ keep: { n: 1 }, change: 2, added: true });
    view.replace({});
    expect(live.plain()).toEqual({});
  });

  it("can be an array that is sorted, filled and cut", () => {
    const { state, stored, store } = open({ list: [3, 1, 2] });
    const list = state["list"] as unknown[];

    expect(list.sort()).toBe(list);
    expect(list.reverse()).toEqual([3, 2, 1]);
    expect(list.splice(-1)).toEqual([1]);
    list.length = 1;
    list[1] = { n: 1 };
    list.fill({ n: 9 }, 0);
    (list[0] as { n: number }).n = 8;
    store();

    expect(stored).toEqual({ list: [{ n: 8 }, { n: 9 }] });
  });

  it.each([
    ["a function", () => {}, "a.b"],
    ["a date", new Date(0), "a.b"],
    ["a map", { deep: [new Map()] }, "a.b.deep.0"],
    ["no number", Number.NaN, "a.b"],
    ["a big integer", 1n, "a.b"],
    ["a symbol", Symbol("s"), "a.b"],
    ["a gap", { list: new Array(2) }, "a.b.list.0"],
  ])("refuses %s where it is written, and stays as it was", (_name, value, path) => {
    const { state, view } = open({ a: { b: 1 } });

    expect(() => {
      (state["a"] as JsonObject)["b"] = value;
    }).toThrow(expect.objectContaining({ code: "VALUE_UNSERIALIZABLE", details: { reason: "state", path } }));
    expect(state).toEqual({ a: { b: 1 } });
    expect(view.take()).toEqual([]);
  });

  it("refuses circles, gaps, prototypes and fields of lists", () => {
    const { state } = open({ list: [1], a: {} });
    const circle: JsonObject = {};
    circle["self"] = circle;
    const list = state["list"] as unknown[];
    const refused = expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" });

    expect(() => Object.assign(state, { circle })).toThrow(refused);
    expect(() => (list[2] = 1)).toThrow(refused);
    expect(() => delete list[0]).toThrow(refused);
    expect(() => Object.assign(list, { name: "x" })).toThrow(refused);
    expect(() => list.push(2, () => {})).toThrow(refused);
    expect(() => Object.assign(state, { constructor: 1 })).toThrow(refused);
    expect(() => Object.assign(state, { constructor: 1 })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("another name") }),
    );
    expect(() => Object.assign(state, JSON.parse('{"__proto__": {"x": 1}}'))).toThrow(refused);
    expect(() => Object.setPrototypeOf(state, null)).toThrow(TypeError);
    expect(state).toEqual({ list: [1], a: {} });
    expect(({} as JsonObject)["x"]).toBeUndefined();
  });
});

describe("what several attempts change", () => {
  it("is stored with each of them, in any order, and ends as what is live", () => {
    const live = new LiveSessionState({ count: 10 });
    const stored: JsonObject = { count: 10 };
    const views = [live.view(), live.view(), live.view()];
    for (const [index, by] of [1, 5, 10].entries()) {
      const { state } = views[index] as (typeof views)[number];
      state["count"] = Number(state["count"]) + by;
    }

    for (const index of [2, 0, 1]) applyTo(stored, views[index]?.take() ?? []);

    expect(stored).toEqual({ count: 26 });
  });

  it("of one list is all there, also when one of them never ends", () => {
    const live = new LiveSessionState({ list: [] });
    const stored: JsonObject = { list: [] };
    const [first, second, third] = [live.view(), live.view(), live.view()];
    (first.state["list"] as string[]).push("first");
    (second.state["list"] as string[]).push("second");
    (third.state["list"] as string[]).push("third");

    applyTo(stored, third.take());
    applyTo(stored, second.take());

    expect(stored).toEqual({ list: ["second", "third"] });
    applyTo(stored, first.take());
    expect(stored).toEqual({ list: ["first", "second", "third"] });
  });

  it("inside of what another has just made is not lost when that is stored later", () => {
    const live = new LiveSessionState({});
    const stored: JsonObject = {};
    const [first, second] = [live.view(), live.view()];
    first.state["cart"] = { items: [] };
    (first.state["cart"] as Cart).total = 1;
    (second.state["cart"] as Cart).items.push({ name: "milk", count: 1 });

    applyTo(stored, second.take());
    expect(stored).toEqual({ cart: { items: [{ name: "milk", count: 1 }] } });
    applyTo(stored, first.take());

    expect(stored).toEqual({ cart: { items: [{ name: "milk", count: 1 }], total: 1 } });
  });

  it("stays when the attempt is over, is stored with the next changes, and is the last of that attempt", () => {
    const live = new LiveSessionState({ list: [] });
    const stored: JsonObject = { list: [] };
    const [ended, next] = [live.view(), live.view()];
    ended.state["failed"] = true;
    ended.close(() => new TypeError("over"));
    next.state["next"] = true;

    const changes: readonly (() => unknown)[] = [
      () => (ended.state["late"] = 1),
      () => delete ended.state["failed"],
      () => (ended.state["list"] as unknown[]).push(1),
      () => ended.replace({}),
    ];
    for (const change of changes) expect(change).toThrow("over");
    applyTo(stored, next.take());

    expect(stored).toEqual({ list: [], failed: true, next: true });
    expect(live.plain()).toEqual(stored);
  });

  it("can be stored in a draft", () => {
    const { view, state } = open({ list: [{ n: 1 }] });
    (state["list"] as object[]).push({ n: 2 }, { n: 3 });
    ((state["list"] as JsonObject[])[1] as JsonObject)["n"] = 20;
    state["made"] = { deep: {} };
    ((state["made"] as JsonObject)["deep"] as JsonObject)["list"] = [1];

    const stored = Object.freeze({ list: Object.freeze([Object.freeze({ n: 1 })]) });
    const draft = createDraft<{ readonly session: JsonObject }>(Object.freeze({ session: stored as JsonObject }));
    applyTo(draft.session, view.take());

    expect(finishedState(draft).session).toEqual(live(state));
    expect(stored.list).toEqual([{ n: 1 }]);
    (state["list"] as object[]).push({ n: 4 }); // nothing of it is frozen
  });
});

const live = (state: JsonObject): unknown => JSON.parse(JSON.stringify(state));
