/**
 * Converts events to JSON and back, also events inside of events.
 *
 * The output of the schemas is stored. Restoring checks the fields again but keeps the stored values: no default or
 * transform is applied twice. A field that a transform has made may be invalid input, so a refused field is accepted
 * when its schema may convert (see `mayConvert`). A missing field, which the class got later, takes its default.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { copyValue, decodeMeasured, decodeValue, type EncodedValue, encodeValue } from "../value/codec.js";
import { deepFreeze } from "../value/freeze.js";
import { nearest } from "../value/nearest.js";
import type { ChoosyType, ValueType } from "../value/plain.js";
import { isVersion, runMigration } from "../value/version.js";
import { mayConvert } from "./converting-schema.js";
import type { EventClass, WorkflowEvent } from "./event.js";
import { ask, copyFields, fill, invalid, isReserved, planOf } from "./event-class.js";
import { classOf, eventTypeOf, eventVersionOf, fieldsOf, isEvent } from "./facts.js";
import type { EventRegistry } from "./registry.js";
import type { SchemaIssue, StandardSchema } from "./standard-schema.js";

/** An event as plain JSON. */
export interface EncodedEvent {
  readonly type: string;
  readonly data: unknown;
  /** Describes the parts of `data` that stand for values which JSON cannot hold. */
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
  const { json, meta } = encodeValue(fieldsOf(event), path, storable.has(types) ? types : withAnyEvent(types));
  const version = eventVersionOf(classOf(event));
  return {
    type: event.type,
    data: json,
    ...(meta === undefined ? null : { meta }),
    ...(version === 1 ? null : { version }),
  };
}

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
  const { type, data, meta, version } = (encoded ?? {}) as EncodedEvent;
  const eventClass = registry.get(type);
  if (!eventClass) throw unknownEvent(type, registry, path);
  const types = storableTypes(registry);
  const fields = decode(meta === undefined ? { json: data } : { json: data, meta }, path, types);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw invalid(type, [{ message: `${path} has no fields` }]);
  }
  const from = version === undefined ? 1 : version;
  if (from === eventVersionOf(eventClass)) return restore(eventClass, fields);
  // A copy, because `migrate` may change its argument, and plain parts of it belong to the caller.
  const own = copyValue(fields, types);
  return restore(eventClass, migrateFields(eventClass, { fields: own as Record<string, unknown>, from, path }));
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

function restore(eventClass: EventClass, fields: object): WorkflowEvent {
  const { type, holder, engine, keys, schemas, wholes } = planOf(eventClass);
  const event = Object.create(eventClass.prototype);
  const stored = copyFields(type, fields, holder === null ? isReserved : undefined);
  const issues: SchemaIssue[] = [];
  const check = (schema: StandardSchema, value: unknown, key: string | null): unknown => {
    const result = ask(schema["~standard"], value, type);
    if (!result.issues) return result.value;
    if (!mayConvert(schema)) {
      issues.push(
        ...result.issues.map((issue) => (key === null ? issue : { ...issue, path: [key, ...(issue.path ?? [])] })),
      );
    }
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
  const near = typeof type === "string" ? nearest(type, registry.types()) : null;
  return new WorkflowError({
    code: "EVENT_UNKNOWN",
    message: `${path} is an event of type ${JSON.stringify(type)}, which the workflow does not know${near === null ? "" : `; the nearest is "${near}"`}.`,
    hint: "Name the event's class in `on`, `emits`, `waits` or `streams` of a step, or, where it is only inside others, in the workflow's `events`.",
    details: { event: type, nearest: near },
  });
}

// ---- events inside values

const none: readonly ValueType[] = [];
const storable = new WeakSet<readonly ValueType[]>();
const listsOf = new WeakMap<object, readonly ValueType[]>();

/**
 * The types that values of a workflow may contain besides plain data: the events that the workflow knows, and the types
 * that it registers. Encoding and decoding use the same list.
 */
export function storableTypes(registry: EventRegistry): readonly ValueType[] {
  return remembered(registry, () => {
    const list = [eventsOf(registry), ...registry.valueTypes];
    storable.add(list);
    return list;
  });
}

function withAnyEvent(types: readonly ValueType[]): readonly ValueType[] {
  return remembered(types, () => [{ ...eventForm, decode: String }, ...types]);
}

/** The forms in an event's fields are described together with those of the value around it. */
const eventForm = {
  name: "@event",
  is: isEvent,
  encode: (event: WorkflowEvent): object => {
    const version = eventVersionOf(classOf(event));
    return { type: event.type, data: fieldsOf(event), ...(version === 1 ? null : { version }) };
  },
};

function eventsOf(registry: EventRegistry): ChoosyType {
  return {
    ...eventForm,
    refuse(value) {
      const event = value as WorkflowEvent;
      if (registry.has(event)) return null;
      const why = registry.get(event.type)
        ? "whose class is another one in the workflow"
        : "which the workflow does not know";
      return `an event "${event.type}", ${why}`;
    },
    // Its size was checked with the value around it.
    decode: (encoded: unknown) => read(encoded, { registry, path: "An event in a value", decode: decodeNested }),
  };
}

/** Leaves the fields as they are: they were decoded with the value around them. */
const decodeNested: typeof decodeValue = (encoded, path, types = none) =>
  (encoded as EncodedValue).meta === undefined ? (encoded as EncodedValue).json : decodeMeasured(encoded, path, types);

function remembered(key: object, make: () => ValueType[]): readonly ValueType[] {
  const list = listsOf.get(key) ?? make();
  listsOf.set(key, list);
  return list;
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
      hint: "Deploy the newer class here, or load it where it was written.",
      details: { event, version: from, known: version },
    });
  }
  return runMigration(
    () => eventClass.migrate?.(fields, from) ?? fields,
    (why, cause) =>
      new WorkflowError({
        code: "EVENT_INVALID",
        message: `${path} is an event "${event}" of version ${from}, which its \`migrate\` could not bring to version ${version}: ${why}.`,
        hint: `Let \`migrate\` of "${event}" give an object with the fields of version ${version}.`,
        details: { event, version: from, known: version },
        cause,
      }),
  );
}
