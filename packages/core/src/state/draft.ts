/**
 * Drafts: parts of a frozen state that can be written like plain objects, arrays, Map and Set.
 *
 * A value that was read is a draft only if it is part of the state; an inserted object belongs to the caller until the edit ends.
 *
 * @module
 */

import { freezeState } from "../value/freeze.js";
import { isObject } from "../value/kind.js";
import {
  type Container,
  type DraftNode,
  type Edit,
  isPartOfState,
  latest,
  mix,
  NODE,
  nodeOf,
  own,
  removeKey,
  spliceList,
  touch,
  writeIndex,
  writeKey,
} from "./draft-node.js";

/** @param base Deeply frozen; stays as it is. */
export function createDraft<State extends object>(base: State): State {
  if (!Object.isFrozen(base)) freezeState(base); // unfrozen parts would be taken for objects of the caller
  return handOut({ open: true }, null, base as Container).draft as State;
}

function handOut(edit: Edit, parent: DraftNode | null, base: Container): DraftNode {
  const node: DraftNode = {
    edit,
    base,
    parent,
    draft: edit,
    copy: null,
    changed: false,
    kids: null,
    touched: null,
    pieces: null,
    isMixed: false,
    next: null,
  };
  if (Array.isArray(base)) node.draft = new Proxy([node] as never, listTraps);
  else if (base instanceof Map) node.draft = new DraftMap(node);
  else if (base instanceof Set) node.draft = new DraftSet(node);
  else node.draft = new Proxy(node as never, recordTraps);
  return node;
}

/** Returns the draft of a part: the same one each time, as long as the part stays in its place. */
function read(node: DraftNode, key: unknown, value: unknown): unknown {
  if (!isObject(value)) return value;
  const kid = node.kids?.get(key);
  if (kid !== undefined) return kid.draft;
  if (nodeOf(value) !== undefined || !isPartOfState(value)) return value;
  const handed = handOut(node.edit, node, value);
  node.kids ??= new Map();
  node.kids.set(key, handed);
  return handed.draft;
}

// ---- records and lists

function refused(what: string): never {
  throw new TypeError(`${what} of a part of the state that is being edited: assign to it instead.`);
}

function traps(of: (target: never) => DraftNode): ProxyHandler<never> {
  return {
    has: (target, key) => key === NODE || key in latest(of(target)),
    ownKeys: (target) => Reflect.ownKeys(latest(of(target))),
    getPrototypeOf: (target) => Object.getPrototypeOf(of(target).base),
    getOwnPropertyDescriptor(target, key) {
      const node = of(target);
      const found = Reflect.getOwnPropertyDescriptor(latest(node), key);
      if (found === undefined) return undefined;
      const isLength = key === "length" && Array.isArray(node.base);
      return { ...found, writable: true, configurable: !isLength };
    },
    defineProperty: () => refused("`Object.defineProperty`"),
    setPrototypeOf: () => refused("`Object.setPrototypeOf`"),
    preventExtensions: () => refused("`Object.freeze`"),
  };
}

const recordTraps: ProxyHandler<never> = {
  ...traps((target) => target as DraftNode),
  get(target, key) {
    const node = target as DraftNode;
    if (key === NODE) return node;
    const record = latest(node) as Record<string | symbol, unknown>;
    const value = record[key];
    return typeof value === "object" && Object.hasOwn(record, key) ? read(node, key, value) : value;
  },
  set(target, key, value) {
    // JSON has no symbols: the value would not be stored.
    if (typeof key === "string") writeKey(target, key, value);
    return true;
  },
  deleteProperty(target, key) {
    removeKey(target, key);
    return true;
  },
};

const listTraps: ProxyHandler<never> = {
  ...traps((target) => (target as [DraftNode])[0]),
  get(target, key) {
    const node = (target as [DraftNode])[0];
    if (key === NODE) return node;
    if (typeof key === "string" && Object.hasOwn(methods, key)) return methods[key as keyof typeof methods];
    const value = (latest(node) as never)[key];
    return typeof value === "object" ? read(node, Number(key), value) : value;
  },
  set(target, key, value) {
    const node = (target as [DraftNode])[0];
    if (key === "length") setLength(node, Number(value));
    else writeIndex(node, indexIn(key), value);
    return true;
  },
  deleteProperty(target, key) {
    writeIndex((target as [DraftNode])[0], indexIn(key), undefined);
    return true;
  },
};

function indexIn(key: string | symbol): number {
  if (typeof key === "string" && /^(0|[1-9]\d*)$/.test(key)) return Number(key);
  throw new TypeError(`A list of the state has no "${String(key)}": only its items and its length can be written.`);
}

function setLength(node: DraftNode, length: number): void {
  const list = latest(node) as unknown[];
  if (length !== length >>> 0) throw new RangeError("Invalid array length");
  if (length < list.length) spliceList(node, { at: length, remove: list.length - length });
  else if (length > list.length) mix(node).length = length;
}

/** List methods that move items, each recorded as one change. The other list methods work through the traps. */
const methods = {
  push(this: object, ...items: unknown[]): number {
    const node = nodeOf(this) as DraftNode;
    spliceList(node, { at: (latest(node) as unknown[]).length, items });
    return (latest(node) as unknown[]).length;
  },
  pop(this: object): unknown {
    return methods.splice.call(this, -1, 1)[0];
  },
  shift(this: object): unknown {
    return methods.splice.call(this, 0, 1)[0];
  },
  unshift(this: object, ...items: unknown[]): number {
    const node = nodeOf(this) as DraftNode;
    spliceList(node, { at: 0, items });
    return (latest(node) as unknown[]).length;
  },
  /** Removed items can still be written, and inserted elsewhere. */
  splice(this: object, ...given: [start?: number, remove?: number, ...items: unknown[]]): unknown[] {
    const node = nodeOf(this) as DraftNode;
    const list = latest(node) as unknown[];
    const [start = 0, wanted = 0, ...items] = given;
    const at = placeIn(start, list.length);
    const count = given.length === 0 ? 0 : given.length === 1 ? list.length : Math.trunc(wanted) || 0;
    const remove = Math.max(0, Math.min(count, list.length - at));
    const taken = Array.from({ length: remove }, (_, index) => read(node, at + index, list[at + index]));
    spliceList(node, { at, remove, items });
    return taken;
  },
  sort(this: object, compare?: (left: unknown, right: unknown) => number): object {
    mix(nodeOf(this) as DraftNode).sort(compare);
    return this;
  },
  reverse(this: object): object {
    mix(nodeOf(this) as DraftNode).reverse();
    return this;
  },
};

function placeIn(start: number, length: number): number {
  const at = Math.trunc(start) || 0;
  return at < 0 ? Math.max(0, length + at) : Math.min(at, length);
}

// ---- Map and Set

class DraftMap extends Map<unknown, unknown> {
  readonly [NODE]: DraftNode;

  constructor(node: DraftNode) {
    super();
    this[NODE] = node;
  }

  override get size(): number {
    return present(this).size;
  }

  override has(key: unknown): boolean {
    return present(this).has(key);
  }

  override get(key: unknown): unknown {
    return read(this[NODE], key, (present(this) as Map<unknown, unknown>).get(key));
  }

  override set(key: unknown, value: unknown): this {
    writeKey(this[NODE], key, value);
    return this;
  }

  // Newer engines have both, for what is in the object itself: nothing in a draft.
  getOrInsert(key: unknown, value: unknown): unknown {
    return this.getOrInsertComputed(key, () => value);
  }

  getOrInsertComputed(key: unknown, make: (key: unknown) => unknown): unknown {
    if (!this.has(key)) this.set(key, make(key));
    return this.get(key);
  }

  override delete(key: unknown): boolean {
    return removeKey(this[NODE], key);
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  override keys(): MapIterator<unknown> {
    return presentKeys(this);
  }

  override *values(): MapIterator<unknown> {
    for (const key of this.keys()) yield this.get(key);
  }

  override *entries(): MapIterator<[unknown, unknown]> {
    for (const key of this.keys()) yield [key, this.get(key)];
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }

  override forEach(visit: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void, self?: unknown): void {
    for (const [key, value] of this.entries()) visit.call(self, value, key, this);
  }
}

class DraftSet extends Set<unknown> {
  readonly [NODE]: DraftNode;

  constructor(node: DraftNode) {
    super();
    this[NODE] = node;
  }

  /** The item of this Set behind a draft. */
  #itemOf(value: unknown): unknown {
    const node = nodeOf(value);
    return node?.parent === this[NODE] ? node.base : value;
  }

  override get size(): number {
    return present(this).size;
  }

  override has(value: unknown): boolean {
    return present(this).has(this.#itemOf(value));
  }

  override add(value: unknown): this {
    const item = this.#itemOf(value);
    if (present(this).has(item)) return this;
    touch(this[NODE], item, "added");
    (own(this[NODE]) as Set<unknown>).add(item);
    return this;
  }

  override delete(value: unknown): boolean {
    const item = this.#itemOf(value);
    if (!present(this).has(item)) return false;
    touch(this[NODE], item, "removed");
    return (own(this[NODE]) as Set<unknown>).delete(item);
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  override keys(): SetIterator<unknown> {
    return this.values();
  }

  override *values(): SetIterator<unknown> {
    for (const item of presentKeys(this)) yield read(this[NODE], item, item);
  }

  override *entries(): SetIterator<[unknown, unknown]> {
    for (const value of this.values()) yield [value, value];
  }

  override [Symbol.iterator](): SetIterator<unknown> {
    return this.values();
  }

  override forEach(visit: (value: unknown, same: unknown, set: Set<unknown>) => void, self?: unknown): void {
    for (const [key, value] of this.entries()) visit.call(self, value, key, this);
  }
}

// Methods such as `union` work on a copy of the items, which are not in a draft itself.
for (const name of Object.getOwnPropertyNames(Set.prototype) as "has"[])
  if (!Object.hasOwn(DraftSet.prototype, name))
    DraftSet.prototype[name] = function (other) {
      return new Set(this)[name](other);
    };

function present(draft: DraftMap | DraftSet): Map<unknown, unknown> | Set<unknown> {
  return latest(draft[NODE]) as Set<unknown>;
}

/** The keys of a Map or the items of a Set: with what the loop over them adds, and without what it removes. */
function* presentKeys(draft: DraftMap | DraftSet): Generator<unknown, undefined> {
  const node = draft[NODE];
  const before = present(draft);
  const wasAway = (key: unknown): boolean => before !== node.copy && node.touched?.get(key) === true;
  for (const key of before.keys()) if (!wasAway(key)) yield key;
  const after = present(draft);
  if (after !== before) for (const key of after.keys()) if (!before.has(key) || wasAway(key)) yield key;
}
