/** Values of another realm, and Proxies, at every place that takes a value: each is kept as a plain copy of this realm. */
import { runInNewContext } from "node:vm";
import { test } from "@fast-check/vitest";
import { reactive, readonly } from "@vue/reactivity";
import { observable } from "mobx";
// @ts-expect-error [7016] -- Svelte has no types for what its compiler calls
import { proxy } from "svelte/internal/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { casesOf } from "../../../test-share.js";
import { decodeValue } from "../src/event/event-codec.js";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent } from "../src/index.js";
import { encodeValue } from "../src/value/codec.js";
import { record, value } from "./support/random-states.js";
import { rejection, reload, waiting } from "./support/runs.js";

class Bag extends event("Bag", { value: z.any() }) {}
class Answer extends HumanResponseEvent.define("Answer", { value: z.any() }) {}

const realm = runInNewContext(
  "({ Object, Array, Map, Set, Date, Error, TypeError, Uint8Array, Float64Array })",
) as typeof globalThis;

/** The same value, made by another realm all the way down. */
function abroad(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  if (given instanceof Date) return new realm.Date(given.getTime());
  if (given instanceof Map) return new realm.Map([...given].map(([key, part]) => [abroad(key), abroad(part)] as const));
  if (given instanceof Set) return new realm.Set([...given].map(abroad));
  if (Array.isArray(given)) return realm.Array.from(given, abroad);
  return Object.assign(
    new realm.Object(),
    Object.fromEntries(Object.entries(given).map(([key, part]) => [key, abroad(part)])),
  );
}

const places: Record<string, (given: unknown) => Promise<unknown>> = {
  "a field of an event": async (given) => new Bag({ value: given }).value,
  "a part of a field of an event": async (given) => new Bag({ value: { list: [given] } }).value.list[0],
  "the input of a run": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: ev.get("given") }))
      .build()
      .run({ given }),
  "the result of a run": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: given }))
      .build()
      .run(),
  "the result of `ctx.run`": (given) =>
    defineWorkflow("w")
      .step(
        "s",
        { on: StartEvent, emits: StopEvent },
        async (_ev, ctx) => new StopEvent({ result: await ctx.run("key", () => given) }),
      )
      .build()
      .run(),
  "the result of `editState`": (given) =>
    defineWorkflow("w")
      .step(
        "s",
        { on: StartEvent, emits: StopEvent },
        async (_ev, ctx) => new StopEvent({ result: await ctx.store.editState(() => given) }),
      )
      .build()
      .run(),
  "an edit": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.editState((state) => void ((state as { given: unknown }).given = given));
        return new StopEvent({ result: await ctx.store.get("given") });
      })
      .build()
      .run(),
  "an object that an edit puts in": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.editState((state) => void ((state as { box: unknown }).box = { list: [given] }));
        return new StopEvent({ result: await ctx.store.get("box.list.0") });
      })
      .build()
      .run(),
  "`set`": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.set("box.given", given);
        return new StopEvent({ result: await ctx.store.get("box.given") });
      })
      .build()
      .run(),
  "`setState`": (given) =>
    defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.store.setState({ given });
        return new StopEvent({ result: await ctx.store.get("given") });
      })
      .build()
      .run(),
  "an answer, after a restore": async (given) => {
    const workflow = defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_ev, ctx) => {
        const remembered = await ctx.run("key", () => given);
        const { value: answer } = await ctx.waitForEvent(Answer);
        return new StopEvent({ result: [remembered, answer] });
      })
      .build();
    const before = workflow.run();
    await waiting(before);
    const after = workflow.resume(reload(workflow, before.context));
    await after.sendEvent(new Answer({ value: given }));
    const [remembered, answer] = (await after) as [unknown, unknown];
    expect(remembered).toStrictEqual(answer);
    return answer;
  },
};

/** What each kind holds after `{ a: { b: [1, { c: 2 }] } }`, made by a library whose objects are Proxies. */
const proxies: Record<string, (given: object) => object> = {
  "Vue's `reactive`": (given) => reactive(given),
  "Vue's `readonly`": (given) => readonly(reactive(given)),
  "MobX's `observable`": (given) => observable(given),
  "Svelte's `$state`": (given) => proxy(given),
  "a Proxy without traps": (given) => new Proxy(given, {}),
  "a Proxy that refuses writes": (given) =>
    new Proxy(given, {
      defineProperty: () => false,
      deleteProperty: () => false,
      preventExtensions: () => false,
      set: () => false,
    }),
};

describe.each(Object.entries(places))("%s", (_place, keep) => {
  test.prop([value.filter((given) => given !== undefined)], { numRuns: casesOf(200) })(
    "keeps a value of another realm as one of this realm",
    async (given) => {
      expect(await keep(abroad(given))).toStrictEqual(await keep(given));
    },
  );

  it.each(Object.entries(proxies))("keeps a plain copy of %s, and leaves it as it was", async (_name, make) => {
    const given = make({ a: { b: [1, { c: 2 }] }, n: 1 }) as { a: { b: unknown[] }; n: number };

    const kept = await keep(given);

    expect(kept).toStrictEqual({ a: { b: [1, { c: 2 }] }, n: 1 });
    expect(structuredClone(kept)).toStrictEqual(kept);
    expect(Object.isFrozen(given) || Object.isFrozen(given.a.b)).toBe(false);
  });

  it("keeps errors and typed arrays of another realm", async () => {
    const error = Object.assign(new realm.TypeError("not a number"), { code: "E_NUMBER" });

    const [kept, bytes] = (await keep([error, new realm.Uint8Array([1, 2])])) as [Error, Uint8Array];

    expect(kept).toBeInstanceOf(TypeError);
    expect(kept).toMatchObject({ name: "TypeError", message: "not a number", code: "E_NUMBER" });
    expect(bytes).toStrictEqual(new Uint8Array([1, 2]));
  });
});

describe("a class of another realm", () => {
  it.each([
    ["a class", "new (class Order {})", "Order"],
    ["a class that extends Map", "new (class Basket extends Map {})", "Basket"],
    ["a class that extends Error", "new (class Failure extends Error {})", "Failure"],
    [
      "an object with the tag of a Date",
      "Object.create({ get [Symbol.toStringTag]() { return 'Date' } }, {})",
      "Object",
    ],
    ["an object with the prototype of a Map", "Object.create(Map.prototype)", "Map"],
    ["an invalid date", "new Date(NaN)", "invalid date"],
  ])("refuses %s", async (_what, code, name) => {
    const error = await rejection(
      defineWorkflow("w")
        .step("s", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
          await ctx.run("key", () => runInNewContext(code));
          return new StopEvent();
        })
        .build()
        .run(),
    );

    expect(error.code).toBe("VALUE_UNSERIALIZABLE");
    expect(error.message).toContain(name);
  });

  it.each([
    ["a Date", new Proxy(new Date(0), {})],
    ["a Map", new Proxy(new Map(), {})],
    ["a URL", new Proxy(new URL("http://a/"), {})],
    ["forged slots", Object.create(Date.prototype)],
  ])("refuses a Proxy that nobody can read: of %s", (_what, given) => {
    expect(() => encodeValue({ given }, "here")).toThrow(expect.objectContaining({ code: "VALUE_UNSERIALIZABLE" }));
  });

  it("keeps what a step has thrown there", async () => {
    const workflow = defineWorkflow("w")
      .step("s", { on: StartEvent, emits: StopEvent }, () => {
        throw Object.assign(new realm.TypeError("not there"), { code: "ENOENT" });
      })
      .catchError("c", { emits: StopEvent }, ({ failure }) => new StopEvent({ result: failure.error }))
      .build();

    expect(await workflow.run()).toMatchObject({ name: "TypeError", message: "not there", code: "ENOENT" });
  });

  test.prop([value], { numRuns: casesOf(300) })("is written like that of this realm", (given) => {
    const encoded = encodeValue(abroad(given), "here");

    expect(JSON.stringify(encoded)).toBe(JSON.stringify(encodeValue(given, "here")));
    expect(decodeValue(JSON.parse(JSON.stringify(encoded)), "here")).toStrictEqual(
      decodeValue(JSON.parse(JSON.stringify(encodeValue(given, "here"))), "here"),
    );
  });
});

describe("without `util` of Node, as in a browser", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("an event and a state hold copies, since no code can recognise a Proxy there", async () => {
    vi.resetModules();
    vi.stubGlobal("process", undefined);
    const here = await import("../src/index.js");
    class Kept extends here.event("Kept", { value: z.any() }) {}
    const given = reactive({ a: { b: [1] } });
    const plain = { a: { b: [1] } };

    const kept = [new Kept({ value: given }).value, new Kept({ value: plain }).value];

    expect(kept).toStrictEqual([plain, plain]);
    expect(Object.isFrozen(kept[0].a.b)).toBe(true);
    given.a.b.push(2);
    expect(kept[0].a.b).toStrictEqual([1]);
  });

  test.prop([record], { numRuns: casesOf(200) })("a value stays equal", async (given) => {
    expect(new Bag({ value: given }).value).toStrictEqual(structuredClone(given));
  });
});
