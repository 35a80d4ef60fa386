/** JSON Schemas of events, for callers that send them. */
import type { EventClass, StandardSchema } from "millrace";
import { placedSchema, schemasOf } from "millrace/engine";
import * as z from "zod";

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Written once: every prompt of every list has one. */
const written: WeakMap<EventClass, JsonSchema> = new WeakMap();

export function eventJsonSchema(eventClass: EventClass): JsonSchema {
  const schema = written.get(eventClass) ?? writeSchema(eventClass);
  written.set(eventClass, schema);
  return schema;
}

function writeSchema(eventClass: EventClass): JsonSchema {
  const { fields, wholes } = schemasOf(eventClass);
  const required = [...fields].filter(([, schema]) => isRequired(schema)).map(([name]) => name);
  const own: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(
      [...fields].map(([name, schema]) => [name, placedSchema(jsonSchemaOf(schema), ["properties", name])]),
    ),
    ...(required.length > 0 && { required }),
  };
  const title = eventClass.type;
  if (wholes.length === 0) return { title, ...own };
  const [whole, ...others] = wholes.map(jsonSchemaOf);
  if (fields.size === 0 && others.length === 0) return { type: "object", ...whole, title };
  return { title, allOf: [own, whole, ...others].map((part, at) => placedSchema(part as JsonSchema, ["allOf", at])) };
}

/** Schema of an event of any of the classes. */
export function anyEventJsonSchema(classes: readonly EventClass[]): JsonSchema {
  const [only, ...others] = classes.map(eventJsonSchema);
  return only !== undefined && others.length === 0
    ? only
    : { anyOf: [only, ...others].map((one, at) => placedSchema(one as JsonSchema, ["anyOf", at])) };
}

/**
 * What JSON Schema cannot express becomes `{}`, which allows anything. The schema itself checks the event when it
 * arrives.
 */
function jsonSchemaOf(schema: StandardSchema): JsonSchema {
  try {
    const { $schema: _dialect, "~standard": _standard, ...rest } = describe(schema) as Record<string, unknown>;
    return rest;
  } catch {
    return {}; // the schema library does not export JSON Schema
  }
}

interface Describing {
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => object };
}

function describe(schema: StandardSchema): object {
  const standard = schema["~standard"];
  if (standard.vendor === "zod") return z.toJSONSchema(schema as never, { io: "input", unrepresentable: "any" });
  return (standard as Describing).jsonSchema?.input({ target: "draft-2020-12" }) ?? {};
}

function isRequired(schema: StandardSchema): boolean {
  try {
    const answer = schema["~standard"].validate(undefined);
    return !("then" in answer) && answer.issues !== undefined;
  } catch {
    return true;
  }
}
