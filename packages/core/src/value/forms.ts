/**
 * JSON forms of values that JSON cannot hold: how they are written, and how they are read.
 *
 * They are those of superjson. Three have another form: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time)
 * and errors, whose form the caller brings.
 *
 * @module
 */

import { isOfClass, isRecord, kindOf } from "./kind.js";
import { type Form, type FormOf, instanceOf } from "./tree.js";

export const MAX_BIGINT_DIGITS = 10_000;

const views: readonly (new (buffer: ArrayBuffer) => ArrayBufferView)[] = [
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
function numberText(value: number): string {
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

// ---- how they are read: the JSON comes from outside

/** Throws at what no value was encoded as. */
export type ReadJson = (json: unknown) => unknown;

/** Reads single values from their texts. The engine leaves that to superjson; a page, where superjson is too large, to the platform. */
export interface LeafReaders {
  number(text: string): unknown;
  Date(text: string): Date;
  URL(text: string): unknown;
}

/** Returns readers by the text of their tags. */
export function readersWith(leaves: LeafReaders): ReadonlyMap<string, ReadJson> {
  return new Map<string, ReadJson>([
    ["undefined", () => undefined],
    ["number", (json) => leaves.number(textIn(json))],
    ["Date", (json) => validDate(leaves.Date(textIn(json)))],
    ["URL", (json) => leaves.URL(textIn(json))],
    ["custom,@bytes", readBytes],
    ["custom,@bigint", readBigint],
    ["map", (json) => new Map(listIn(json) as [unknown, unknown][])],
    ["set", (json) => new Set(listIn(json))],
  ]);
}

function validDate(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new TypeError("No date");
  return date;
}

function readBytes(json: unknown): ArrayBufferView {
  const [name, base64] = listIn(json) as [string, string];
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const View = views.find((view) => view.name === name) as (typeof views)[number];
  return new View(bytes.buffer);
}

function readBigint(json: unknown): bigint {
  const digits = textIn(json);
  if (digits.length > MAX_BIGINT_DIGITS + 1) throw new RangeError("Too many digits");
  return BigInt(digits);
}

function textIn(json: unknown): string {
  if (typeof json === "string") return json;
  throw new TypeError("No text");
}

function listIn(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  throw new TypeError("No list");
}
