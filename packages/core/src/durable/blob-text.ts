/**
 * Large values of a text are stored once, by the hash of their content, and named in its place.
 *
 * A text that holds no blob is stored as it is. One that does begins with a letter that no JSON begins with.
 *
 * @module
 */
import type { RunStore } from "./run-store.types.js";

/** Longer texts and values are worth a blob of their own: in UTF-16 units, a little less than their bytes. */
export const BLOB_LENGTH: number = 64 * 1024;

const PACKED = "B";
/** The only key of an object that stands for a blob, or for an object that has that key itself. */
const NAME = "$blob";
const PLAIN = "$plain";
/** About the length of a blob's name. */
const NAME_LENGTH = 80;

export interface PackedText {
  readonly text: string;
  readonly blobs: { readonly hash: string; readonly text: string }[];
}

export function packText(text: string, hash: RunStore["hash"]): PackedText {
  if (text.length <= BLOB_LENGTH) return { text, blobs: [] };
  const blobs = new Map<string, string>();
  const holder = { root: JSON.parse(text) as unknown };
  packParts(holder, naming(blobs, hash));
  if (blobs.size === 0) return { text, blobs: [] };
  return {
    text: PACKED + JSON.stringify(holder.root),
    blobs: [...blobs].map(([name, json]) => ({ hash: name, text: json })),
  };
}

/** Packs each text of a list by itself: the list may be long, and need not fit into one text before its large values are named. */
export function packList(texts: readonly string[], hash: RunStore["hash"]): PackedText {
  if (texts.every(({ length }) => length <= BLOB_LENGTH)) return { text: `[${texts.join(",")}]`, blobs: [] };
  const blobs = new Map<string, string>();
  const packed = texts.map((text) => (isShort(text) ? text : packOne(text, naming(blobs, hash))));
  if (blobs.size === 0) return { text: `[${texts.join(",")}]`, blobs: [] };
  return {
    text: `${PACKED}[${packed.join(",")}]`,
    blobs: [...blobs].map(([name, json]) => ({ hash: name, text: json })),
  };
}

/** `true`: no part is large, and no part looks like the name of a blob. */
function isShort(text: string): boolean {
  return text.length <= BLOB_LENGTH && !text.includes(`"${NAME}"`) && !text.includes(`"${PLAIN}"`);
}

function packOne(text: string, nameOf: NameOf): string {
  const holder = { root: JSON.parse(text) as unknown };
  packParts(holder, nameOf);
  return JSON.stringify(holder.root);
}

function naming(blobs: Map<string, string>, hash: RunStore["hash"]): NameOf {
  return (json) => {
    const name = hash(json);
    blobs.set(name, json);
    return { [NAME]: name };
  };
}

type NameOf = (json: string) => object;

/**
 * Puts names in the place of large parts, the parts of parts first: what stays small without them stays where it is.
 *
 * In place, because snapshots of long runs come through here again and again. Gives the length of what is left.
 */
function packParts(container: unknown[] | Record<string, unknown>, nameOf: NameOf): number {
  let length = 2;
  const pack = (child: unknown, put: (packed: object) => void): void => {
    const isContainer = typeof child === "object" && child !== null;
    const own = isContainer ? packParts(child as Record<string, unknown>, nameOf) : lengthOf(child);
    const isLarge = own > BLOB_LENGTH;
    length += 1 + (isLarge ? NAME_LENGTH : own);
    const isMistakable = isContainer && !Array.isArray(child) && (NAME in child || PLAIN in child);
    if (!isLarge && !isMistakable) return;
    const plain = isMistakable ? { [PLAIN]: child } : child;
    put(isLarge ? nameOf(JSON.stringify(plain)) : (plain as object));
  };
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++)
      pack(container[index], (packed) => (container[index] = packed));
    return length;
  }
  for (const key of Object.keys(container)) {
    length += key.length + 3;
    pack(container[key], (packed) => (container[key] = packed));
  }
  return length;
}

function lengthOf(plain: unknown): number {
  return typeof plain === "string" ? plain.length + 2 : 8;
}

/** Reads blobs, and parses JSON. */
export interface BlobReader {
  read(hash: string): Promise<string>;
  parse(text: string): unknown;
}

export async function unpackText(text: string, read: BlobReader["read"]): Promise<string> {
  return text.startsWith(PACKED) ? JSON.stringify(await unpackJson(text, { read, parse: JSON.parse })) : text;
}

/** Reads the value of a text. Blobs are inserted in place, so a load needs only the room for the value and one text. */
export async function unpackJson(text: string, { read, parse }: BlobReader): Promise<unknown> {
  if (!text.startsWith(PACKED)) return parse(text);
  const holder: Container = { root: parse(text.slice(1)) };
  const named: NamedPart[] = [];
  unpackPart(holder, "root", named);
  for (let part = named.pop(); part !== undefined; part = named.pop()) {
    const { container, key, hash } = part;
    container[key] = parse(await read(hash));
    unpackPart(container, key, named); // a blob may name others
  }
  return holder["root"];
}

type Container = Record<string, unknown>;

/** A part to be read, and its place. */
interface NamedPart {
  readonly container: Container;
  readonly key: string;
  readonly hash: string;
}

function unpackPart(container: Container, key: string, named: NamedPart[]): void {
  const part = container[key] as Container | null;
  if (typeof part !== "object" || part === null) return;
  const hash = part[NAME];
  if (typeof hash === "string") {
    named.push({ container, key, hash });
    return;
  }
  // An object under that key may have the key of names itself: what is in it is looked at, not the object.
  const inner = Array.isArray(part) ? part : ((part[PLAIN] ?? part) as Container);
  container[key] = inner;
  for (const name in inner) unpackPart(inner as Container, name, named);
}
