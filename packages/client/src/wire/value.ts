/**
 * Values in their wire form: plain JSON, with a `meta` beside it that describes the parts which stand for values that JSON cannot hold.
 * Names in a path are joined by dots; a dot or backslash in a name is escaped by a backslash.
 *
 * The forms are those that `millrace` writes: those of superjson, and some of its own for bytes, bigint, errors and events
 * inside events.
 *
 * @module
 */
import { ClientError } from "../client-error.js";

/** JSON, and a description of its parts that stand for other values. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** `{ path: tree }`, or `[form]`, or `[form, { path: tree }]`. */
type Tree = Parts | readonly [form: FormName, parts?: Parts];
type Parts = { readonly [path: string]: Tree };

/** @throws {ClientError} `OPTION_INVALID` with the path of a value that no server could read. */
export function encodeValue(value: unknown): EncodedValue {
  const { json, tree } = encode(value, []);
  return tree === undefined ? { json } : { json, meta: tree };
}

interface Encoded {
  readonly json: unknown;
  readonly tree?: Tree | undefined;
}

/** @param above The objects that contain `value`, with the names that lead to it. */
function encode(value: unknown, above: readonly (readonly [container: object, name: string])[]): Encoded {
  const form = formOf(value);
  const json = form === undefined ? value : form.encode(value as never);
  if (typeof json !== "object" || json === null) {
    if (typeof json === "function" || typeof json === "symbol") throw unsendable(`is a ${typeof json}`, above);
    return { json, ...(form && { tree: [form.name] }) };
  }
  if (above.some(([container]) => container === value)) throw unsendable("contains itself", above);
  if (!Array.isArray(json) && !isPlainObject(json)) {
    throw unsendable(`is an instance of ${json.constructor?.name || "a class"}`, above);
  }
  const copy: Record<string, unknown> | unknown[] = Array.isArray(json) ? [] : {};
  const parts: Record<string, Tree> = {};
  for (const [name, part] of Object.entries(json)) {
    // An undefined field counts as left out.
    if (part === undefined && !Array.isArray(json)) continue;
    if (name === "__proto__") throw unsendable("is a name that servers refuse", [...above, [value as object, name]]);
    const encoded = encode(part, [...above, [value as object, name]]);
    (copy as Record<string, unknown>)[name] = encoded.json;
    addParts(parts, name.replaceAll("\\", "\\\\").replaceAll(".", "\\."), encoded.tree);
  }
  const inner = Object.keys(parts).length > 0 ? parts : undefined;
  if (form === undefined) return { json: copy, tree: inner };
  return { json: copy, tree: inner === undefined ? [form.name] : [form.name, inner] };
}

/** Names the parts of plain objects and lists by their whole path. */
function addParts(parts: Record<string, Tree>, path: string, tree: Tree | undefined): void {
  if (tree === undefined) return;
  if (isLeaf(tree)) parts[path] = tree;
  else for (const [rest, part] of Object.entries(tree)) parts[`${path}.${rest}`] = part;
}

function unsendable(what: string, above: readonly (readonly [object, string])[]): ClientError {
  const path = above.map(([, name]) => name).join(".");
  return new ClientError({
    code: "OPTION_INVALID",
    message: `The value cannot be sent: ${path || "it"} ${what}.`,
    hint: "Send plain data; Date, Map, Set, URL, bigint, bytes, errors and events can be sent, too.",
    details: { path },
  });
}

/** A form that is unknown here is not converted. Changes `json`. */
export function decodeValue({ json, meta }: EncodedValue): unknown {
  return meta === undefined || meta === null ? json : decode(json, meta as Tree);
}

function decode(json: unknown, tree: Tree): unknown {
  if (!isLeaf(tree)) return decodeParts(json, tree);
  const [name, parts] = tree;
  const form = formNamed(name);
  if (form === undefined) return json;
  return form.decode((parts === undefined ? json : decodeParts(json, parts)) as never);
}

function decodeParts(json: unknown, parts: Parts): unknown {
  for (const [path, tree] of Object.entries(parts)) {
    const names = namesIn(path);
    const last = names.pop() as string;
    const container = names.reduce(partOf, json) as Record<string, unknown>;
    container[last] = decode(partOf(container, last), tree);
  }
  return json;
}

/** Reads only the JSON's own properties, so that no path leads to a prototype. */
function partOf(container: unknown, name: string): unknown {
  if (typeof container === "object" && container !== null && name !== "__proto__" && Object.hasOwn(container, name)) {
    return (container as Record<string, unknown>)[name];
  }
  throw new TypeError(`There is no "${name}".`);
}

function namesIn(path: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let at = 0; at < path.length; at++) {
    if (path[at] === ".") {
      names.push(name);
      name = "";
    } else name += path[path[at] === "\\" ? ++at : at] ?? "";
  }
  return [...names, name];
}

function isLeaf(tree: Tree): tree is readonly [form: FormName, parts?: Parts] {
  return Array.isArray(tree);
}

/** Tells whether `JSON.stringify` keeps the value as it is. */
export function isPlain(value: unknown): boolean {
  try {
    return encodeValue(value).meta === undefined;
  } catch {
    return false; // the caller reports the reason when it sends the value
  }
}

/** Also accepts plain objects of another realm, such as a frame. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// ---- forms

/** Name of a form, as written into `meta`. */
type FormName = string | readonly ["custom", string];

interface Form {
  readonly name: FormName;
  is(value: unknown): boolean;
  /** Converts a value to its JSON form. Parts that JSON cannot hold are encoded in turn. */
  encode(value: never): unknown;
  decode(json: never): unknown;
}

const views = [
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
] as const;

const forms: readonly Form[] = [
  { name: "undefined", is: (value) => value === undefined, encode: () => null, decode: () => undefined },
  {
    name: "number",
    is: (value) => typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)),
    encode: (value: number) => (Object.is(value, -0) ? "-0" : String(value)),
    decode: Number,
  },
  {
    name: "Date",
    is: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    encode: (date: Date) => date.toISOString(),
    decode: (text: string) => new Date(text),
  },
  { name: "URL", is: (value) => value instanceof URL, encode: String, decode: (text: string) => new URL(text) },
  {
    name: "map",
    is: (value) => value instanceof Map,
    encode: (map: Map<unknown, unknown>) => [...map],
    decode: (entries: [unknown, unknown][]) => new Map(entries),
  },
  {
    name: "set",
    is: (value) => value instanceof Set,
    encode: (set: Set<unknown>) => [...set],
    decode: (members: unknown[]) => new Set(members),
  },
  {
    name: ["custom", "@bytes"],
    is: (value) => ArrayBuffer.isView(value),
    encode: (view: Uint8Array) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
      return [view[Symbol.toStringTag], btoa(text)];
    },
    decode: ([name, base64]: [string, string]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const View = views.find((view) => view.name === name) ?? Uint8Array;
      return new View(bytes.buffer);
    },
  },
  {
    name: ["custom", "@bigint"],
    is: (value) => typeof value === "bigint",
    encode: String,
    decode: (digits: string) => BigInt(digits),
  },
  {
    name: ["custom", "@error"],
    is: (value) => value instanceof Error,
    encode: ({ name, message }: Error) => ({ name, message }),
    decode: ({ message, ...rest }: { message: string }) => Object.assign(new Error(message), rest),
  },
  {
    name: ["custom", "@event"],
    is: isEvent,
    encode: (event: { type: string; toJSON(): unknown }) => {
      const { json, meta } = encodeValue(event.toJSON());
      return { type: event.type, data: json, ...(meta !== undefined && { meta }) };
    },
    decode: ({ type, data, meta }: { type: string; data: object; meta?: unknown }) => ({
      type,
      ...(decodeValue({ json: data, meta }) as object),
    }),
  },
];

function formOf(value: unknown): Form | undefined {
  return forms.find(({ is }) => is(value));
}

/** Returns `undefined` for an unknown form, such as that of a class which the workflow registers. */
function formNamed(name: unknown): Form | undefined {
  return forms.find((form) => String(form.name) === String(name));
}

/** Recognizes an instance of an event class, which inherits its type. */
function isEvent(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "type")) return false;
  return "type" in value && "toJSON" in value && typeof value.toJSON === "function";
}
