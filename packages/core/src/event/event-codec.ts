/**
 * Encodes events as JSON, also events inside of events, and decodes them. Also JSON Schemas of events, for those who send them: an answer of a person, a client in another language.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { decodeWithin, encodeValue, type NestedReader } from "../value/codec.js";
import { copyValue } from "../value/copy.js";
import { deepFreeze } from "../value/freeze.js";
import { hasFields, isObject } from "../value/kind.js";
import { unmeasured, valueLimits } from "../value/limits.js";
import { nearest } from "../value/option-rules.js";
import type { EngineType, ValueType } from "../value/storable.js";
import type { EncodedValue } from "../value/tree.js";
import { isVersion, runMigration } from "../value/version.js";
import { engineEvents } from "./built-in-events.js";
import {
  classOf,
  type EventClass,
  eventTypeOf,
  eventVersionOf,
  fieldsOf,
  isEvent,
  schemasOf,
  type WorkflowEvent,
} from "./event.js";
import { ask, copyFields, fill, invalid, isReserved, planOf } from "./event-class.js";
import { issuesAt, type SchemaIssue, type SchemaResult, type StandardSchema } from "./schema.js";

/** An event as plain JSON. */
export interface EncodedEvent {
  readonly type: string;
  readonly data: unknown;
  /** Describes the parts of `data` whose values JSON cannot hold. */
  readonly meta?: unknown;
  /** Version of the event class; omitted when it is 1. */
  readonly version?: number;
}

/**
 * @param path Path of the event, for errors.
 * @param types Result of `storableTypes`, which only accepts events of the workflow; with other types, any event may be
 * nested.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of a field that cannot be stored.
 */
export function encodeEvent(event: WorkflowEvent, path: string, types: readonly ValueType[] = none): EncodedEvent {
  const { json, meta } = encodeValue(fieldsOf(event), path, registries.has(types) ? types : withAnyEvent(types));
  const version = eventVersionOf(classOf(event));
  return {
    type: event.type,
    data: json,
    ...(meta === undefined ? null : { meta }),
    ...(version === 1 ? null : { version }),
  };
}

/**
 * Creates an event from fields that came from outside, like `new`, but without calling a constructor of the class.
 *
 * @throws {WorkflowError} `EVENT_INVALID`, `SCHEMA_ASYNC`.
 */
export function eventFromFields<Event extends WorkflowEvent>(eventClass: EventClass<Event>, fields: unknown): Event {
  const event = Object.create(eventClass.prototype);
  fill(event, planOf(eventClass), fields);
  return event;
}

// ---- events inside values

const none: readonly ValueType[] = [];
/** The registries whose events the results of {@link storableTypes} take. */
const registries = new WeakMap<readonly ValueType[], EventRegistry>();
const listsOf = new WeakMap<object, readonly ValueType[]>();

/**
 * The types that values of a workflow may contain besides plain data: the events that the workflow knows, and the types
 * that it registers. Encoding and decoding use the same list.
 */
export function storableTypes(registry: EventRegistry): readonly ValueType[] {
  return remembered(registry, () => {
    const list = [eventsOf(registry), ...registry.valueTypes];
    registries.set(list, registry);
    return list;
  });
}

function withAnyEvent(types: readonly ValueType[]): readonly ValueType[] {
  return remembered(types, () => [eventForm, ...types]);
}

/** The forms in an event's fields are described together with those of the value around it. */
const eventForm = {
  name: "@event",
  is: isEvent,
  encode: (event: WorkflowEvent): object => {
    const version = eventVersionOf(classOf(event));
    return { type: event.type, data: fieldsOf(event), ...(version === 1 ? null : { version }) };
  },
  /** Readers of events decode these themselves: see `decodeEvent`. */
  decode: (encoded: unknown): unknown => encoded,
};

function eventsOf(registry: EventRegistry): EngineType {
  return {
    ...eventForm,
    refuse(value) {
      const event = value as WorkflowEvent;
      if (registry.has(event)) return null;
      const why = registry.get(event.type)
        ? "whose class is another one in the workflow"
        : "which the workflow does not have";
      return `an event "${event.type}", ${why}`;
    },
    copy(event, copyPart) {
      const copy = Object.create(Object.getPrototypeOf(event));
      for (const [name, part] of Object.entries(event)) copy[name] = deepFreeze(copyPart(part));
      return Object.freeze(copy);
    },
  };
}

function remembered(key: object, make: () => ValueType[]): readonly ValueType[] {
  const known = listsOf.get(key);
  if (known !== undefined) return known;
  const list = make();
  listsOf.set(key, list);
  return list;
}

// ---- decoding: a program that restores nothing does not bundle this part
// The output of the schemas is stored. Restoring checks the fields again but keeps the stored values: no default or transform
// is applied twice. A field that a transform has made may be invalid input, so a refused field is accepted when its schema
// may convert (see `mayConvert`). A missing field, which the class got later, takes its default.

/**
 * Decodes a value. Plain parts are shared with `encoded`, which is not changed.
 *
 * @throws {WorkflowError} `SNAPSHOT_INVALID` for data that `encodeValue` did not write, `SNAPSHOT_HOSTILE`.
 */
export function decodeValue(encoded: unknown, path: string, types: readonly ValueType[] = none): unknown {
  return decodeWithin(encoded, { path, types, readEvent, limits: valueLimits });
}

/** Works like {@link decodeValue}, for data that is not shared: plain JSON is returned deeply frozen. */
export function decodeOwn(encoded: unknown, path: string, types: readonly ValueType[]): unknown {
  return decodeWithin(encoded, { path, types, readEvent, limits: valueLimits, isFrozen: true });
}

/** Works like {@link decodeValue}, for results of `encodeMeasured` or parts of a value that was measured as a whole. */
export function decodeMeasured(encoded: unknown, path: string, types: readonly ValueType[]): unknown {
  return decodeWithin(encoded, { path, types, readEvent, limits: unmeasured });
}

/** Decodes an event inside a value. Its size was checked with the value around it. */
const readEvent: NestedReader = (encoded, types) => {
  const registry = registries.get(types);
  return registry === undefined
    ? encoded
    : read(encoded, { registry, path: "An event in a value", decode: decodeNested });
};

/** Leaves the fields as they are: they were decoded with the value around them. */
const decodeNested: typeof decodeValue = (encoded, path, types = none) =>
  (encoded as EncodedValue).meta === undefined ? (encoded as EncodedValue).json : decodeMeasured(encoded, path, types);

/**
 * Decodes an event and freezes it, including the data that it shares with `encoded`.
 *
 * @throws {WorkflowError} `EVENT_UNKNOWN`, `EVENT_INVALID`, `EVENT_NEWER`, `SNAPSHOT_INVALID`, `SNAPSHOT_HOSTILE`.
 */
export function decodeEvent(encoded: unknown, registry: EventRegistry, path: string): WorkflowEvent {
  return read(encoded, { registry, path, decode: decodeValue });
}

interface Reading {
  readonly registry: EventRegistry;
  readonly path: string;
  readonly decode: typeof decodeValue;
}

function read(encoded: unknown, { registry, path, decode }: Reading): WorkflowEvent {
  const { type, data, meta, version: from = 1 } = (encoded ?? {}) as EncodedEvent;
  const eventClass = registry.get(type);
  if (!eventClass) throw unknownEvent(type, registry, path);
  const types = storableTypes(registry);
  const fields = decode(meta === undefined ? { json: data } : { json: data, meta }, path, types);
  if (!hasFields(fields)) {
    throw invalid(type, [{ message: `${path} has no fields` }]);
  }
  const known = eventVersionOf(eventClass);
  if (from === known) return restore(eventClass, fields);
  if (registry.newer && from > known) return restore(registry.newer(type), fields);
  // A copy, because `migrate` may change its argument, and plain parts of it belong to the caller.
  const own = copyValue(fields, types);
  return restore(eventClass, migrateFields(eventClass, { fields: own as Record<string, unknown>, from, path }));
}

function restore(eventClass: EventClass, fields: object): WorkflowEvent {
  const { type, holder, engine, keys, schemas, wholes } = planOf(eventClass);
  const event = Object.create(eventClass.prototype);
  const stored = copyFields(type, fields, holder === null ? isReserved : undefined);
  const issues: SchemaIssue[] = [];
  const check = (schema: StandardSchema, value: unknown, key: string | null): unknown => {
    const result = ask(schema["~standard"], value, type);
    if (!result.issues) return result.value;
    if (!mayConvert(schema)) issues.push(...issuesAt(result.issues, key === null ? [] : [key]));
    return undefined;
  };
  if (holder !== null) event[holder] = stored;
  else if (engine || wholes.length > 0) Object.assign(event, stored);
  if (holder === "failure" && typeof stored["error"] !== "object")
    issues.push({ message: "no error", path: ["error"] });
  keys.forEach((key, index) => {
    const checked = check(schemas[index] as StandardSchema, stored[key], key);
    const value = key in stored ? stored[key] : checked;
    if (value !== undefined) event[key] = value;
  });
  for (const whole of wholes) {
    const checked = check(whole, stored, null);
    if (typeof checked === "object") Object.assign(event, copyFields(type, { ...checked, ...stored }, isReserved));
  }
  if (issues.length > 0) throw invalid(type, issues);
  for (const value of Object.values(event)) deepFreeze(value);
  return Object.freeze(event);
}

function unknownEvent(type: unknown, registry: EventRegistry, path: string): WorkflowError {
  const near = nearest(type as string, registry.types());
  return new WorkflowError({
    code: "EVENT_UNKNOWN",
    message: `${path} is an event of type ${JSON.stringify(type)}, which the workflow does not have${near === null ? "" : `; the nearest is "${near}"`}.`,
    hint: "Name the event's class in `on`, `emits`, `waits` or `streams` of a step, or, where it is only inside others, in the workflow's `events`.",
    details: { event: type, nearest: near },
  });
}

interface StoredFields {
  readonly fields: Record<string, unknown>;
  /** Version that stored the fields; untrusted. */
  readonly from: unknown;
  /** Path of the event, for errors. */
  readonly path: string;
}

/**
 * Migrates stored fields to the present version of the class.
 *
 * @throws {WorkflowError} `EVENT_NEWER`; `EVENT_INVALID` when `migrate` fails.
 */
function migrateFields(eventClass: EventClass, { fields, from, path }: StoredFields): object {
  const event = eventTypeOf(eventClass);
  const version = eventVersionOf(eventClass);
  if (!isVersion(from)) throw invalid(event, [{ message: `${path} has the version ${JSON.stringify(from)}` }]);
  if (from > version) {
    throw new WorkflowError({
      code: "EVENT_NEWER",
      message: `${path} is an event "${event}" of version ${from}; its class here has version ${version}.`,
      hint: "While a deployment is under way, use a process with the newer code; otherwise deploy it here.",
      details: { event, version: from, known: version },
    });
  }
  return runMigration(
    () => eventClass.migrate?.(fields, from) ?? fields,
    (why, cause) =>
      new WorkflowError({
        code: "EVENT_INVALID",
        message: `${path} is an event "${event}" of version ${from}, which its \`migrate\` could not migrate to version ${version}: ${why}.`,
        hint: `Let \`migrate\` of "${event}" return an object with the fields of version ${version}.`,
        details: { event, version: from, known: version },
        cause,
      }),
  );
}

// ---- schemas that convert

/**
 * Returns `false` only when the schema certainly accepts its own output, so that a checked value can be checked again.
 *
 * Standard Schema does not say so, therefore this reads the description of zod 4 schemas: only a transform or a pipe
 * (which a codec is) may return what it does not accept. Schemas of other vendors are never certain.
 *
 * @see https://zod.dev/packages/core
 */
export function mayConvert(schema: unknown, seen: Set<unknown> = new Set()): boolean {
  const definition = definitionOf(schema);
  if (!definition || definition.type === "pipe" || definition.type === "transform") return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const parts = [...Object.values(definition), definition.getter?.()];
  return parts
    .flatMap((part) => (isObject(part) ? [part, ...Object.values(part)] : []))
    .some((part) => definitionOf(part) !== undefined && mayConvert(part, seen));
}

interface Definition {
  readonly type: string;
  /** Set for `z.lazy`. */
  readonly getter?: () => unknown;
}

function definitionOf(schema: unknown): Definition | undefined {
  const definition = (schema as { _zod?: { def?: Partial<Definition> } } | null | undefined)?._zod?.def;
  return definition?.type === undefined ? undefined : (definition as Definition);
}

/** The event classes of a workflow by type. The engine's own classes are always included. */
export class EventRegistry {
  /** Value types that the workflow registers, for decoding. */
  readonly valueTypes: readonly ValueType[];
  /** Returns a class for an event of newer code. Only a registry that reads runs of newer code has it. */
  newer?(type: string): EventClass;
  readonly #classes = new Map<string, EventClass>();

  /** @throws {WorkflowError} `WORKFLOW_INVALID` when two classes have the same type. */
  constructor(classes: Iterable<EventClass>, valueTypes: readonly ValueType[] = []) {
    this.valueTypes = valueTypes;
    for (const eventClass of classes) {
      const type = eventTypeOf(eventClass);
      const taken = this.get(type);
      if (taken && taken !== eventClass) throw typeTaken(type, taken, eventClass);
      this.#classes.set(type, eventClass);
    }
  }

  get(type: string): EventClass | undefined {
    return this.#classes.get(type) ?? engineEvents.get(type);
  }

  /** Returns `true` when the exact class of the event is known. */
  has(event: WorkflowEvent): boolean {
    return this.get(event.type) === classOf(event);
  }

  /** Types of the classes that the workflow names, without the engine's. */
  types(): string[] {
    return [...this.#classes.keys()];
  }
}

function typeTaken(type: string, taken: EventClass, second: EventClass): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_INVALID",
    message: `The event classes ${taken.name} and ${second.name} both have the type "${type}".`,
    hint: "Change the type of one of them; a class that extends an event gets its own with `.extend(type)`.",
    details: { reason: "type", event: type },
  });
}

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
