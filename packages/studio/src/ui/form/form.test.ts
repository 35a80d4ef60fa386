import { describe, expect, it } from "vitest";
import type { JsonObject, JsonSchema } from "../../api/json.types.js";
import { defaultsOf, fieldsOf } from "./asked-field.js";
import { errorsOf, sentOf, valueAt, withValue } from "./form-values.js";
import { problemsOf } from "./validate.js";

const schema: JsonSchema = {
  type: "object",
  required: ["name", "age", "approved"],
  properties: {
    name: { type: "string", minLength: 3, maxLength: 5 },
    age: { type: "integer", minimum: 1, maximum: 100, default: 30 },
    approved: { type: "boolean" },
    loud: { type: "boolean", default: true },
    mood: { enum: ["good", "bad"] },
    size: { enum: [1, 2, 3, 4] },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
    address: { type: "object", properties: { street: { type: "string" }, floor: { type: "integer", default: 1 } } },
    tag: { $ref: "#/$defs/tag" },
    note: { anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }], description: "For later" },
    extra: {},
    user: { type: ["string", "null"] },
    due: { anyOf: [{ format: "date-time" }, { type: "null" }] },
  },
  $defs: { tag: { type: "string" } },
};

describe("fieldsOf", () => {
  it("chooses a field for each property", () => {
    const kinds = Object.fromEntries(fieldsOf(schema).map(({ name, kind }) => [name, kind]));

    expect(kinds).toEqual({
      name: "text",
      age: "number",
      approved: "question",
      loud: "switch",
      mood: "choices",
      size: "select",
      tags: "json",
      address: "fields",
      tag: "text",
      note: "text",
      extra: "any",
      user: "text",
      due: "datetime",
    });
  });

  it("asks for what has no default only", () => {
    expect(fieldsOf(schema).flatMap(({ name, isRequired }) => (isRequired ? [name] : []))).toEqual([
      "name",
      "approved",
    ]);
  });

  it.each([
    [{ description: "How many", minimum: 1, maximum: 100 }, "How many · 1 to 100"],
    [{ minimum: 0 }, "at least 0"],
    [{ exclusiveMinimum: 0 }, "more than 0"],
    [{ maxLength: 200 }, "at most 200 characters"],
    [{ minLength: 1 }, ""],
    [{ minimum: -9007199254740991, maximum: 9007199254740991 }, ""],
  ])("says of %j: %s", (property, hint) => {
    expect(fieldsOf({ properties: { property } })[0]?.hint).toBe(hint);
  });
});

describe("defaultsOf", () => {
  it("knows what is filled in before anybody has touched it", () => {
    expect(defaultsOf(schema)).toEqual({ age: 30, loud: true, address: { floor: 1 } });
  });
});

describe("a type that holds itself", () => {
  const folder: JsonSchema = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, inner: { $ref: "#/properties/folder" } },
  };

  it("is asked for with fields, and what it holds as JSON", () => {
    const [asked] = fieldsOf({ required: ["folder"], properties: { folder } });

    expect(asked?.fields.map(({ name, kind }) => [name, kind])).toEqual([
      ["name", "text"],
      ["inner", "json"],
    ]);
    expect(defaultsOf({ required: ["folder"], properties: { folder } })).toEqual({ folder: {} });
  });
});

describe("what is sent", () => {
  const group: JsonSchema = {
    type: "object",
    required: ["must"],
    properties: { must: { type: "string" }, size: { type: "integer", default: 3 }, tag: { $ref: "#/$defs/tag" } },
  };
  const sent = (schema: JsonSchema, value: JsonObject = {}): JsonObject => {
    const fields = fieldsOf(schema);
    return sentOf({ ...defaultsOf(schema), ...value }, fields);
  };

  it("is nothing of a group that need not be given, and null of what has to be given and may be null", () => {
    const nullable: JsonSchema = { anyOf: [group, { type: "null" }] };

    expect(sent({ properties: { group } })).toEqual({});
    expect(sent({ properties: { group } }, { group: { must: "x" } })).toEqual({ group: { must: "x" } });
    expect(sent({ properties: { group }, required: ["group"] })).toEqual({ group: { size: 3 } });
    expect(sent({ properties: { nullable }, required: ["nullable"] })).toEqual({ nullable: null });
    expect(sent({ properties: { note: { type: ["string", "null"] } }, required: ["note"] })).toEqual({ note: null });
  });

  it.each(["user's [name]", "a.b", "0", '"', "%41", "constructor", "_"])("has a field named %s", (name) => {
    const properties = { [name]: { type: "string" }, group: { type: "object", properties: { [name]: {} } } } as const;
    const value = { [name]: "x", group: { [name]: { [name]: 1 } }, [`${name}, besides`]: { [name]: 2 } };

    expect(sent({ properties, required: ["group"] }, value)).toEqual(value);
    expect(valueAt(value, ["group", name, name])).toBe(1);
    expect(withValue({}, ["group", name], 2)).toEqual({ group: { [name]: 2 } });
  });

  it("finds the definitions of the whole schema also in a group", () => {
    const [asked] = fieldsOf({ properties: { group }, $defs: { tag: { type: "string" } } });

    expect(asked?.fields.map(({ kind }) => kind)).toEqual(["text", "number", "text"]);
  });

  it("says what is wrong inside of a value at its field, and elsewhere at the form", () => {
    const fields = fieldsOf({ properties: { lists: { type: "array" }, group } });

    expect(errorsOf([{ path: ["lists", "0", "1"], message: "Odd." }], fields)).toEqual(
      new Map([['["lists"]', "0.1: Odd."]]),
    );
    expect(errorsOf([{ path: ["group", "must"], message: "Needed." }], fields)).toEqual(
      new Map([['["group","must"]', "Needed."]]),
    );
    expect(errorsOf([{ path: ["group"], message: "Odd." }], fields)).toEqual(new Map([["[]", "group: Odd."]]));
  });
});

describe("problemsOf", () => {
  const said = (value: unknown): Record<string, string> =>
    Object.fromEntries(problemsOf(schema, value).map(({ path, message }) => [path.join("."), message]));

  it("finds nothing wrong with a value that fits", () => {
    expect(said({ name: "Ada", age: 36, approved: false, mood: "good", tags: ["x"], note: null })).toEqual({});
  });

  it("says at each field what is wrong, in words", () => {
    expect(said({ age: 101, mood: "odd", tags: [1], address: { floor: "x" } })).toEqual({
      name: "Needed.",
      approved: "Needed.",
      age: "At most 100.",
      mood: "Not one of the choices.",
      "tags.0": "Not of the right kind.",
      "address.floor": "Not of the right kind.",
    });
    expect(said({ name: "Al", age: 0, approved: true })).toEqual({
      name: "At least 3 characters.",
      age: "At least 1.",
    });
    expect(said({ name: "Albert", age: 0.5, approved: true })).toMatchObject({ name: "At most 5 characters." });
  });
});
