/**
 * Values to JSON, with a tree beside it that names the form of each part which JSON cannot hold.
 *
 * The tree has the format of superjson: paths, with a backslash before a dot or backslash in a name. Plain JSON stays the same
 * reference. Which values have a form, the caller says: a runtime and a client of a server know different ones.
 *
 * @module
 */
import { forbiddenKeys, isPlainObject } from "./plain.js";

/** `json` alone for plain JSON; `meta` describes the parts that stand for other values. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** The name of a form in `meta`. */
export type FormTag = string | readonly ["custom", string];

/** Forms by path; or the form of the value itself, and those of its parts. */
export type Tree = Parts | readonly [FormTag] | readonly [FormTag, Parts];
export interface Parts {
  [path: string]: Tree;
}

/** How values of one kind are written. */
export interface Form {
  readonly tag: FormTag;
  /** The value as JSON. Parts of it that JSON cannot hold are encoded in turn. */
  encode(value: never): unknown;
}

/** The form of a value; `undefined` if JSON holds it. `container` is the array or object that the value is in. */
export type FormOf = (value: unknown, container?: object) => Form | undefined;

export interface Encoder {
  readonly formOf: FormOf;
  /** Throws for a value that cannot be encoded. @param what Read after the path: "is a function". */
  readonly refuse: (what: string, path: string) => never;
}

/** An undefined field without a form is left to `JSON.stringify`, which leaves it out. */
export function encodeTree(value: unknown, encoder: Encoder): EncodedValue {
  const { json, tree } = encode(value, encoder.formOf(value), { ...encoder, above: [], path: [] });
  return Object.keys(tree).length === 0 ? { json } : { json, meta: tree };
}

interface Walk extends Encoder {
  /** The values around the present one, and the names that lead to it. */
  readonly above: unknown[];
  readonly path: (string | number)[];
}

/** Without a form, the tree is that of the parts. */
function encode(value: unknown, form: Form | undefined, walk: Walk): { json: unknown; tree: Tree } {
  const parts: Parts = {};
  const json = encodeParts(form === undefined ? value : form.encode(value as never), value, {
    parts,
    prefix: "",
    walk,
  });
  if (form === undefined) return { json, tree: parts };
  return { json, tree: Object.keys(parts).length === 0 ? [form.tag] : [form.tag, parts] };
}

interface Within {
  readonly parts: Parts;
  /** With which the paths in `parts` begin. */
  readonly prefix: string;
  readonly walk: Walk;
}

/** The JSON itself if no part is replaced, otherwise a copy. @param value What it is the JSON of. */
function encodeParts(json: unknown, value: unknown, { parts, prefix, walk }: Within): unknown {
  const { above, path, formOf } = walk;
  if (typeof json === "function" || typeof json === "symbol") refuse(walk, `is a ${typeof json}`);
  if (typeof json !== "object" || json === null) return json;
  if (above.includes(value)) refuse(walk, "contains itself");
  const names = Array.isArray(json) ? null : Object.keys(json);
  if (names !== null && !isPlainObject(json)) refuse(walk, `is an instance of ${json.constructor?.name || "a class"}`);
  let result = json as Record<string | number, unknown>;
  above.push(value);
  const { length } = names ?? (json as unknown[]);
  for (let index = 0; index < length; index++) {
    const key = names === null ? index : (names[index] as string);
    const part = (json as Record<string | number, unknown>)[key];
    if (names !== null && forbiddenKeys.has(key as string)) refuse(walk, `has the forbidden key "${key}"`);
    if (typeof part === "string" || typeof part === "boolean" || part === null) continue;
    // Most long arrays are of numbers.
    if (typeof part === "number" && part - part === 0 && part !== 0) continue;
    const form = formOf(part, json);
    path.push(key);
    const at = prefix + String(key).replace(/[\\.]/g, "\\$&");
    let encoded: unknown;
    if (form === undefined) encoded = encodeParts(part, part, { parts, prefix: `${at}.`, walk });
    else ({ json: encoded, tree: parts[at] } = encode(part, form, walk));
    path.pop();
    if (encoded === part) continue;
    if (result === json) result = copyOf(json);
    result[key] = encoded;
  }
  above.pop();
  return result;
}

function refuse({ refuse: refusal, path }: Walk, what: string): never {
  return refusal(what, path.join("."));
}

export function copyOf(container: object): Record<string, unknown> {
  return (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
}
