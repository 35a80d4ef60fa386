import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Context, defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../index.js";
import { findSlot, readPath } from "./prepare-change.js";

const refused = { code: "OPTION_INVALID", details: expect.objectContaining({ reason: "path" }) };

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
  ])("returns undefined for %j", (path) => {
    expect(readPath(state, path)).toBeUndefined();
  });

  it.each([
    ["count.digits", 'leads through "count", which is the number 1.'],
    ["user.name.first", 'leads through "user.name", which is the string "Ada".'],
    ["seen.x", 'leads through "seen", which is an instance of Map.'],
  ])("refuses %j, which leads through a value without fields", (path, reason) => {
    expect(() => readPath(state, path)).toThrow(
      expect.objectContaining({ ...refused, message: expect.stringContaining(reason) }),
    );
  });

  it("never means a method or an inherited property", () => {
    expect(readPath(state, "toString")).toBeUndefined();
    expect(readPath({ get: 1, items: { keys: 2 } }, "items.keys")).toBe(2);
    expect(readPath({ get: 1 }, "get")).toBe(1);
  });

  it("refuses segments that reach prototypes", () => {
    expect(() => readPath(state, "user.__proto__")).toThrow(expect.objectContaining(refused));
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
    ["seen.x", 'leads through "seen", which is an instance of Map'],
    ["user.tags.2", "which has 2 items"],
    ["user.tags.x", "which has 2 items"],
    ["user.tags.length", "which has 2 items"],
    ["__proto__.polluted", "__proto__"],
    ["user.constructor", "constructor"],
    ["new.prototype", "prototype"],
    [Array(1001).fill("a").join("."), "1001 segments"],
  ])("refuses %j", (path, reason) => {
    expect(() => findSlot(state, path, 1)).toThrow(
      expect.objectContaining({ ...refused, message: expect.stringContaining(reason) }),
    );
  });
});

describe("a list of keys", () => {
  const hosts = { hosts: { "example.com": { ip: "1" }, v1: { ip: "2" } }, list: [{ "a.b": 1 }] };

  it("reads and writes keys with dots, and places in arrays", () => {
    expect(readPath(hosts, ["hosts", "example.com", "ip"])).toBe("1");
    expect(readPath(hosts, ["list", 0, "a.b"])).toBe(1);
    expect(readPath(hosts, ["hosts", "example.com.au"])).toBeUndefined();
    expect(findSlot(hosts, ["hosts", "example.com.au", "ip"], "3")).toMatchObject({
      path: ["hosts", "example.com.au"],
      exists: false,
      after: { ip: "3" },
    });
    expect(findSlot(hosts, ["list", 0, "a.b"], 2)).toMatchObject({ path: ["list", 0, "a.b"], exists: true, before: 1 });
  });

  test.prop([
    fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("a.b", ".", "")), { minLength: 1, maxLength: 4 }),
  ])("reads what was written at it, whatever the keys are", (keys) => {
    fc.pre(keys.every((key) => key !== "__proto__" && key !== "constructor" && key !== "prototype"));
    const { path, after } = findSlot({}, keys, "value");

    expect(path).toEqual([keys[0]]);
    expect(readPath({ [keys[0] as string]: after }, keys)).toBe("value");
  });

  it.each([
    [["user", "__proto__"], "forbidden segment"],
    [["count", "digits"], '["count","digits"] leads through "count"'],
    [["user", null], "neither a text nor a list of keys"],
    [["user", 1.5], "neither a text nor a list of keys"],
    [Array.from({ length: 1_001 }, () => "a"), "1001 segments"],
    [5, "neither a text nor a list of keys"],
  ])("is refused: %j", (path, reason) => {
    expect(() => readPath(state, path as never)).toThrow(
      expect.objectContaining({ ...refused, message: expect.stringContaining(reason) }),
    );
  });

  it("is refused for a write if it is empty", () => {
    expect(() => findSlot(state, [], 1)).toThrow(expect.objectContaining(refused));
  });
});

describe("a schema that refuses what a dotted path with an id in it has written", () => {
  const ip = z.object({ ip: z.string() });
  const strict = z.strictObject({ ip: z.string() });

  it.each([
    ["example.com", ip],
    ["v1.0", strict],
  ])("says how to write a key with dots: %s", async (id, entry) => {
    const hosts = z.record(z.string(), entry).default({ v1: { ip: "1" } });
    const workflow = defineWorkflow("w", { state: { hosts } })
      .step("s", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
      .build();
    const { store } = new Context(workflow);

    await expect(store.set(`hosts.${id}`, { ip: "2" })).rejects.toMatchObject({
      code: "STATE_INVALID",
      hint: expect.stringContaining(`["hosts","${id}"]`),
    });
    await store.set(["hosts", id], { ip: "2" });
    expect(await store.get(["hosts", id, "ip"])).toBe("2");
  });

  it("says nothing of it where the path leads to a value that is there", async () => {
    const workflow = defineWorkflow("w", { state: { user: z.object({ age: z.number() }).default({ age: 1 }) } })
      .step("s", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
      .build();

    await expect(new Context(workflow).store.set("user.age", "old" as never)).rejects.toMatchObject({
      hint: expect.not.stringContaining("list"),
    });
  });
});

describe("a step", () => {
  it("writes at a list of keys once, over retries", async () => {
    let writes = 0;
    const workflow = defineWorkflow("w")
      .step(
        "s",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) }) },
        async (_ev, ctx) => {
          await ctx.store.set(["hosts", "a.b"], { ip: "1" });
          await ctx.store.set("hosts.a.b", 2);
          if (ctx.retryInfo().attempt === 1) throw new Error("fails once");
          return new StopEvent({ result: await ctx.store.get() });
        },
      )
      .build();
    workflow.on("state.edited", () => void writes++);

    expect(await workflow.run()).toEqual({ hosts: { "a.b": { ip: "1" }, a: { b: 2 } } });
    expect(writes).toBe(2);
  });
});
