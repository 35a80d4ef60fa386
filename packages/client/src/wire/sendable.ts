/**
 * What can travel to the server, and what would get lost on the way.
 *
 * @module
 */

/** The first part of a value that cannot be sent: "author is an instance of Author". Null: there is none. */
export function unsendable(value: unknown, path: string, above: readonly unknown[] = []): string | null {
  if (typeof value === "function" || typeof value === "symbol") return `${path} is a ${typeof value}`;
  if (typeof value !== "object" || value === null || isLeaf(value)) return null;
  if (above.includes(value)) return `${path} contains itself`;
  const parts = partsOf(value);
  if (parts === null) return `${path} is an instance of ${value.constructor?.name || "a class"}`;
  for (const [name, part] of parts) {
    const problem = unsendable(part, `${path}.${String(name)}`, [...above, value]);
    if (problem !== null) return problem;
  }
  return null;
}

function isLeaf(value: object): boolean {
  return value instanceof Date || value instanceof URL || value instanceof Error || ArrayBuffer.isView(value);
}

function partsOf(value: object): (readonly [name: unknown, part: unknown])[] | null {
  if (Array.isArray(value)) return [...value.entries()];
  if (value instanceof Map)
    return [...value].flatMap(([name, part]) => [["a key", name] as const, [name, part] as const]);
  if (value instanceof Set) return [...value].map((part) => ["a member", part]);
  if (isPlainObject(value)) return Object.entries(value);
  return isEvent(value) ? Object.entries(value.toJSON() as object) : null;
}

/** An instance of an event class: its type is inherited. */
export function isEvent(value: object): value is { readonly type: string; toJSON(): unknown } {
  return "type" in value && !Object.hasOwn(value, "type") && "toJSON" in value && typeof value.toJSON === "function";
}

/** Also one of another realm, such as a frame. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
