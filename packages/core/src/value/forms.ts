/**
 * JSON forms of values that JSON cannot hold. How they are read: `read-forms.ts`.
 *
 * They are those of superjson. Three have another form: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time)
 * and errors, whose form the caller brings.
 *
 * @module
 */
import type { Form, FormOf } from "./encode-tree.js";
import { isOfClass, kindOf } from "./kind.js";

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

/** Of this realm. */
function copyView(view: ArrayBufferView): unknown {
  const View = viewOf(view) as unknown as Uint8ArrayConstructor | undefined;
  return View && new View(view as Uint8Array);
}

/** `NaN`, an infinity or -0. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

const forms = /* @__PURE__ */ createForms();

function createForms() {
  return {
    undefined: { tag: "undefined", encode: () => null },
    number: { tag: "number", encode: numberText },
    Date: { tag: "Date", encode: (date: Date) => date.toISOString(), copy: (date: Date) => new Date(date) },
    URL: { tag: "URL", encode: (url: URL) => url.href, copy: (url: URL) => new URL(url.href) },
    View: { tag: ["custom", "@bytes"], encode: encodeBytes, copy: copyView },
    bigint: { tag: ["custom", "@bigint"], encode: String },
    Map: {
      tag: "map",
      encode: (map: Map<unknown, unknown>) => [...map],
      copy: (map: Map<unknown, unknown>, copyPart) =>
        new Map(Array.from(map, ([key, part]) => [copyPart(key), copyPart(part)])),
    },
    Set: {
      tag: "set",
      encode: (set: Set<unknown>) => [...set],
      copy: (set: Set<unknown>, copyPart) => new Set(Array.from(set, copyPart)),
    },
  } as const satisfies Readonly<Record<string, Form>>;
}

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
