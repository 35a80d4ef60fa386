/**
 * Converts events between their form on the wire and that of callers: `{ type, ...fields }`, or instances of known
 * classes.
 *
 * @module
 */
import { type Envelope, formatValue } from "millrace/wire";
import { ClientError } from "../client-error.js";
import { invalidAnswer, type RequestFacts } from "../http/answer-error.js";
import type { EventClasses, SomeEvent } from "../inferred.types.js";
import { decodeValue, encodeValue } from "./value.js";

/** Event classes by type. */
export type ClassesByType = ReadonlyMap<string, EventClasses[string]>;

export function classesByType(classes: EventClasses): ClassesByType {
  return new Map(Object.values(classes).map((eventClass) => [eventClass.type, eventClass]));
}

export interface DecodeOptions {
  readonly classes: ClassesByType;
  readonly request: RequestFacts;
}

/** @throws {ClientError} `RESPONSE_INVALID`; the error of an event class for invalid fields. */
export function decodeEvent(envelope: Envelope, { classes, request }: DecodeOptions): SomeEvent {
  return eventOf(envelope.type, fieldsOf(envelope, request), classes);
}

export function eventOf(type: string, fields: object, classes: ClassesByType): SomeEvent {
  const EventClass = classes.get(type);
  return EventClass ? (new EventClass(fields) as object as SomeEvent) : { ...fields, type };
}

function fieldsOf({ value: json, meta }: Envelope, request: RequestFacts): object {
  try {
    return decodeValue({ json, meta }) as object;
  } catch (cause) {
    throw invalidAnswer("a value that cannot be read", request, { cause });
  }
}

/** Result of a run: the value in a plain stop event, otherwise the event. */
export function decodeResult(envelope: Envelope, options: DecodeOptions): unknown {
  const event = decodeEvent(envelope, options);
  return envelope.type === "StopEvent" ? (event as { result?: unknown }).result : event;
}

/** @throws {ClientError} `OPTION_INVALID` for a value that is not an event. */
export function encodeEvent(event: object): Pick<Envelope, "type" | "value" | "meta"> {
  const { type, fields } = partsOf(event);
  if (typeof type !== "string") {
    throw new ClientError({
      code: "OPTION_INVALID",
      message: "An event without a type cannot be sent.",
      hint: 'Pass `{ type: "Joke", ...fields }`, or an instance of an event class.',
    });
  }
  const { json, meta } = encodeValue(fields);
  return { type, value: json, meta };
}

/**
 * Makes `start_event`: plain fields if JSON can hold them, otherwise an envelope, which needs a qualified name instead of
 * a type.
 */
export function encodeStart(input: object): Readonly<Record<string, unknown>> {
  const { type, fields } = partsOf(input);
  const { json, meta } = encodeValue(fields);
  if (type === undefined && meta === undefined) return json as Readonly<Record<string, unknown>>;
  return {
    ...(type === undefined ? { qualified_name: "" } : { type }),
    value: json,
    meta,
  };
}

/**
 * Splits an event. An instance inherits its type, and `toJSON` returns its fields.
 *
 * @throws {ClientError} `OPTION_INVALID` for a value without fields.
 */
function partsOf(event: object): { readonly type?: unknown; readonly fields: object } {
  assertFields(event);
  const { toJSON } = event as { toJSON?: () => object };
  if (typeof toJSON === "function") return { type: (event as SomeEvent).type, fields: toJSON.call(event) };
  const { type, ...fields } = event as Partial<SomeEvent>;
  return { type, fields };
}

/** @throws {ClientError} `OPTION_INVALID`. */
export function assertFields(fields: unknown): asserts fields is object {
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return;
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `Fields must be an object; they are ${formatValue(fields)}.`,
    hint: 'Pass an object, such as `{ topic: "pirates" }`.',
  });
}
