/** JSON Schemas of events, for callers that send them, and of results, for callers that get them. */
import type { EventClass, StandardSchema } from "millrace";
import {
  type CompiledWorkflow,
  eventJsonSchema as fieldsSchema,
  type JsonSchema,
  placedSchema,
  roleOf,
  standardJsonSchema,
} from "millrace/engine";
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
  return only !== undefined && others.length === 0 ? only : anyOf([only, ...others] as JsonSchema[]);
}

/** Schema of any result of a workflow, or of what is returned in its place. */
export function anyResultJsonSchema({ steps }: CompiledWorkflow, inPlace: JsonSchema): JsonSchema {
  const emitted = new Set([...steps.values()].flatMap(({ emits }) => [...emits]));
  const stops = [...emitted].filter((eventClass) => roleOf(eventClass) === "stop");
  return anyOf([...stops.map((one) => ({ title: one.type, ...fieldsSchema(one, describeResult) })), inPlace]);
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  return { anyOf: schemas.map((one, at) => placedSchema(one, ["anyOf", at])) };
}

/** Schemas of `zod/mini`, and of Zod before 4.2, do not describe themselves. */
function describe(schema: StandardSchema): object {
  const { vendor, ...own } = schema["~standard"];
  if (vendor !== "zod" || "jsonSchema" in own) return standardJsonSchema(schema);
  return z.toJSONSchema(schema as never, { io: "input", unrepresentable: "any" });
}

/** A subclass of the event has more fields. */
function describeResult(schema: StandardSchema): object {
  if (schema["~standard"].vendor !== "zod") return {};
  return z.toJSONSchema(schema as never, {
    io: "output",
    unrepresentable: "any",
    override: ({ jsonSchema }) =>
      void (jsonSchema.additionalProperties === false && delete jsonSchema.additionalProperties),
  });
}
