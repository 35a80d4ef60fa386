/** One reader and writer of a live state: proxies that look like plain objects and report every change. */
import { assertState, type Container, copyJson, isContainer, type JsonObject, type Key, unstorable } from "./json.js";
import type { SessionPatch } from "./patches.js";
import type { StateTree } from "./state-tree.js";

export interface ViewListener {
  /** Throws once changes are no longer allowed. */
  assertOpen(): void;
  changed(patch: SessionPatch): void;
  /** Reports an object of the caller that is in the state from now on. */
  given(container: Container): void;
  /** Reports that a number was read, or a field that does not exist. */
  looked?(container: Container, key: Key): void;
}

export class StateView {
  readonly #tree: StateTree;
  readonly #listener: ViewListener;
  readonly #proxies: WeakMap<Container, Container> = new WeakMap();

  constructor(tree: StateTree, listener: ViewListener) {
    this.#tree = tree;
    this.#listener = listener;
  }

  get state(): JsonObject {
    return this.wrap(this.#tree.root) as JsonObject;
  }

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
  replace(state: JsonObject): void {
    this.#listener.assertOpen();
    const { root } = this.#tree;
    if (this.#tree.behind(state) === root) return;
    assertState(state); // checked first: all of it is replaced, or nothing
    const fields = Object.entries(state);
    for (const key of Object.keys(root)) if (!Object.hasOwn(state, key)) this.delete(root, key);
    for (const [key, value] of fields) this.set(root, key, value);
  }

  /** The proxy of a value: the same one for the same object. */
  wrap(value: unknown): unknown {
    if (!isContainer(value) || this.#tree.isProxy(value)) return value;
    let proxy = this.#proxies.get(value);
    if (proxy === undefined) {
      proxy = new Proxy(value, Array.isArray(value) ? this.#listTraps : this.#objectTraps) as Container;
      this.#proxies.set(value, proxy);
      this.#tree.stands(proxy, value);
    }
    return proxy;
  }

  read(target: Container, key: string): unknown {
    const value = (target as JsonObject)[key];
    if (isContainer(value) && Object.hasOwn(target, key) && !this.#tree.isProxy(value))
      this.#tree.link(value, { parent: target, key: Array.isArray(target) ? Number(key) : key });
    if (value === undefined || typeof value === "number") this.#listener.looked?.(target, key);
    return this.wrap(value);
  }

  set(target: Container, key: Key, value: unknown): void {
    this.#listener.assertOpen();
    const tree = this.#tree;
    const fields = target as JsonObject;
    const has = Object.hasOwn(target, key);
    const before = fields[key];
    if (has && Object.is(tree.behind(value), before)) return;
    const path = tree.pathOf(target);
    // Cleared first, so that a value which moves within the state does not count as being in two places.
    if (has) fields[key] = null;
    try {
      const [plain] = tree.adopt([value], { pathOf: () => [...(path ?? []), key], given: this.#listener.given });
      fields[key] = plain;
      tree.linkAll(plain, { parent: target, key });
      if (path !== null) this.#listener.changed({ op: "set", path: [...path, key], value: copyJson(plain) });
    } catch (error) {
      if (has) fields[key] = before;
      throw error;
    }
  }

  delete(target: JsonObject, key: string): void {
    this.#listener.assertOpen();
    if (!Object.hasOwn(target, key)) return;
    const path = this.#tree.pathOf(target);
    delete target[key];
    if (path !== null) this.#listener.changed({ op: "delete", path: [...path, key] });
  }

  /** Returns the removed items. */
  splice(
    target: unknown[],
    { at, remove, items }: { readonly at: number; readonly remove: number; readonly items: readonly unknown[] },
  ): unknown[] {
    this.#listener.assertOpen();
    const tree = this.#tree;
    const path = tree.pathOf(target);
    const removed = target.splice(at, remove);
    try {
      const plain = tree.adopt(items, {
        pathOf: (index) => [...(path ?? []), at + index],
        given: this.#listener.given,
      });
      target.splice(at, 0, ...plain);
      for (const [index, item] of plain.entries()) tree.linkAll(item, { parent: target, key: at + index });
      if (path !== null && (removed.length > 0 || plain.length > 0))
        this.#listener.changed({ op: "splice", path, at, remove: removed.length, items: copyJson(plain) });
    } catch (error) {
      target.splice(at, 0, ...removed);
      throw error;
    }
    return removed.map((item) => this.wrap(item));
  }

  // ---- traps

  readonly #objectTraps: ProxyHandler<Container> = {
    get: (target, key) => (typeof key === "symbol" ? Reflect.get(target, key) : this.read(target, key)),
    set: (target, key, value) => {
      if (typeof key === "symbol") throw unstorable([], "a field with a symbol as its name");
      this.set(target, key, value);
      return true;
    },
    deleteProperty: (target, key) => {
      if (typeof key === "string") this.delete(target as JsonObject, key);
      return true;
    },
    defineProperty: (target, key, descriptor) => this.#define(target, key, descriptor),
    getOwnPropertyDescriptor: (target, key) => this.#describe(target, key),
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  };

  readonly #listTraps: ProxyHandler<Container> = {
    ...this.#objectTraps,
    get: (target, key) => {
      if (typeof key === "symbol") return Reflect.get(target, key);
      const method = Object.hasOwn(listMethods, key) ? listMethods[key] : undefined;
      if (method !== undefined) return (...args: unknown[]) => method({ view: this, list: target as unknown[] }, args);
      return this.read(target, key);
    },
    set: (target, key, value) => {
      this.#setItem(target as unknown[], key, value);
      return true;
    },
    deleteProperty: (target, key) => {
      if (typeof key === "string" && Object.hasOwn(target, key)) throw this.#gap(target as unknown[], Number(key));
      return true;
    },
  };

  #setItem(list: unknown[], key: string | symbol, value: unknown): void {
    if (key === "length") return this.#setLength(list, Number(value));
    const index = typeof key === "string" && /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
    if (index < 0) throw unstorable([...(this.#tree.pathOf(list) ?? []), String(key)], "a field of a list");
    if (index > list.length) throw this.#gap(list, list.length);
    if (index === list.length) this.splice(list, { at: index, remove: 0, items: [value] });
    else this.set(list, index, value);
  }

  #setLength(list: unknown[], length: number): void {
    if (length > list.length) throw this.#gap(list, list.length);
    if (length < list.length) this.splice(list, { at: length, remove: list.length - length, items: [] });
  }

  #gap(list: unknown[], index: number): Error {
    return unstorable([...(this.#tree.pathOf(list) ?? []), index], "a gap in a list");
  }

  #define(target: Container, key: string | symbol, { value, get, set }: PropertyDescriptor): boolean {
    if (typeof key === "symbol" || get !== undefined || set !== undefined) return false;
    if (Array.isArray(target)) this.#setItem(target, key, value);
    else this.set(target, key, value);
    return true;
  }

  #describe(target: Container, key: string | symbol): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
    if (descriptor === undefined || typeof key === "symbol" || !isContainer(descriptor.value)) return descriptor;
    return { ...descriptor, value: this.read(target, key) };
  }
}

/** The methods that change a list. Each makes one change, instead of one for every item that moves. */

interface ListOf {
  readonly view: StateView;
  readonly list: unknown[];
}

type ListMethod = (of: ListOf, args: readonly unknown[]) => unknown;

/** The methods that change a list. Each makes one change, instead of one for every item that moves. */
const listMethods: Readonly<Record<string, ListMethod>> = {
  push({ view, list }, items) {
    view.splice(list, { at: list.length, remove: 0, items });
    return list.length;
  },
  pop: ({ view, list }) => view.splice(list, { at: Math.max(0, list.length - 1), remove: 1, items: [] })[0],
  shift: ({ view, list }) => view.splice(list, { at: 0, remove: 1, items: [] })[0],
  unshift({ view, list }, items) {
    view.splice(list, { at: 0, remove: 0, items });
    return list.length;
  },
  splice({ view, list }, args) {
    const [start, count, ...items] = args;
    const from = Math.trunc(Number(start)) || 0;
    const at = from < 0 ? Math.max(0, list.length + from) : Math.min(from, list.length);
    const rest = list.length - at;
    const asked = args.length === 1 ? rest : Math.trunc(Number(count)) || 0;
    const remove = args.length === 0 ? 0 : Math.min(Math.max(0, asked), rest);
    return view.splice(list, { at, remove, items });
  },
  sort: (of, [compare]) => rearranged(of, (items) => items.sort(compare as (left: unknown, right: unknown) => number)),
  reverse: (of) => rearranged(of, (items) => items.reverse()),
  fill: (of, args) => rearranged(of, (items) => items.fill(...(args as [unknown]))),
  copyWithin: (of, args) => rearranged(of, (items) => items.copyWithin(...(args as [number, number]))),
};

function rearranged({ view, list }: ListOf, change: (items: unknown[]) => void): unknown {
  const before = list.map((item) => view.wrap(item));
  const items = [...before];
  change(items);
  if (items.some((item, index) => !Object.is(item, before[index])))
    view.splice(list, { at: 0, remove: list.length, items });
  return view.wrap(list);
}
