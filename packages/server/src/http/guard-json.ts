import { bodyInvalid } from "./http-error.js";

/** Keys that reach prototypes. */
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Refuses JSON that is nested too deeply or has keys that reach prototypes. Does not recurse.
 *
 * @throws {HttpError} `BODY_INVALID`
 */
export function guardJson(value: unknown, maxDepth: number): void {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (typeof node !== "object" || node === null) continue;
    if (depth > maxDepth) throw bodyInvalid(`The body is nested deeper than ${maxDepth} levels.`);
    for (const [key, inner] of Object.entries(node)) {
      if (forbidden.has(key)) throw bodyInvalid(`The body has the key ${JSON.stringify(key)}, which is refused.`);
      if (typeof inner === "object") open.push([inner, depth + 1]);
    }
  }
}

/** @throws {HttpError} `BODY_INVALID` */
export function parseJson(text: string, maxDepth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bodyInvalid("The body is not JSON.");
  }
  guardJson(value, maxDepth);
  return value;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; none for other values. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The items of a list; none for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
