/**
 * What JSON cannot hold, and what stands for it on the way: the forms that `millrace` writes, which are those of superjson and
 * some of its own for bytes, bigint, errors and events inside events.
 *
 * @module
 */
import { decodeValue, encodeValue } from "./value.js";

/** As it is written into `meta`. */
export type FormName = string | readonly ["custom", string];

interface Form {
  readonly name: FormName;
  is(value: unknown): boolean;
  /** What stands for it. Parts that JSON cannot hold are encoded in turn. */
  encode(value: never): unknown;
  decode(json: never): unknown;
}

const views = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

const forms: readonly Form[] = [
  { name: "undefined", is: (value) => value === undefined, encode: () => null, decode: () => undefined },
  {
    name: "number",
    is: (value) => typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)),
    encode: (value: number) => (Object.is(value, -0) ? "-0" : String(value)),
    decode: Number,
  },
  {
    name: "Date",
    is: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    encode: (date: Date) => date.toISOString(),
    decode: (text: string) => new Date(text),
  },
  { name: "URL", is: (value) => value instanceof URL, encode: String, decode: (text: string) => new URL(text) },
  {
    name: "map",
    is: (value) => value instanceof Map,
    encode: (map: Map<unknown, unknown>) => [...map],
    decode: (entries: [unknown, unknown][]) => new Map(entries),
  },
  {
    name: "set",
    is: (value) => value instanceof Set,
    encode: (set: Set<unknown>) => [...set],
    decode: (members: unknown[]) => new Set(members),
  },
  {
    name: ["custom", "@bytes"],
    is: (value) => ArrayBuffer.isView(value),
    encode: (view: Uint8Array) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
      return [view[Symbol.toStringTag], btoa(text)];
    },
    decode: ([name, base64]: [string, string]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const View = views.find((view) => view.name === name) ?? Uint8Array;
      return new View(bytes.buffer);
    },
  },
  {
    name: ["custom", "@bigint"],
    is: (value) => typeof value === "bigint",
    encode: String,
    decode: (digits: string) => BigInt(digits),
  },
  {
    name: ["custom", "@error"],
    is: (value) => value instanceof Error,
    encode: ({ name, message }: Error) => ({ name, message }),
    decode: ({ message, ...rest }: { message: string }) => Object.assign(new Error(message), rest),
  },
  {
    name: ["custom", "@event"],
    is: isEvent,
    encode: (event: { type: string; toJSON(): unknown }) => {
      const { json, meta } = encodeValue(event.toJSON());
      return { type: event.type, data: json, ...(meta !== undefined && { meta }) };
    },
    decode: ({ type, data, meta }: { type: string; data: object; meta?: unknown }) => ({
      type,
      ...(decodeValue({ json: data, meta }) as object),
    }),
  },
];

export function formOf(value: unknown): Form | undefined {
  return forms.find(({ is }) => is(value));
}

/** Undefined: not known here, such as that of a class which the workflow registers. */
export function formNamed(name: unknown): Form | undefined {
  return forms.find((form) => String(form.name) === String(name));
}

/** An instance of an event class: its type is inherited. */
function isEvent(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "type")) return false;
  return "type" in value && "toJSON" in value && typeof value.toJSON === "function";
}
