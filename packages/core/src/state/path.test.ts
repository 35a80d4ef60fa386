import { describe, expect, it } from "vitest";
import { readPath, writePath } from "./path.js";

const state = Object.freeze({
  count: 1,
  user: Object.freeze({ name: "Ada", tags: Object.freeze(["a", "b"]) }),
  other: Object.freeze({ deep: true }),
  seen: new Map([["x", 1]]),
});

describe("readPath", () => {
  it("follows keys of objects and indexes of arrays", () => {
    expect(readPath(state, "user.tags.1")).toBe("b");
  });

  it.each(["missing", "missing.parent.too", "count.digits", "user.tags.2", "user.tags.length", "user.tags.-1", "user.tags.01", "seen.x"])(
    "gives undefined for %j",
    (path) => {
      expect(readPath(state, path)).toBeUndefined();
    },
  );

  it("never means a method or an inherited property", () => {
    expect(readPath(state, "toString")).toBeUndefined();
    expect(readPath({ get: 1, items: { keys: 2 } }, "items.keys")).toBe(2);
    expect(readPath({ get: 1 }, "get")).toBe(1);
  });

  it("refuses segments that reach prototypes", () => {
    expect(() => readPath(state, "user.__proto__")).toThrow(expect.objectContaining({ code: "STATE_PATH" }));
  });
});

describe("writePath", () => {
  it("copies along the path and shares the rest", () => {
    const next = writePath(state, "user.name", "Grace") as typeof state;

    expect(next.user).toEqual({ name: "Grace", tags: ["a", "b"] });
    expect(next.user.tags).toBe(state.user.tags);
    expect(next.other).toBe(state.other);
    expect(state.user.name).toBe("Ada");
  });

  it("makes missing objects on the way, also where null is, and takes numbers as their keys", () => {
    expect(writePath({ a: null }, "a.7.b", 1)).toEqual({ a: { "7": { b: 1 } } });
  });

  it("sets an item that exists", () => {
    expect(writePath({ list: [1, 2] }, "list.1", 3)).toEqual({ list: [1, 3] });
  });

  it("takes keys named like methods", () => {
    expect(writePath({}, "items.get.valueOf", 1)).toEqual({ items: { get: { valueOf: 1 } } });
  });

  it.each([
    ["", "is empty"],
    ["count.x", 'leads through "count"'],
    ["seen.x", 'leads through "seen", which is a Map'],
    ["user.tags.2", "which has 2 items"],
    ["user.tags.x", "which has 2 items"],
    ["user.tags.length", "which has 2 items"],
    ["__proto__.polluted", "__proto__"],
    ["user.constructor", "constructor"],
    ["prototype", "prototype"],
    [Array(1001).fill("a").join("."), "1001 segments"],
  ])("refuses %j", (path, reason) => {
    const before = structuredClone({ ...state });

    expect(() => writePath(state, path, 1)).toThrow(
      expect.objectContaining({ code: "STATE_PATH", message: expect.stringContaining(reason) }),
    );
    expect(state).toEqual(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
