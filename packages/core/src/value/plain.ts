/** Plain objects: what JSON has objects for. */

/** Keys that reach prototypes. */
export const forbiddenKeys: ReadonlySet<string> = /* @__PURE__ */ new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** True for a plain object, and not for an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlainObject(value);
}

/** Made by `{}`, `JSON.parse` or `Object.create(null)`, in this realm or another. */
export function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
