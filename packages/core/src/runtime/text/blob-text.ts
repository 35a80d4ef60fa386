/**
 * Large values of a text are stored once, by the hash of their content, and named in its place.
 *
 * A text that holds no blob is stored as it is. One that does begins with a letter that no JSON begins with.
 *
 * @module
 */

import { isObject } from "../../value/kind.js";
import type { RunCommit, RunStore } from "../store/run-store.types.js";

/** Longer values become blobs. In UTF-16 units, which are at most as many as the bytes. */
export const BLOB_LENGTH: number = 64 * 1024;

/**
 * Longer texts are, too: an answer of a model is in the record of its call, in what readers see of it, and in the
 * result of its step.
 */
export const TEXT_LENGTH: number = 4 * 1024;

const PACKED = "B";
/** The only key of an object that refers to a blob, or escapes an object that has this key itself. */
const NAME = "$blob";
const PLAIN = "$plain";

export interface PackedText {
  readonly text: string;
  readonly blobs: { readonly hash: string; readonly text: string }[];
}

/** @param text As `JSON.stringify` writes it: without spaces, and with no more escapes than needed. */
export function packText(text: string, hash: RunStore["hash"]): PackedText {
  if (text.length <= TEXT_LENGTH) return { text, blobs: [] };
  const blobs = new Map<string, string>();
  const packed = packOne(text, naming(blobs, hash));
  return blobs.size === 0 ? { text, blobs: [] } : { text: PACKED + packed, blobs: listed(blobs) };
}

/** Packs each text of a list by itself: the list may be long, and need not fit into one text before its large values are named. */
export function packList(texts: readonly string[], hash: RunStore["hash"]): PackedText {
  if (texts.every(({ length }) => length <= TEXT_LENGTH)) return { text: `[${texts.join(",")}]`, blobs: [] };
  const blobs = new Map<string, string>();
  const packed = texts.map((text) => (isShort(text) ? text : packOne(text, naming(blobs, hash))));
  if (blobs.size === 0) return { text: `[${texts.join(",")}]`, blobs: [] };
  return { text: `${PACKED}[${packed.join(",")}]`, blobs: listed(blobs) };
}

/** `true` if no part is large, and no part looks like the name of a blob. */
function isShort(text: string): boolean {
  return text.length <= TEXT_LENGTH && !text.includes(`"${NAME}"`) && !text.includes(`"${PLAIN}"`);
}

function listed(blobs: ReadonlyMap<string, string>): PackedText["blobs"] {
  return [...blobs].map(([hash, text]) => ({ hash, text }));
}

type NameOf = (json: string) => string;

function naming(blobs: Map<string, string>, hash: RunStore["hash"]): NameOf {
  return (json) => {
    const name = hash(json);
    blobs.set(name, json);
    return `{"${NAME}":${JSON.stringify(name)}}`;
  };
}

/** A container whose end is not reached yet. */
interface OpenPart {
  readonly start: number;
  /** Characters saved so far by cuts inside this container. */
  saved: number;
  /** `true` if it has a key of blobs itself. */
  isMistakable: boolean;
}

/** A part of the text, and its replacement. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [LIST, LIST_END, RECORD, RECORD_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Puts names in the place of large parts, the parts of parts first: what stays small without them stays where it is.
 *
 * Scans the text, and parses nothing of it: results of several megabytes come through here, and each part is a part of the text.
 */
function packOne(text: string, nameOf: NameOf): string {
  const open: OpenPart[] = [];
  const cuts: Cut[] = [];
  const close = ({ start, saved, isMistakable }: OpenPart, end: number, most = BLOB_LENGTH): void => {
    const isLarge = end - start - saved > most;
    if (isLarge || isMistakable) {
      const inner = withCuts(text, { start, end }, cutsFrom(cuts, start));
      const plain = isMistakable ? `{"${PLAIN}":${inner}}` : inner;
      cuts.push({ start, end, text: isLarge ? nameOf(plain) : plain });
    }
    const around = open.at(-1);
    if (around !== undefined)
      around.saved += isLarge || isMistakable ? end - start - (cuts.at(-1) as Cut).text.length : saved;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (text.charCodeAt(end) !== COLON) close({ start: at, saved: 0, isMistakable: false }, end, TEXT_LENGTH);
      else if (isNamed(text, at, end)) (open.at(-1) as OpenPart).isMistakable = true;
      at = end - 1;
    } else if (code === LIST || code === RECORD) open.push({ start: at, saved: 0, isMistakable: false });
    else if (code === LIST_END || code === RECORD_END) close(open.pop() as OpenPart, at + 1);
  }
  return withCuts(text, { start: 0, end: text.length }, cuts);
}

/** The place after the quote that ends it. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
}

function isNamed(text: string, start: number, end: number): boolean {
  const length = end - start - 2;
  return (
    (length === NAME.length && text.startsWith(NAME, start + 1)) ||
    (length === PLAIN.length && text.startsWith(PLAIN, start + 1))
  );
}

/** Takes the cuts within a part that begins there: the last ones. */
function cutsFrom(cuts: Cut[], start: number): Cut[] {
  const first = cuts.findLastIndex((cut) => cut.start < start) + 1;
  return cuts.splice(first);
}

function withCuts(text: string, { start, end }: Pick<Cut, "start" | "end">, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return text.slice(start, end);
  let at = start;
  let packed = "";
  for (const cut of cuts) {
    packed += text.slice(at, cut.start) + cut.text;
    at = cut.end;
  }
  return packed + text.slice(at, end);
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
  if (!isObject(part)) return;
  const hash = part[NAME];
  if (typeof hash === "string") {
    named.push({ container, key, hash });
    return;
  }
  // An object under that key may have the key of names itself: its content is unpacked, not the object.
  const inner = Array.isArray(part) ? part : ((part[PLAIN] ?? part) as Container);
  container[key] = inner;
  for (const name in inner) unpackPart(inner as Container, name, named);
}

type Blob = NonNullable<RunCommit["blobs"]>[number];

/** How long a run needs a blob of a commit. */
export interface BlobUse extends Blob {
  /** `true` if it is needed as long as the run, because a permanent text names it, or no text visibly does. */
  readonly isForGood: boolean;
  /** Needed until this tick, and the snapshot of this tick, are pruned; -1 if no tick or snapshot of the commit names it. */
  readonly tick: number;
  readonly snapshot: number;
}

/** Finds out for every blob of a commit which texts name it: stores keep a blob as long as one of them. */
export function blobUses({ blobs = [], ...commit }: RunCommit): BlobUse[] {
  if (blobs.length === 0) return [];
  const { ticks, snapshot, create, summary, events = [], receipts = [] } = commit;
  const byTicks = named([ticks?.text], blobs);
  const bySnapshot = named([snapshot?.text], blobs);
  const forGood = [create?.code, create?.input, summary?.outcome, summary?.waiting];
  for (const { text } of events) forGood.push(text);
  for (const { receipt } of receipts) forGood.push(receipt);
  const byRun = named(forGood, blobs);
  return blobs.map(({ hash, text }) => {
    const isPruned = byTicks.has(hash) || bySnapshot.has(hash);
    return {
      hash,
      text,
      isForGood: byRun.has(hash) || !isPruned,
      tick: byTicks.has(hash) && ticks ? ticks.last : -1,
      snapshot: bySnapshot.has(hash) && snapshot ? snapshot.tick : -1,
    };
  });
}

/** Hashes of the blobs that the texts name, directly or through other blobs. */
function named(texts: readonly (string | null | undefined)[], blobs: readonly Blob[]): ReadonlySet<string> {
  const found = new Set<string>();
  const rest = texts.filter((text) => typeof text === "string");
  for (const text of rest) {
    for (const blob of blobs) {
      if (found.has(blob.hash) || !text.includes(blob.hash)) continue;
      found.add(blob.hash);
      rest.push(blob.text);
    }
  }
  return found;
}
