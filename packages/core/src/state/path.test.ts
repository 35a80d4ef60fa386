import { describe, expect, it } from "vitest";
import { findSlot, readPath } from "./path.js";

const state = Object.freeze({
  count: 1,
  user: Object.freeze({ name: "Ada", tags: Object.freeze(["a", "b"]) }),
  other: Object.freeze({ deep: true }),
  seen: new Map([["x", 1]]),
  nothing: null,
});

describe("readPath", () => {
  it("follows keys of objects and indexes of arrays", () => {
    expect(readPath(state, "user.tags.1")).toBe("b");
  });

  it.each([
    "missing",
    "missing.parent.too",
    "nothing.below",
    "user.tags.2",
    "user.tags.length",
    "user.tags.-1",
    "user.tags.01",
  ])("gives undefined for %j", (path) => {
    expect(readPath(state, path)).toBeUndefined();
  });

  it.each([
    ["count.digits", 'leads through "count", which is the number 1.'],
    ["user.name.first", 'leads through "user.name", which is the string "Ada".'],
    ["seen.x", 'leads through "seen", which is a Map.'],
  ])("refuses %j, which leads through a value without fields", (path, reason) => {
    expect(() => readPath(state, path)).toThrow(
      expect.objectContaining({ code: "STATE_PATH", message: expect.stringContaining(reason) }),
    );
  });

  it("never means a method or an inherited property", () => {
    expect(readPath(state, "toString")).toBeUndefined();
    expect(readPath({ get: 1, items: { keys: 2 } }, "items.keys")).toBe(2);
    expect(readPath({ get: 1 }, "get")).toBe(1);
  });

  it("refuses segments that reach prototypes", () => {
    expect(() => readPath(state, "user.__proto__")).toThrow(expect.objectContaining({ code: "STATE_PATH" }));
  });
});

describe("findSlot", () => {
  it("leads to what is there", () => {
    expect(findSlot(state, "user.tags.1", "c")).toEqual({
      path: ["user", "tags", 1],
      exists: true,
      before: "b",
      after: "c",
    });
  });

  it("makes missing objects on the way, also where null is, and takes numbers as their keys", () => {
    expect(findSlot({ a: null }, "a.7.b", 1)).toEqual({
      path: ["a"],
      exists: true,
      before: null,
      after: { "7": { b: 1 } },
    });
    expect(findSlot({}, "x.y", 1)).toEqual({ path: ["x"], exists: false, before: undefined, after: { y: 1 } });
  });

  it("takes keys named like methods", () => {
    expect(findSlot({}, "items.get.valueOf", 1)).toMatchObject({
      path: ["items"],
      exists: false,
      after: { get: { valueOf: 1 } },
    });
    expect(findSlot({ items: {} }, "items.toString", 1)).toMatchObject({ path: ["items", "toString"], exists: false });
  });

  it.each([
    ["", "is empty"],
    ["count.x", 'leads through "count", which is the number 1.'],
    ["user.name.x", 'leads through "user.name", which is the string "Ada".'],
    ["seen.x", 'leads through "seen", which is a Map'],
    ["user.tags.2", "which has 2 items"],
    ["user.tags.x", "which has 2 items"],
    ["user.tags.length", "which has 2 items"],
    ["__proto__.polluted", "__proto__"],
    ["user.constructor", "constructor"],
    ["new.prototype", "prototype"],
    [Array(1001).fill("a").join("."), "1001 segments"],
  ])("refuses %j", (path, reason) => {
    expect(() => findSlot(state, path, 1)).toThrow(
      expect.objectContaining({ code: "STATE_PATH", message: expect.stringContaining(reason) }),
    );
  });
});
