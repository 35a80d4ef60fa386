/**
 * JSON forms of values that JSON cannot hold. How they are read: `read-forms.ts`.
 *
 * They are those of superjson. Three have another form: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time)
 * and errors, whose form the caller brings.
 *
 * @module
 */
import { type Form, type FormOf, instanceOf } from "./encode-tree.js";
import { isOfClass, kindOf } from "./kind.js";
import { isRecord } from "./plain.js";

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

/** The class of a typed array; `undefined` for one of a class that extends it. */
export function viewOf(value: object): (typeof views)[number] | undefined {
  return views.find((view) => isOfClass(value, view));
}

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

type FormName = "undefined" | "number" | "Date" | "URL" | "View" | "bigint" | "Map" | "Set";

export const forms: Readonly<Record<FormName, Form>> = {
  undefined: { tag: "undefined", encode: () => null },
  number: { tag: "number", encode: numberText },
  Date: { tag: "Date", encode: (date: Date) => date.toISOString() },
  URL: { tag: "URL", encode: (url: URL) => url.href },
  View: { tag: ["custom", "@bytes"], encode: encodeBytes },
  bigint: { tag: ["custom", "@bigint"], encode: String },
  Map: { tag: "map", encode: (map: Map<unknown, unknown>) => [...map] },
  Set: { tag: "set", encode: (set: Set<unknown>) => [...set] },
};

/** The forms above, and one for errors. */
export function formsWith(errors: Form): (value: unknown) => ReturnType<FormOf> {
  return (value) => {
    if (typeof value !== "object") return (forms as { readonly [kind: string]: Form | undefined })[typeof value];
    if (Array.isArray(value) || isRecord(value)) return undefined;
    const kind = kindOf(value as object);
    return kind === "Error" ? errors : kind === null ? instanceOf(value as object) : forms[kind];
  };
}
