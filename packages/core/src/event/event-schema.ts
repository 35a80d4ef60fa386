/** JSON Schemas of events, for those who send them: an answer of a person, a client in another language. */

import { isObject } from "../value/kind.js";
import { type EventClass, schemasOf } from "./event.js";
import type { SchemaResult, StandardSchema } from "./schema.js";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** @param describe Returns the JSON Schema of one schema; it may throw where that has none. */
export function eventJsonSchema(
  eventClass: EventClass,
  describe: (schema: StandardSchema) => object = standardJsonSchema,
): JsonSchema {
  const { fields, wholes } = schemasOf(eventClass);
  const required = [...fields].filter(([, schema]) => isRequired(schema)).map(([name]) => name);
  const schemaOf = (schema: StandardSchema): JsonSchema => jsonSchemaOf(schema, describe);
  const own: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(
      [...fields].map(([name, schema]) => [name, placedSchema(schemaOf(schema), ["properties", name])]),
    ),
    ...(required.length > 0 && { required }),
  };
  if (wholes.length === 0) return own;
  const [whole, ...others] = wholes.map(schemaOf);
  if (fields.size === 0 && others.length === 0) return { type: "object", ...whole };
  return { allOf: [own, whole, ...others].map((part, at) => placedSchema(part as JsonSchema, ["allOf", at])) };
}

/** Parts that JSON Schema cannot express become `{}`, which allows anything. The schema itself checks the event when it arrives. */
function jsonSchemaOf(schema: StandardSchema, describe: (schema: StandardSchema) => object): JsonSchema {
  try {
    const { $schema: _dialect, ...rest } = describe(schema) as Record<string, unknown>;
    return rest;
  } catch {
    return {}; // the schema library does not export JSON Schema
  }
}

interface Describing {
  readonly jsonSchema: { readonly input: (options: object) => object };
}

interface DescribedByZod {
  readonly zodSchema: { readonly type: string };
  readonly jsonSchema: { format?: string };
}

/**
 * Throws where the library of the schema exports none. Of Zod, a part that JSON Schema cannot express does not hide the others, and a
 * `Date` is a format without a type.
 *
 * @see https://standardschema.dev/json-schema
 */
export function standardJsonSchema(schema: StandardSchema): object {
  return (schema["~standard"] as unknown as Describing).jsonSchema.input({
    target: "draft-2020-12",
    libraryOptions: {
      unrepresentable: "any",
      override({ zodSchema, jsonSchema }: DescribedByZod) {
        if (zodSchema.type === "date") jsonSchema.format = "date-time";
      },
    },
  });
}

function isRequired(schema: StandardSchema): boolean {
  try {
    return (schema["~standard"].validate(undefined) as SchemaResult<unknown>).issues !== undefined; // a promise has none
  } catch {
    return true;
  }
}

/**
 * A JSON Schema with references to itself as they are where it is a part of another one: a reference begins at the root.
 *
 * @param at Keys that lead to it from the root.
 */
export function placedSchema<Part>(part: Part, at: readonly (string | number)[]): Part {
  if (!isObject(part)) return part;
  if (Array.isArray(part)) return part.map((one) => placedSchema(one, at)) as Part;
  const pointer = at.map((step) => `/${encodeURIComponent(String(step).replace(/~/g, "~0").replace(/\//g, "~1"))}`);
  const moved = ([key, value]: [string, unknown]): [string, unknown] =>
    key === "$ref" && typeof value === "string" && value.startsWith("#")
      ? [key, `#${pointer.join("")}${value.slice(1)}`]
      : [key, placedSchema(value, at)];
  return Object.fromEntries(Object.entries(part).map(moved)) as Part;
}
