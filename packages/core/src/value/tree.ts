/**
 * The walk over a value: checks it, measures its JSON, and writes that, with a tree beside it that names the form of each part which
 * JSON cannot hold; and the way back.
 *
 * The tree has the format of superjson: paths, with a backslash before a dot or backslash in a name. Plain JSON stays the same
 * reference. Which values have a form, the caller says: a runtime and a client of a server know different ones.
 *
 * @module
 */
import { forbiddenKeys, isRecord } from "./kind.js";

/** `json` alone for plain JSON; `meta` describes the parts that encode other values. */
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

/** Describes a value that has no form. */
export function instanceOf(value: object): string {
  return `an instance of ${value.constructor?.name || "a class"}`;
}

/**
 * The form of a value, `undefined` if JSON holds it; or what is wrong with it. `container` is the array or object that it is in.
 *
 * Not asked for texts, booleans, `null` and numbers as JSON has them.
 */
export type FormOf = (value: unknown, container: object | undefined, walk: Walk) => Form | string | undefined;

export interface Encoder {
  readonly formOf: FormOf;
  /** Throws for the value that {@link pathOf} leads to. @param what Read after the path and "is": "a function". */
  readonly refuse: (what: string, walk: Walk) => never;
  /** Checks and measures only: `json` is not made, and `meta` only says that there is a form. @default false */
  readonly isDry?: boolean;
}

export interface Walk {
  readonly encoder: Encoder;
  /** The arrays and objects around the present value, and the name that leads on from each of them. */
  readonly above: unknown[];
  readonly path: (string | number)[];
  /** Size of the JSON: array items and object keys, and UTF-16 code units of all keys and texts. */
  items: number;
  characters: number;
  /** The nearest value around with a form: how many are above it, and the forms of its parts, if there are any. */
  from: number;
  meta: Parts | undefined;
  json: unknown;
}

/** `meta` is there in any case. */
export type Encoded = EncodedValue & Pick<Walk, "items" | "characters">;

/** An undefined field without a form is left to `JSON.stringify`, which leaves it out. */
export function encodeTree(value: unknown, encoder: Encoder): Encoded {
  const walk: Walk = { encoder, above: [], path: [], items: 0, characters: 0, from: 0, json: null, meta: undefined };
  walk.json = encode(value, undefined, walk);
  return walk;
}

function encode(value: unknown, container: object | undefined, walk: Walk): unknown {
  if (isLeaf(value, walk)) return value;
  const form = walk.encoder.formOf(value, container, walk);
  if (typeof form === "object") return encodeAs(form, value, walk);
  if (form === undefined && (typeof value === "object" || value === undefined))
    return value && encodeParts(value, value, walk);
  return walk.encoder.refuse(form ?? `a ${typeof value}`, walk);
}

/** Whether JSON has it as it is. It is measured then. */
function isLeaf(value: unknown, walk: Walk): boolean {
  if (typeof value === "number") return value - value === 0 && !Object.is(value, -0);
  if (typeof value !== "string") return value === null || typeof value === "boolean";
  walk.characters += value.length;
  return true;
}

function encodeAs(form: Form, value: unknown, walk: Walk): unknown {
  const { encoder, above, from, meta } = walk;
  walk.from = above.length;
  walk.meta = undefined;
  let json = form.encode(value as never);
  if (Array.isArray(json) || isRecord(json)) json = encodeParts(json, value, walk);
  else if (!isLeaf(json, walk)) encoder.refuse("encoded as something that is not JSON", walk);
  const tree: Tree = walk.meta === undefined ? [form.tag] : [form.tag, walk.meta];
  walk.from = from;
  if (above.length === 0 || encoder.isDry) walk.meta = tree as never;
  else {
    const names = pathOf(walk, from).map((key) => String(key).replace(/[\\.]/g, "\\$&"));
    walk.meta = meta ?? {};
    walk.meta[names.join(".")] = tree;
  }
  return encoder.isDry ? value : json;
}

/** The JSON itself if no part is replaced, otherwise a copy. @param value What it is the JSON of. */
function encodeParts(json: object, value: unknown, walk: Walk): unknown {
  const { above, path } = walk;
  const level = above.push(value) - 1;
  let made = json;
  if (Array.isArray(json)) {
    walk.items += json.length;
    for (let index = 0; index < json.length; index++) {
      const part: unknown = json[index];
      // Most long arrays are of numbers.
      if (typeof part === "number" && part > 0 && part < Infinity) continue;
      path[level] = index;
      const encoded = encode(part, json, walk);
      if (encoded !== part) {
        if (made === json) made = copyOf(json);
        made[index as never] = encoded as never;
      }
    }
  } else {
    // No list of the keys is made: most values are small records.
    for (const key in json) {
      if (!Object.hasOwn(json, key)) continue;
      walk.items++;
      walk.characters += key.length;
      if (forbiddenKeys.has(key)) {
        path[level] = key;
        walk.encoder.refuse("a forbidden key", walk);
      }
      const part = (json as Record<string, unknown>)[key];
      if (typeof part === "string") walk.characters += part.length;
      else if (!(typeof part === "number" && part > 0 && part < Infinity)) {
        path[level] = key;
        const encoded = encode(part, json, walk);
        if (encoded !== part) {
          if (made === json) made = copyOf(json);
          made[key as never] = encoded as never;
        }
      }
    }
  }
  above.pop();
  return made;
}

/** Returns the names that lead from the outermost value to the current one. */
export function pathOf({ path, above }: Walk, from = 0): (string | number)[] {
  return path.slice(from, above.length);
}

function copyOf(container: object): Record<string, unknown> {
  return (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
}

// ---- and back
// The JSON stays as it is: containers on the way to a replaced part are copied. A path leads only to what the JSON itself holds, to no
// prototype.

/** Makes a value of its JSON, whose parts were read before. Throws for a form that it cannot read. */
export type ReadForm = (tag: FormTag, json: unknown) => unknown;

/** @throws {TypeError} for a tree that does not fit the JSON. */
export function decodeTree(json: unknown, tree: Tree, read: ReadForm): unknown {
  return decode(json, tree, { read, copies: new Set() });
}

interface Decoding {
  readonly read: ReadForm;
  /** Containers made here, which may be written into. */
  readonly copies: Set<unknown>;
}

function decode(json: unknown, tree: Tree, decoding: Decoding): unknown {
  if (!Array.isArray(tree)) return decodeParts(json, tree as Parts, decoding);
  const [tag, parts] = tree as readonly [FormTag, Parts?];
  return decoding.read(tag, parts === undefined ? json : decodeParts(json, parts, decoding));
}

function decodeParts(json: unknown, parts: Parts, decoding: Decoding): unknown {
  const root = copyOnce(json, decoding);
  for (const [path, tree] of Object.entries(parts)) {
    const names = namesIn(path);
    const last = names.pop() as string;
    let container = root;
    for (const name of names) {
      const inner = copyOnce(partOf(container, name), decoding);
      container[name] = inner;
      container = inner;
    }
    container[last] = decode(partOf(container, last), tree, decoding);
  }
  return root;
}

/** Copies parts of JSON only: a value made of an earlier part has no parts. */
function copyOnce(container: unknown, { copies }: Decoding): Record<string, unknown> {
  if (copies.has(container)) return container as Record<string, unknown>;
  if (!Array.isArray(container) && !isRecord(container)) throw new TypeError("No parts");
  const copy = copyOf(container);
  copies.add(copy);
  return copy;
}

/** A part of the JSON: nothing inherited, and not the length of a list, which is not enumerable. */
function partOf(container: object, name: string): unknown {
  if (name !== "__proto__" && Object.prototype.propertyIsEnumerable.call(container, name))
    return container[name as keyof typeof container];
  throw new TypeError(`No "${name}"`);
}

function namesIn(path: string): string[] {
  if (!path.includes("\\")) return path.split(".");
  const names = [""];
  for (const [letter] of path.matchAll(/\\?./gs)) {
    if (letter === ".") names.push("");
    else names[names.length - 1] += letter.slice(-1);
  }
  return names;
}
