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

export interface PackedText {
  readonly text: string;
  readonly blobs: { readonly hash: string; readonly text: string }[];
}

export function packText(text: string, hash: RunStore["hash"]): PackedText {
  if (text.length <= BLOB_LENGTH) return { text, blobs: [] };
  const blobs = new Map<string, string>();
  const blob = (json: string): object => {
    const name = hash(json);
    blobs.set(name, json);
    return { [NAME]: name };
  };
  const packed = pack(JSON.parse(text), blob);
  if (blobs.size === 0) return { text, blobs: [] };
  return {
    text: PACKED + JSON.stringify(packed.value),
    blobs: [...blobs].map(([name, json]) => ({ hash: name, text: json })),
  };
}

/** Parts first: what stays small without its large parts stays where it is. */
function pack(value: unknown, blob: (json: string) => object): { readonly value: unknown; readonly length: number } {
  if (typeof value === "string") return bounded(value, value.length + 2, blob);
  if (typeof value !== "object" || value === null) return { value, length: 8 };
  let length = 2;
  const part = (child: unknown): unknown => {
    const packed = pack(child, blob);
    length += packed.length + 1;
    return packed.value;
  };
  if (Array.isArray(value)) {
    const list = value.map(part);
    return bounded(list, length, blob);
  }
  const fields: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    length += key.length + 3;
    fields[key] = part(child);
  }
  return bounded(NAME in value || PLAIN in value ? { [PLAIN]: fields } : fields, length, blob);
}

function bounded(value: unknown, length: number, blob: (json: string) => object): { value: unknown; length: number } {
  return length > BLOB_LENGTH ? { value: blob(JSON.stringify(value)), length: 80 } : { value, length };
}

/** @param read Gives the text of a blob. */
export async function unpackText(text: string, read: (hash: string) => Promise<string>): Promise<string> {
  if (!text.startsWith(PACKED)) return text;
  return JSON.stringify(await unpack(JSON.parse(text.slice(1)), read));
}

async function unpack(value: unknown, read: (hash: string) => Promise<string>): Promise<unknown> {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((child) => unpack(child, read)));
  const fields = value as { readonly [key: string]: unknown };
  if (typeof fields[NAME] === "string") return unpack(JSON.parse(await read(fields[NAME])), read);
  const inner = (fields[PLAIN] ?? fields) as { readonly [key: string]: unknown };
  const entries = Object.entries(inner).map(async ([key, child]) => [key, await unpack(child, read)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
