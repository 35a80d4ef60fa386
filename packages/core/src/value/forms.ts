/**
 * Values that JSON cannot hold, and the JSON that stands for them. The names are those of superjson, of which stored data has
 * them, and some of our own: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time), errors.
 *
 * @module
 */
import { type ErrorRecord, errorFrom, recordError } from "../errors/error-record.js";

/** As it is written into `meta`. */
export type FormTag = string | readonly ["custom", string];

export interface Form {
  readonly tag: FormTag;
  /** Parts of it that JSON cannot hold are encoded in turn. */
  encode(value: never): unknown;
  /** From anything: throws at what `encode` cannot have given. */
  decode(json: never): unknown;
}

export const MAX_BIGINT_DIGITS = 10_000;

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
const viewPrototypes: ReadonlySet<unknown> = new Set(views.map((view) => view.prototype));

/** A typed array, and of no class that extends one. */
export function isView(value: object): boolean {
  return viewPrototypes.has(Object.getPrototypeOf(value));
}

const forms = {
  undefined: { tag: "undefined", encode: () => null, decode: () => undefined },
  number: {
    tag: "number",
    encode: (value: number) => (Object.is(value, -0) ? "-0" : String(value)),
    decode: (json: unknown) => Number(textIn(json)),
  },
  date: {
    tag: "Date",
    encode: (date: Date) => date.toISOString(),
    decode: (json: unknown) => {
      const date = new Date(textIn(json));
      if (Number.isNaN(date.getTime())) throw new TypeError("An invalid date");
      return date;
    },
  },
  url: { tag: "URL", encode: String, decode: (json: unknown) => new URL(textIn(json)) },
  map: {
    tag: "map",
    encode: (map: Map<unknown, unknown>) => [...map],
    decode: (json: unknown) => new Map(listIn(json) as [unknown, unknown][]),
  },
  set: {
    tag: "set",
    encode: (set: Set<unknown>) => [...set],
    decode: (json: unknown) => new Set(listIn(json)),
  },
  bytes: {
    tag: ["custom", "@bytes"],
    encode: (view: Uint8Array) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      let text = "";
      for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
      return [view[Symbol.toStringTag], btoa(text)];
    },
    decode: ([name, base64]: [string, string]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const View = views.find((view) => view.name === name) as (typeof views)[number];
      return new View(bytes.buffer);
    },
  },
  bigint: {
    tag: ["custom", "@bigint"],
    encode: String,
    decode: (json: unknown) => {
      const text = textIn(json);
      if (text.length > MAX_BIGINT_DIGITS + 1)
        throw new RangeError(`A bigint has more than ${MAX_BIGINT_DIGITS} digits`);
      return BigInt(text);
    },
  },
  error: {
    tag: ["custom", "@error"],
    encode: recordError,
    decode: (record: ErrorRecord) => errorFrom(record),
  },
} as const satisfies Readonly<Record<string, Form>>;

const byTag: ReadonlyMap<string, Form> = new Map(Object.values(forms).map((form) => [String(form.tag), form]));

export function formNamed(tag: unknown): Form | undefined {
  return byTag.get(String(tag));
}

/** What stands for a value that needs a form. Undefined: JSON holds it, or it is an array or a plain object. */
export function formOf(value: unknown): Form | undefined {
  switch (typeof value) {
    case "undefined":
      return forms.undefined;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? undefined : forms.number;
    case "bigint":
      return forms.bigint;
    case "object":
      return value === null || Array.isArray(value) ? undefined : formOfObject(value);
    default:
      return undefined;
  }
}

function formOfObject(value: object): Form | undefined {
  if (value instanceof Map) return forms.map;
  if (value instanceof Set) return forms.set;
  if (value instanceof Date) return forms.date;
  if (value instanceof Error) return forms.error;
  if (value instanceof URL) return forms.url;
  return isView(value) ? forms.bytes : undefined;
}

function textIn(json: unknown): string {
  if (typeof json === "string") return json;
  throw new TypeError("No text");
}

function listIn(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  throw new TypeError("No list");
}
