/**
 * JSON forms of values that JSON cannot hold. How they are read: `read-forms.ts`.
 *
 * They are those of superjson. Three have another form: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time)
 * and errors, whose form the caller brings.
 *
 * @module
 */
import type { Form, FormOf } from "./encode-tree.js";
import { kindOf } from "./kind.js";

export const MAX_BIGINT_DIGITS = 10_000;

export const views: readonly (new (buffer: ArrayBuffer) => ArrayBufferView)[] = [
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
];

function encodeBytes(view: ArrayBufferView): [string, string] {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return [view[Symbol.toStringTag as never], btoa(text)];
}

/** `NaN`, an infinity or -0. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

const forms = {
  undefined: { tag: "undefined", encode: () => null },
  number: { tag: "number", encode: numberText },
  Date: { tag: "Date", encode: (date: Date) => date.toISOString() },
  URL: { tag: "URL", encode: (url: URL) => url.href },
  View: { tag: ["custom", "@bytes"], encode: encodeBytes },
  bigint: { tag: ["custom", "@bigint"], encode: String },
  Map: { tag: "map", encode: (map: Map<unknown, unknown>) => [...map] },
  Set: { tag: "set", encode: (set: Set<unknown>) => [...set] },
} as const satisfies Readonly<Record<string, Form>>;

/**
 * The forms above, and one for errors. They are for values that JSON does not hold: anything else, also an array or a plain object, has
 * none.
 */
export function formsWith(errors: Form): FormOf {
  const formOfObject = (value: object): Form | undefined => {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return undefined; // most are
    const kind = kindOf(value);
    if (kind === null) return undefined;
    return kind === "Error" ? errors : forms[kind];
  };
  return (value) => {
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
  };
}
