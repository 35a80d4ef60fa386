/**
 * Values that JSON cannot hold, and the JSON that stands for them.
 *
 * superjson writes and reads those without parts of their own, one at a time; what holds others, `Map` and `Set`, is for the
 * walk. It is told of three: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time), errors.
 *
 * @module
 */
import { SuperJSON } from "superjson";
import { type ErrorRecord, errorFrom, recordError } from "../errors/error-record.js";

/** As it is written into `meta`. */
export type FormTag = string | readonly ["custom", string];

export interface Form {
  readonly tag: FormTag;
  /** Parts of it that JSON cannot hold are encoded in turn by the walk. */
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
/** A typed array, and of no class that extends one. */
export function isView(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return views.some((view) => view.prototype === prototype);
}

/** @internal Exported for the test that compares it with the walk. */
export const superjson: SuperJSON = /* @__PURE__ */ createSuperJson();

function createSuperJson(): SuperJSON {
  const made = new SuperJSON();
  made.registerCustom<ArrayBufferView, [string, string]>(
    {
      isApplicable: (value): value is ArrayBufferView => ArrayBuffer.isView(value),
      serialize: (view) => {
        const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        let text = "";
        for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
        return [view[Symbol.toStringTag as never], btoa(text)];
      },
      deserialize: ([name, base64]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const View = views.find((view) => view.name === name) as (typeof views)[number];
        return new View(bytes.buffer);
      },
    },
    "@bytes",
  );
  made.registerCustom<bigint, string>(
    {
      isApplicable: (value): value is bigint => typeof value === "bigint",
      serialize: String,
      deserialize: (digits) => {
        if (digits.length > MAX_BIGINT_DIGITS + 1)
          throw new RangeError(`A bigint has more than ${MAX_BIGINT_DIGITS} digits`);
        return BigInt(digits);
      },
    },
    "@bigint",
  );
  made.registerCustom<Error, never>(
    {
      isApplicable: (value): value is Error => value instanceof Error,
      serialize: recordError as () => never,
      deserialize: (record: ErrorRecord) => errorFrom(record),
    },
    "@error",
  );
  return made;
}

/** One that superjson writes and reads. */
function leaf(tag: FormTag, check: (json: unknown) => unknown): Form {
  const meta = { values: [tag] as never, v: 1 };
  return {
    tag,
    encode: (value) => superjson.serialize(value).json,
    decode: (json: never) => superjson.deserialize({ json: check(json) as never, meta }, { inPlace: true }),
  };
}

const forms = /* @__PURE__ */ createForms();

function createForms() {
  const date = leaf("Date", textIn);
  return {
    undefined: leaf("undefined", () => null),
    number: leaf("number", textIn),
    date: {
      ...date,
      decode: (json: never) => {
        const read = date.decode(json) as Date;
        if (Number.isNaN(read.getTime())) throw new TypeError("An invalid date");
        return read;
      },
    },
    url: leaf("URL", textIn),
    bytes: leaf(["custom", "@bytes"], listIn),
    bigint: leaf(["custom", "@bigint"], textIn),
    error: leaf(["custom", "@error"], (json) => json),
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
  } as const satisfies Readonly<Record<string, Form>>;
}

const byTag: ReadonlyMap<string, Form> = /* @__PURE__ */ mapByTag();

function mapByTag(): Map<string, Form> {
  return new Map(Object.values(forms).map((form) => [String(form.tag), form]));
}

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
