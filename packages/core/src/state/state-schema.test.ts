import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createStateSchema } from "./state-schema.js";

const shape = {
  count: z.number().default(0),
  user: z.object({ name: z.string(), tags: z.array(z.string()).default([]) }).optional(),
};

describe("createStateSchema: initial", () => {
  it("returns the defaults, frozen, of a shape and of an object schema", () => {
    const fromShape = createStateSchema(shape).initial();
    const fromObject = createStateSchema(z.object({ list: z.array(z.number()).default([1]) })).initial() as {
      list: number[];
    };

    expect(fromShape).toStrictEqual({ count: 0 });
    expect(fromObject).toStrictEqual({ list: [1] });
    expect(Object.isFrozen(fromObject.list)).toBe(true);
  });

  it("names every field without a default", () => {
    const schema = createStateSchema({ a: z.string(), b: z.number().default(0), c: z.number() });

    expect(() => schema.initial()).toThrow(
      expect.objectContaining({
        code: "STATE_INVALID",
        message: expect.stringMatching(/a: .*; c: /),
        hint: expect.stringContaining("default"),
      }),
    );
  });

  it("refuses a default that the schema itself refuses", () => {
    expect(() => createStateSchema({ count: z.number().min(1).default(0) }).initial()).toThrow(
      expect.objectContaining({ code: "STATE_INVALID", message: expect.stringContaining("count: ") }),
    );
  });

  it("refuses a default that cannot be stored", () => {
    class Client {}

    expect(() => createStateSchema({ client: z.any().default(() => new Client()) }).initial()).toThrow(
      expect.objectContaining({ code: "VALUE_UNSERIALIZABLE", details: { reason: "state", path: "client" } }),
    );
  });

  it("refuses what is not a schema", () => {
    expect(() => createStateSchema({ count: 0 } as never)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("createStateSchema: check", () => {
  const schema = createStateSchema(shape);

  it("returns the state itself when nothing is missing", () => {
    const state = { count: 1, user: { name: "Ada", tags: [] } };

    expect(schema.check(state, ["count", "user"])).toBe(state);
  });

  it("looks at the touched fields only", () => {
    const state = { count: "no number" };

    expect(schema.check(state, ["user"])).toBe(state);
    expect(() => schema.check(state, ["count"])).toThrow(expect.objectContaining({ code: "STATE_INVALID" }));
  });

  it("says path and reason", () => {
    expect(() => schema.check({ user: { name: 1, tags: ["x", 2] } }, ["user"])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/user\.name: .*; user\.tags\.1: /) }),
    );
  });

  it("fills defaults, at the top and inside", () => {
    expect(schema.check({ user: { name: "Ada" } }, ["count", "user"])).toStrictEqual({
      count: 0,
      user: { name: "Ada", tags: [] },
    });
  });

  it("refuses fields that the schema does not know, with the nearest name", () => {
    expect(() => schema.check({ coutn: 1 }, ["coutn"])).toThrow(
      expect.objectContaining({ code: "STATE_INVALID", message: expect.stringContaining('did you mean "count"?') }),
    );
    expect(() => schema.check({ user: { name: "Ada", nick: "a", tags: [] } }, ["user"])).toThrow(
      expect.objectContaining({ code: "STATE_INVALID", message: expect.stringContaining("user.nick: ") }),
    );
  });

  it("does not take an inherited name for a field", () => {
    expect(() => schema.check({ toString: 1 }, ["toString"])).toThrow(
      expect.objectContaining({ code: "STATE_INVALID" }),
    );
  });

  it.each([
    ["a coercion", z.coerce.number().default(0), "7"],
    [
      "a transform",
      z
        .string()
        .transform((text) => text.length)
        .pipe(z.number())
        .default(0),
      "abc",
    ],
    ["a trim inside", z.array(z.string().trim()).default([]), [" x "]],
  ])("finds %s", (_name, field, value) => {
    expect(() => createStateSchema({ field }).check({ field: value }, ["field"])).toThrow(
      expect.objectContaining({ code: "STATE_SCHEMA_CONVERTS", message: expect.stringContaining('"field') }),
    );
  });

  it("checks the whole with one object schema, across fields", () => {
    const range = createStateSchema(
      z
        .object({ low: z.number().default(0), high: z.number().default(9) })
        .refine(({ low, high }) => low < high, "low < high"),
    );

    expect(range.initial()).toEqual({ low: 0, high: 9 });
    expect(() => range.check({ low: 10, high: 9 }, ["low"])).toThrow(
      expect.objectContaining({ message: expect.stringContaining("low < high") }),
    );
    expect(() => range.check({ low: 1, high: 9, mid: 5 }, ["mid"])).toThrow(
      expect.objectContaining({ message: expect.stringContaining("mid: ") }),
    );
  });

  it("takes rich values as they are", () => {
    const rich = createStateSchema({
      at: z.date().default(new Date(0)),
      seen: z.set(z.string()).default(new Set()),
      by: z.map(z.string(), z.number()).default(new Map()),
    });
    const state = { at: new Date(1), seen: new Set(["a"]), by: new Map([["a", 1]]) };

    expect(rich.check(state, ["at", "seen", "by"])).toBe(state);
  });

  it("refuses schemas that answer later", () => {
    const later = createStateSchema({
      field: z
        .string()
        .refine(async () => true)
        .default(""),
    });

    expect(() => later.check({ field: "x" }, ["field"])).toThrow(expect.objectContaining({ code: "SCHEMA_ASYNC" }));
  });

  it("completes a state from outside and checks all of it", () => {
    expect(schema.checkAll({})).toStrictEqual({ count: 0 });
    expect(() => schema.checkAll({ old: 1 })).toThrow(expect.objectContaining({ code: "STATE_INVALID" }));
    expect(() => schema.checkAll([])).toThrow(expect.objectContaining({ code: "STATE_INVALID" }));
  });
});
