/** `millrace/wire`: what the ends of the HTTP API share. That its codec and that of the engine agree: `packages/client/src/wire`. */
import { describe, expect, it } from "vitest";
import { encodeTree, endTypes, formsWith, fromWire, pathOf, toWire } from "../src/entries/wire.js";
import { roleOf } from "../src/event/event.js";
import type { EventClass } from "../src/index.js";
import * as surface from "../src/index.js";

describe("names of fields", () => {
  const own = { runId: "r", workflow: "w", startedAtMs: 0, atMs: 1, untilMs: 2, isFinal: true, hasPlace: false };
  const wire = {
    run_id: "r",
    workflow_name: "w",
    started_at: "1970-01-01T00:00:00.000Z",
    at: "1970-01-01T00:00:00.001Z",
    until: "1970-01-01T00:00:00.002Z",
    final: true,
    has_place: false,
  };

  it("go there and back", () => {
    expect(toWire(own)).toEqual(wire);
    expect(fromWire(wire)).toEqual(own);
  });

  it("of what is inside a field stay: it may belong to a user", () => {
    const state = { runId: 1, started_at: "x" };

    expect(toWire({ state, endedAtMs: null })).toEqual({ state, ended_at: null });
    expect(fromWire({ state, ended_at: null })).toEqual({ state, endedAtMs: null });
  });

  it("are of records alone", () => {
    for (const given of [null, undefined, "text", 5]) expect(() => fromWire(given as never)).toThrow(TypeError);
  });
});

it("lists the types of all events that end a run", () => {
  const classes = Object.values(surface).filter((one) => typeof Object(one).type === "string") as EventClass[];
  const ends = classes.filter((one) => ["stop", "terminal"].includes(roleOf(one)));

  expect(ends.map(({ type }) => type).sort()).toEqual([...endTypes].sort());
});

describe("encodeTree", () => {
  const formOf = formsWith({ tag: ["custom", "@error"], encode: ({ message }: Error) => ({ message }) });
  const encode = (value: unknown) =>
    encodeTree(value, {
      formOf: (inner, _, { above }) => (above.includes(inner) ? "a value that contains itself" : formOf(inner)),
      refuse: (what, walk) => {
        throw new TypeError(`${pathOf(walk).join(".")}: ${what}`);
      },
    });
  class Money {}
  const cyclic: { list: unknown[] } = { list: [] };
  cyclic.list.push(new Map([["self", cyclic]]));

  it.each([
    [{ a: { on: () => {} } }, "a.on: a function"],
    [Symbol("s"), ": a symbol"],
    [{ "a.b": [new Map([["k", new Money()]])] }, "a.b.0.0.1: an instance of Money"],
    [cyclic, "list.0.0.1: a value that contains itself"],
    [JSON.parse('{"a":{"__proto__":1}}'), "a.__proto__: a forbidden key"],
  ])("refuses what has no form, with its path: %o", (value, why) => {
    expect(() => encode(value)).toThrow(new TypeError(why));
  });

  it("shares what is plain, also where one value is in two places", () => {
    const plain = { a: [1] };

    expect(encode(plain).json).toBe(plain);
    expect((encode({ at: new Date(0), plain, again: plain }).json as { plain: unknown }).plain).toBe(plain);
  });
});
