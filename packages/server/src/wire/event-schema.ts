/** JSON Schemas of events, for callers that send them. */
import type { EventClass, StandardSchema } from "millrace";
import { eventJsonSchema as fieldsSchema, type JsonSchema, placedSchema, standardJsonSchema } from "millrace/engine";
import * as z from "zod";

export type { JsonSchema } from "millrace/engine";

/** Written once: every prompt of every list has one. */
const written: WeakMap<EventClass, JsonSchema> = new WeakMap();

export function eventJsonSchema(eventClass: EventClass): JsonSchema {
  const schema = written.get(eventClass) ?? writeSchema(eventClass);
  written.set(eventClass, schema);
  return schema;
}

function writeSchema(eventClass: EventClass): JsonSchema {
  const { title: _, ...schema } = fieldsSchema(eventClass, describe);
  return { title: eventClass.type, ...schema };
}

/** Schema of an event of any of the classes. */
export function anyEventJsonSchema(classes: readonly EventClass[]): JsonSchema {
  const [only, ...others] = classes.map(eventJsonSchema);
  return only !== undefined && others.length === 0
    ? only
    : { anyOf: [only, ...others].map((one, at) => placedSchema(one as JsonSchema, ["anyOf", at])) };
}

function describe(schema: StandardSchema): object {
  if (schema["~standard"].vendor !== "zod") return standardJsonSchema(schema);
  return z.toJSONSchema(schema as never, { io: "input", unrepresentable: "any" });
}
