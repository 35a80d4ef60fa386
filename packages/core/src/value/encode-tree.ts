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
  const put = (json: unknown, prefix: string, of: unknown): unknown => {
    if (typeof json === "function" || typeof json === "symbol") refuse(`is a ${typeof json}`, walk);
    if (typeof json !== "object" || json === null) return json;
    if (walk.above.includes(of)) refuse("contains itself", walk);
    if (!Array.isArray(json) && !isPlainObject(json))
      refuse(`is an instance of ${json.constructor?.name || "a class"}`, walk);
    walk.above.push(of);
    const encoded = putParts(json, prefix);
    walk.above.pop();
    return encoded;
  };
  /** The container itself if no part is replaced, otherwise a copy. */
  const putParts = (container: object, prefix: string): unknown => {
    let copy: Record<string, unknown> | null = null;
    const putPart = (key: string | number, part: unknown): void => {
      if (typeof part === "string" || typeof part === "boolean" || part === null) return;
      const partForm = walk.formOf(part, container);
      if (partForm === undefined && (typeof part === "number" || part === undefined)) return;
      walk.path.push(key);
      const at = prefix + String(key).replaceAll("\\", "\\\\").replaceAll(".", "\\.");
      let json: unknown;
      if (partForm === undefined) json = put(part, `${at}.`, part);
      else ({ json, tree: parts[at] } = encode(part, partForm, walk));
      walk.path.pop();
      if (json === part) return;
      copy ??= copyOf(container);
      copy[key] = json;
    };
    if (Array.isArray(container)) for (let index = 0; index < container.length; index++) putPart(index, container[index]);
    else
      for (const key of Object.keys(container)) {
        if (forbiddenKeys.has(key)) refuse(`has the forbidden key "${key}"`, walk);
        putPart(key, (container as Record<string, unknown>)[key]);
      }
    return copy ?? container;
  };
  if (form === undefined) return { json: put(value, "", value), tree: parts };
  const json = put(form.encode(value as never), "", value);
  return { json, tree: Object.keys(parts).length === 0 ? [form.tag] : [form.tag, parts] };
}

function refuse(what: string, { refuse: refusal, path }: Walk): never {
  return refusal(what, path.join("."));
}

export function copyOf(container: object): Record<string, unknown> {
  return (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
}
