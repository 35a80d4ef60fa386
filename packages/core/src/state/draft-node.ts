/**
 * The changes of an edit in one container of a state, recorded while they happen.
 *
 * A container is copied at its first change, never for a read. Containers on the way to it are copied when the edit ends.
 *
 * @module
 */
import { isForbiddenKey, isObject, isPlainObject } from "../value/kind.js";

/** Marks drafts, and holds the node of a draft. */
export const NODE: unique symbol = Symbol("draft");

export type Container = Record<string, unknown> | unknown[] | Map<unknown, unknown> | Set<unknown>;

/** One edit. Its drafts end with it. */
export interface Edit {
  open: boolean;
}

/** One container that an edit has handed out as a draft. */
export interface DraftNode {
  readonly edit: Edit;
  /** The container before the edit. */
  readonly base: Container;
  readonly parent: DraftNode | null;
  draft: object;
  /** The changed container; `null` while nothing was written. Parts that were only read are shared. */
  copy: Container | null;
  /** `true` if the container, or a draft inside of it, was written. */
  changed: boolean;
  /** Drafts of its parts, by their present places; in a Set, by the original items. */
  kids: Map<unknown, DraftNode> | null;
  /** Written keys of a record or Map, in the order of adding, or items of a Set. `true` if the key was removed in between. */
  touched: Map<unknown, boolean> | null;
  /** Pieces of a list: unchanged ranges and new items. */
  pieces: Piece[] | null;
  /** A list whose changes are found by comparing. */
  isMixed: boolean;
  /** The container after the edit. */
  next: Container | null;
}

export function nodeOf(value: unknown): DraftNode | undefined {
  return isObject(value) ? (value as { [NODE]?: DraftNode })[NODE] : undefined;
}

/** The present content of a container. @throws {TypeError} once its edit has ended. */
export function latest(node: DraftNode): Container {
  if (!node.edit.open) throw new TypeError("This part of the state belongs to an edit that is over.");
  return node.copy ?? node.base;
}

/** A copy to write into. */
export function own(node: DraftNode): Container {
  latest(node);
  if (node.copy === null) {
    node.copy = copyOf(node.base);
    for (let up: DraftNode | null = node; up !== null && !up.changed; up = up.parent) up.changed = true;
  }
  return node.copy;
}

export function copyOf(base: Container): Container {
  if (Array.isArray(base)) return [...base]; // of a frozen list, V8 takes 30 times as long for a slice
  if (base instanceof Map) return new Map(base);
  return base instanceof Set ? new Set(base) : { ...base };
}

/** Returns whether a value is part of the state. New objects belong to the caller until the edit ends: they are not frozen. */
export function isPartOfState(value: object): value is Container {
  return Object.isFrozen(value) && isContainer(value);
}

export function isContainer(value: object): value is Container {
  return Array.isArray(value) || value instanceof Map || value instanceof Set || isPlainObject(value);
}

export function has(container: Container, key: unknown): boolean {
  return container instanceof Map || container instanceof Set
    ? container.has(key)
    : Object.hasOwn(container, key as string);
}

export function valueAt(container: Container, key: unknown): unknown {
  return container instanceof Map ? container.get(key) : (container as Record<string, unknown>)[key as string];
}

/** Returns the keys of a container; the items of a Set. */
export function keysOf(container: Container): Iterable<unknown> {
  const isRecord = !(Array.isArray(container) || container instanceof Map || container instanceof Set);
  return isRecord ? Object.keys(container) : container.keys();
}

export function put(container: Container, key: unknown, value: unknown): void {
  if (container instanceof Map) container.set(key, value);
  else if (isForbiddenKey(key as string))
    Object.defineProperty(container, key as string, { value, writable: true, enumerable: true, configurable: true });
  else (container as Record<string, unknown>)[key as string] = value;
}

/**
 * Replaces the parts of a container that `replace` answers with another value.
 *
 * @param isKept `true`: in a copy, made if there is one. A Set is never written, for its order.
 */
export function replaceParts(
  container: Container,
  replace: (part: unknown, key: unknown) => unknown,
  isKept: boolean,
): Container {
  if (container instanceof Set) {
    const items = [...container];
    const replaced = items.map((item) => replace(item, item));
    return items.every((item, index) => Object.is(item, replaced[index])) ? container : new Set(replaced);
  }
  let own: Container | null = isKept ? null : container;
  if (container instanceof Map) {
    const keys = Array.from(container, ([key, part]) => [replace(key, key), part] as const);
    if ([...container.keys()].some((key, index) => key !== keys[index]?.[0])) container = own = new Map(keys);
  }
  for (const key of keysOf(container)) {
    const part = valueAt(container, key);
    const replaced = replace(part, key);
    if (!Object.is(replaced, part)) put((own ??= copyOf(container)), key, replaced);
  }
  return own ?? container;
}

/** Writes a key of a record or a Map. */
export function writeKey(node: DraftNode, key: unknown, value: unknown): void {
  const before = latest(node);
  const kid = node.kids?.get(key);
  const known = has(before, key);
  if (known && (kid === undefined ? Object.is(valueAt(before, key), value) : kid.draft === value)) return;
  touch(node, key, known ? "written" : "added");
  node.kids?.delete(key);
  put(own(node), key, value);
}

export function removeKey(node: DraftNode, key: unknown): boolean {
  if (!has(latest(node), key)) return false;
  touch(node, key, "removed");
  node.kids?.delete(key);
  const copy = own(node);
  if (copy instanceof Map) copy.delete(key);
  else delete (copy as Record<string, unknown>)[key as string];
  return true;
}

/** An added key comes after all others. */
export function touch(node: DraftNode, key: unknown, how: "written" | "added" | "removed"): void {
  node.touched ??= new Map();
  const { touched } = node;
  const wasAway = touched.get(key) ?? false;
  if (how !== "written") touched.delete(key);
  touched.set(key, how === "removed" || wasAway);
}

// ---- lists

export function writeIndex(node: DraftNode, index: number, value: unknown): void {
  const before = latest(node) as unknown[];
  const kid = node.kids?.get(index);
  if (index === before.length) return void spliceList(node, { at: index, items: [value] });
  if (index > before.length) mix(node);
  else if (kid === undefined ? Object.is(before[index], value) : kid.draft === value) return;
  const copy = own(node) as unknown[];
  record(node, { at: index, remove: 1, add: 1 }, before.length);
  node.kids?.delete(index);
  copy[index] = value;
}

interface Splice {
  readonly at: number;
  readonly remove?: number;
  readonly items?: readonly unknown[];
}

export function spliceList(node: DraftNode, { at, remove = 0, items = nothing }: Splice): void {
  if (remove === 0 && items.length === 0) return;
  const isFirst = node.copy === null;
  const copy = own(node) as unknown[];
  record(node, { at, remove, add: items.length }, copy.length);
  const { kids } = node;
  const isAtEnd = at + remove >= copy.length;
  // V8 takes longer to make room for one more item than for a second copy.
  if (isFirst && remove === 0 && items.length === 1 && isAtEnd) node.copy = copy.toSpliced(at, 0, items[0]);
  else if (isAtEnd) {
    copy.length = at;
    for (const item of items) copy.push(item);
  } else if (at === 0 && remove === 1 && items.length === 0)
    copy.shift(); // the engine's quick way
  else copy.splice(at, remove, ...items);
  if (kids === null || kids.size === 0) return;
  if (!isAtEnd) node.kids = movedKids(kids, { at, remove, by: items.length - remove });
  else for (let index = at; index < at + remove; index++) kids.delete(index);
}
const nothing: readonly unknown[] = [];

function movedKids(
  kids: Map<unknown, DraftNode>,
  { at, remove, by }: { readonly at: number; readonly remove: number; readonly by: number },
): Map<unknown, DraftNode> {
  const moved = new Map<unknown, DraftNode>();
  for (const [index, kid] of kids as Map<number, DraftNode>) {
    if (index < at) moved.set(index, kid);
    else if (index >= at + remove) moved.set(index + by, kid);
  }
  return moved;
}

function record(node: DraftNode, change: { at: number; remove: number; add: number }, length: number): void {
  if (node.isMixed) return;
  node.pieces ??= length === 0 ? [] : [{ from: 0, count: length }];
  if (!insertPiece(node.pieces, change)) mix(node);
}

/** Puts all drafts of items into the list itself. Later changes are found by comparing. */
export function mix(node: DraftNode): unknown[] {
  const copy = own(node) as unknown[];
  node.isMixed = true;
  for (const [index, kid] of node.kids ?? []) copy[index as number] = kid.draft;
  node.kids = null;
  return copy;
}

// ---- a list after some changes, as pieces: what is of the list before, in its order, and what is new

/** `count` items: of the list before, beginning with the one at `from`; or new ones, where `from` is {@link NEW}. */
export interface Piece {
  readonly from: number;
  readonly count: number;
}

export const NEW = -1;

/** A list in more pieces is compared as a whole. */
const MANY = 64;

/** Takes `remove` items out at a place and puts `add` new ones there. False: too many pieces. */
function insertPiece(pieces: Piece[], { at, remove, add }: { at: number; remove: number; add: number }): boolean {
  const before = pieces.splice(0);
  const keep = (from: number, to: number): void => {
    let start = 0;
    for (const piece of before) {
      const skip = Math.max(0, from - start);
      const first = piece.from === NEW ? NEW : piece.from + skip;
      append(pieces, { from: first, count: Math.min(piece.count, to - start) - skip });
      start += piece.count;
    }
  };
  keep(0, at);
  append(pieces, { from: NEW, count: add });
  keep(at + remove, Infinity);
  return pieces.length <= MANY;
}

function append(pieces: Piece[], piece: Piece): void {
  if (piece.count <= 0) return;
  const last = pieces.at(-1);
  const isMore =
    last !== undefined &&
    (piece.from === NEW ? last.from === NEW : last.from !== NEW && last.from + last.count === piece.from);
  if (isMore) pieces[pieces.length - 1] = { from: last.from, count: last.count + piece.count };
  else pieces.push(piece);
}

/** Whether the item at a place is new. */
export function isNewAt(pieces: readonly Piece[], at: number): boolean {
  let end = 0;
  for (const { from, count } of pieces) {
    end += count;
    if (at < end) return from === NEW;
  }
  return true;
}
