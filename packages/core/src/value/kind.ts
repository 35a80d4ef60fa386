/**
 * Recognises values of any realm: an iframe, a `vm` context, a test runner that isolates its files.
 *
 * Classes of another realm are known by the internal slots of their instances, as in `structuredClone`: a name can be forged.
 *
 * @module
 */

/** Classes whose instances can be stored, besides plain objects and arrays. */
export type Kind = "Map" | "Set" | "Date" | "Error" | "URL" | "View";

/**
 * Each probe throws for a value without the internal slots of the class. A Proxy of a reactive library has none; a Proxy of a
 * `Map` or `Set` still reads its size.
 */
const slots = {
  Map: (value: object) => (value instanceof Map ? value.size : Map.prototype.has.call(value, 0)),
  Set: (value: object) => (value instanceof Set ? value.size : Set.prototype.has.call(value, 0)),
  Date: (value: object) => Date.prototype.getTime.call(value),
  URL: (value: object) => Reflect.get(URL.prototype, "href", value),
};

/** `true` if the value inherits from the `Object.prototype` of another realm. */
export function isForeign(value: object): boolean {
  let last: object | null = Object.getPrototypeOf(value);
  if (last === null || last === Object.prototype) return false;
  for (let next = last; next !== null; next = Object.getPrototypeOf(next)) last = next;
  return last !== Object.prototype;
}

/** An error of any realm. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  // The name of a class can be forged by a symbol only.
  return isObject(value) && tagOf(value) === "Error" && !(Symbol.toStringTag in value);
}

/** A date of any realm. */
export function isDate(value: unknown): value is Date {
  return isObject(value) && kindOf(value) === "Date";
}

/** Returns `null` for a value of any other class. */
export function kindOf(value: object): Kind | null {
  try {
    const tag = tagOf(value);
    if (ArrayBuffer.isView(value)) return tag === "DataView" ? null : "View";
    if (isError(value)) return "Error";
    if (!Object.hasOwn(slots, tag)) return null;
    slots[tag as keyof typeof slots](value);
    return tag as Kind;
  } catch {
    return null;
  }
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a value is of this class itself, and not of one that extends it. */
export function isOfClass(value: object, named: { readonly name: string; readonly prototype: object }): boolean {
  const prototype: object = Object.getPrototypeOf(value);
  return prototype === named.prototype || (isForeign(value) && prototype.constructor?.name === named.name);
}

// ---- plain objects: what JSON has objects for

/** Keys that reach prototypes. */
export const forbiddenKeys: ReadonlySet<string> = /* @__PURE__ */ new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** An object of any class, arrays included. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** An object of any class, except an array. */
export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** True for a plain object, and not for an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return hasFields(value) && isPlainObject(value);
}

/** Made by `{}`, `JSON.parse` or `Object.create(null)`, in this realm or another. */
export function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** A promise of any library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** A value in the message of an error: any value, in a few words. Texts are in quotes. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/**
 * Function that replaces drafts in values made inside of an edit, because drafts end with the edit.
 *
 * `null` until the first edit, so that earlier checks cost one comparison.
 */
export const insideEdit: { plain: ((value: unknown) => unknown) | null } = { plain: null };
