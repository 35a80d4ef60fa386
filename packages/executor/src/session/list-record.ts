/**
 * What a run has done to the lists of its session: where each of their items was at the start.
 *
 * Each change is recorded when it is stored: what was added, removed, put elsewhere, or written in place of something
 * else. Where a change replaces several items by others, as a new order or an assigned list does, the two are compared.
 *
 * @module
 */
import { plainOf } from "millrace/engine";
import {
  fieldAt,
  fieldOf,
  isContainer,
  isObject,
  type JsonObject,
  type Key,
  keysBelow,
  type Path,
  pathKey,
  sameJson,
} from "./json.js";
import { matchItems, NEW } from "./match-items.js";
import { diff, type SessionPatch } from "./patches.js";

/** `count` items: of the list at the start, beginning with the one at `from`; or new ones, where `from` is {@link NEW}. */
export type Piece = readonly [from: number, count: number];

/**
 * The lists whose items are not where they were, by their paths in the state at the start, as text. `null`: the list is
 * in too many pieces, and is compared.
 */
export type ListRecord = Record<string, readonly Piece[] | null>;

/** A list in more pieces is not recorded. */
const MAX_PIECES = 1_000;

export interface RecordedSession {
  readonly session: JsonObject;
  readonly sessionAtStart: Readonly<JsonObject>;
  /** `undefined`: nothing is recorded, and all lists are compared. */
  readonly lists?: ListRecord | undefined;
}

/** The record of a run that does not begin with the state at its start, because it was given one. */
export function recordAtStart(sessionAtStart: Readonly<JsonObject>, session: Readonly<JsonObject>): ListRecord {
  const lists: ListRecord = {};
  const stored = { session: sessionAtStart, sessionAtStart, lists };
  for (const patch of diff(sessionAtStart, session, { lists: "whole" })) recordPatch(stored, patch);
  return lists;
}

/** Records a change before it is made. */
export function recordPatch({ session, sessionAtStart, lists }: RecordedSession, patch: SessionPatch): void {
  if (lists !== undefined) new Recorder(session, sessionAtStart, lists).record(patch);
}

/**
 * Returns the index at the start of each item of a list, or {@link NEW}; `null` when the list has to be compared.
 *
 * @param base The list at the start. @param path Its path then.
 */
export function recordedOrigins(lists: ListRecord | undefined, path: Path, base: readonly unknown[]): number[] | null {
  if (lists === undefined) return null;
  const pieces = Object.hasOwn(lists, pathKey(path)) ? lists[pathKey(path)] : [[0, base.length] as const];
  return pieces ? originsIn(pieces) : null;
}

/** Returns where a value of the state at the start is now, or `null` when its item was taken out of its list. */
export function pathNow(recorded: RecordedSession, path: Path): Path | null {
  return moved(recorded, path, { from: "start", to: ({ pieces, index }) => originsIn(pieces).indexOf(index) });
}

/** Returns where a value of the present state was at the start, or `null` when it is in an item that was not there. */
export function pathAtStart(recorded: RecordedSession, path: Path): Path | null {
  return moved(recorded, path, { from: "now", to: ({ pieces, index }) => originAt(pieces, index) });
}

interface Direction {
  readonly from: "start" | "now";
  readonly to: (place: { readonly pieces: readonly Piece[]; readonly index: number }) => number;
}

function moved({ sessionAtStart, lists = {} }: RecordedSession, path: Path, { from, to }: Direction): Path | null {
  if (Object.keys(lists).length === 0) return path;
  const [given, found]: [Key[], Key[]] = [[], []];
  const atStart = from === "start" ? given : found;
  for (const key of path) {
    const isInList = Array.isArray(fieldAt(plainOf(sessionAtStart), atStart));
    const pieces = isInList ? lists[pathKey(atStart)] : undefined;
    const place = pieces ? to({ pieces: plainOf(pieces), index: Number(key) }) : key;
    if (place === NEW) return null;
    given.push(key);
    found.push(place);
  }
  return found;
}

/** A value at the start, and its path then. */
interface Old<Value = unknown> {
  readonly path: Path;
  readonly value: Value;
}

type OldList = Old<readonly unknown[]>;

class Recorder {
  readonly #session: JsonObject;
  readonly #start: Readonly<JsonObject>;
  readonly #lists: ListRecord;

  constructor(session: JsonObject, start: Readonly<JsonObject>, lists: ListRecord) {
    this.#session = session;
    this.#start = plainOf(start);
    this.#lists = lists;
  }

  record(patch: SessionPatch): void {
    if (patch.op === "delete") return; // if the list is there again later, it is compared then
    if (patch.op === "splice") return this.#spliceAt(patch.path, patch);
    const { path, value } = patch;
    const key = path.at(-1) as Key;
    if (typeof key === "number") return this.#spliceAt(path.slice(0, -1), { at: key, remove: 1, items: [value] });
    const old = isContainer(value) ? this.#atStart(path) : null;
    if (old !== null) this.#replace(old, plainOf(fieldAt(this.#session, path)), value);
  }

  #spliceAt(path: Path, { at, remove, items }: { at: number; remove: number; items: readonly unknown[] }): void {
    const old = this.#atStart(path);
    const list = fieldAt(this.#session, path);
    if (old === null || !isOldList(old) || !Array.isArray(list)) return;
    const from = remove > 0 && items.length === 0 ? this.#lastOfEqual(old, list, { at, remove }) : at;
    const removed = remove === 0 ? [] : list.slice(from, from + remove).map((item) => plainOf(item));
    this.#splice(old, { at: from, removed, items });
  }

  /** Of equal items next to each other the last ones count as removed, as where lists are compared. */
  #lastOfEqual(old: OldList, list: readonly unknown[], { at, remove }: { at: number; remove: number }): number {
    const pieces = this.#piecesOf(old) ?? [];
    const isOld = (index: number): boolean => index < list.length && originAt(pieces, index) !== NEW;
    const isEqual = (one: number, other: number): boolean => sameJson(plainOf(list[one]), plainOf(list[other]));
    let from = at;
    while (isOld(from) && isOld(from + remove) && isEqual(from, from + remove)) from++;
    return from;
  }

  /** Records that a value has replaced another one. */
  #replace(old: Old, before: unknown, after: unknown): void {
    if (Array.isArray(after) && isOldList(old)) {
      if (!Array.isArray(before)) this.#forget(old);
      this.#splice(old, { at: 0, removed: Array.isArray(before) ? before : old.value, items: after });
    } else if (isObject(after) && isObject(old.value)) {
      for (const key of Object.keys(after))
        this.#replace({ path: [...old.path, key], value: fieldOf(old.value, key) }, fieldOf(before, key), after[key]);
    }
  }

  #splice(
    old: OldList,
    { at, removed, items }: { at: number; removed: readonly unknown[]; items: readonly unknown[] },
  ) {
    const pieces = this.#piecesOf(old);
    if (pieces === null) return;
    const isOneWay = removed.length === 0 || items.length === 0;
    const matched = isOneWay ? items.map(() => NEW) : matchItems({ before: removed, after: items });
    const known = originsIn(cut(pieces, at, at + removed.length));
    const origins = matched.map((index) => known[index] ?? NEW);
    const rest = cut(pieces, at + removed.length, Number.POSITIVE_INFINITY);
    this.#keep(old, joined([...cut(pieces, 0, at), ...origins.map((origin): Piece => [origin, 1]), ...rest]));
    for (const [index, origin] of origins.entries()) {
      const before = removed[matched[index] as number];
      if (origin === NEW || sameJson(before, items[index])) continue;
      this.#replace({ path: [...old.path, origin], value: old.value[origin] }, before, items[index]);
    }
  }

  #keep(old: OldList, pieces: readonly Piece[]): void {
    const key = pathKey(old.path);
    const [first, ...more] = pieces;
    const isUnchanged = first?.[0] === 0 && first[1] === old.value.length && more.length === 0;
    if (isUnchanged) delete this.#lists[key];
    else this.#lists[key] = pieces.length > MAX_PIECES ? null : pieces;
  }

  /** The list was away, and there is another one in its place. */
  #forget({ path }: OldList): void {
    const key = pathKey(path);
    for (const known of [key, ...keysBelow(this.#lists, key)]) delete this.#lists[known];
  }

  /** `null`: the list is in too many pieces. */
  #piecesOf({ path, value }: OldList): readonly Piece[] | null {
    const known = this.#lists[pathKey(path)];
    return known === undefined ? [[0, value.length]] : plainOf(known);
  }

  /** The value at the start, for a path in the present state; `null` when nothing was there. */
  #atStart(path: Path): Old | null {
    let old: Old = { path: [], value: this.#start };
    for (const key of path) {
      const index = isOldList(old) ? originAt(this.#piecesOf(old) ?? [], Number(key)) : key;
      if (index === NEW || !isContainer(old.value)) return null;
      old = { path: [...old.path, index], value: fieldOf(old.value, index) };
    }
    return old;
  }
}

function isOldList(old: Old): old is OldList {
  return Array.isArray(old.value) && old.value.length > 0;
}

// ---- pieces

function originsIn(pieces: readonly Piece[]): number[] {
  return pieces.flatMap(([from, count]) =>
    Array.from({ length: count }, (_, index) => (from === NEW ? NEW : from + index)),
  );
}

/** Joins neighbours that are one piece. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const [from, count] of pieces) {
    const last = all.at(-1);
    const isMore = last !== undefined && (last[0] === NEW ? from === NEW : from === last[0] + last[1]);
    if (isMore) all[all.length - 1] = [last[0], last[1] + count];
    else all.push([from, count]);
  }
  return all;
}

/** The pieces from one index up to another. */
function cut(pieces: readonly Piece[], start: number, end: number): Piece[] {
  let at = 0;
  return pieces.flatMap(([from, count]): Piece[] => {
    const skip = Math.max(0, start - at);
    const left = Math.min(count, end - at) - skip;
    at += count;
    return left > 0 ? [[from === NEW ? NEW : from + skip, left]] : [];
  });
}

function originAt(pieces: readonly Piece[], index: number): number {
  return cut(pieces, index, index + 1)[0]?.[0] ?? NEW;
}
