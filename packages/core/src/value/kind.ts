/**
 * Recognises values of any realm: an iframe, a `vm` context, a test runner that isolates its files.
 *
 * Classes of another realm are known by the internal slots of their instances, as in `structuredClone`: a name can be forged.
 *
 * @module
 */

/** Classes whose instances can be stored, besides plain objects and arrays. */
export type Kind = "Map" | "Set" | "Date" | "Error" | "URL" | "View";

/** Each throws for a value without the internal slots of the class. */
const slots = {
  Map: (value: object) => Map.prototype.has.call(value, 0),
  Set: (value: object) => Set.prototype.has.call(value, 0),
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
  return typeof value === "object" && value !== null && isForeign(value) && tagOf(value) === "Error";
}

/** A date of any realm. */
export function isDate(value: unknown): value is Date {
  return typeof value === "object" && value !== null && kindOf(value) === "Date";
}

/** Returns `null` for a value of any other class. */
export function kindOf(value: object): Kind | null {
  if (ArrayBuffer.isView(value)) return tagOf(value) === "DataView" ? null : "View";
  if (value instanceof Error) return "Error";
  try {
    // A Proxy of a reactive library has no slots, and its traps read for it.
    if (value instanceof Map) return value.size >= 0 ? "Map" : null;
    if (value instanceof Set) return value.size >= 0 ? "Set" : null;
    if (value instanceof Date) return withSlots(value, "Date");
    if (value instanceof URL) return withSlots(value, "URL");
    return isForeign(value) ? foreignKind(value) : null;
  } catch {
    return null;
  }
}

function foreignKind(value: object): Kind | null {
  const tag = tagOf(value);
  if (tag === "Error" && !(Symbol.toStringTag in value)) return "Error";
  return Object.hasOwn(slots, tag) ? withSlots(value, tag as keyof typeof slots) : null;
}

function withSlots(value: object, kind: keyof typeof slots): Kind {
  slots[kind](value);
  return kind;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a value is of this class itself, and not of one that extends it. */
export function isOfClass(value: object, named: { readonly name: string; readonly prototype: object }): boolean {
  const prototype: object = Object.getPrototypeOf(value);
  return prototype === named.prototype || (isForeign(value) && prototype.constructor?.name === named.name);
}
