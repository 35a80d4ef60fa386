/**
 * Events to JSON, also events inside of events. How they come back: `decode.ts`.
 *
 * @module
 */
import { encodeValue } from "../value/codec.js";
import { deepFreeze } from "../value/freeze.js";
import type { EngineType, ValueType } from "../value/storable.js";
import type { EventClass, WorkflowEvent } from "./event.js";
import { fill, planOf } from "./event-class.js";
import { classOf, eventVersionOf, fieldsOf, isEvent } from "./facts.js";
import type { EventRegistry } from "./registry.js";

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

/** The registry whose events a result of {@link storableTypes} takes. */
export function registryOf(types: readonly ValueType[]): EventRegistry | undefined {
  return registries.get(types);
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
  /** Whoever reads events reads these: see `decode.ts`. */
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
