/**
 * The objects of a state and their places, and that none of them has two places.
 *
 * Paths are computed on demand, because items of lists move.
 *
 * @module
 */
import { type Container, copyJson, isContainer, type JsonObject, type Key, type Path, toPlain } from "./json.js";

interface Link {
  readonly parent: Container;
  readonly key: Key;
}

/** Objects of a state, by the proxies that readers have of them. */
const proxied: WeakMap<object, { readonly tree: StateTree; readonly container: Container }> = new WeakMap();

export class StateTree {
  readonly root: JsonObject;
  readonly #links: WeakMap<Container, Link> = new WeakMap();

  constructor(root: JsonObject) {
    toPlain(root, []);
    this.root = root;
  }

  /** `null` when the object is not in the state. */
  pathOf(container: Container): Path | null {
    const path: Key[] = [];
    for (let node = container; node !== this.root; ) {
      const link = this.#links.get(node);
      if (link === undefined) return null;
      const { parent } = link;
      const key = keyOf(parent, link.key, node);
      if (key === null) return null;
      if (key !== link.key) this.link(node, { parent, key });
      path.push(key);
      node = parent;
    }
    return path.reverse();
  }

  link(container: Container, link: Link): void {
    this.#links.set(container, link);
  }

  /** Links the value with everything in it. */
  linkAll(value: unknown, link: Link): void {
    if (!isContainer(value)) return;
    this.link(value, link);
    if (Array.isArray(value)) for (const [key, item] of value.entries()) this.linkAll(item, { parent: value, key });
    else for (const key of Object.keys(value)) this.linkAll(value[key], { parent: value, key });
  }

  isProxy(value: object): boolean {
    return proxied.has(value);
  }

  /** The object of this tree behind the proxy that a reader has. */
  behind(value: unknown): unknown {
    const known = isContainer(value) ? proxied.get(value) : undefined;
    return known?.tree === this ? known.container : value;
  }

  stands(proxy: object, container: Container): void {
    proxied.set(proxy, { tree: this, container });
  }

  /**
   * Prepares values for this tree: keeps the objects, except for copies of those that are already in it.
   *
   * @param given Called with objects to which the caller may still have references.
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`
   */
  adopt(
    values: readonly unknown[],
    { pathOf, given }: { readonly pathOf: (index: number) => Path; readonly given: (container: Container) => void },
  ): unknown[] {
    // Checked first, because a value that contains itself has no end.
    for (const [index, value] of values.entries()) toPlain(value, pathOf(index));
    const seen = new Set<Container>();
    const resolve = (value: Container): Container => {
      const known = proxied.get(value);
      if (known !== undefined && known.tree !== this) return copyJson(known.container);
      const container = known?.container ?? value;
      if (seen.has(container) || container === this.root || this.pathOf(container) !== null) return copyJson(container);
      seen.add(container);
      if (known === undefined) given(container);
      return container;
    };
    return values.map((value, index) => toPlain(value, pathOf(index), resolve));
  }

  /** Returns whether the object is inside one of the others. */
  isIn(container: Container, others: ReadonlySet<Container>): boolean {
    const link = this.#links.get(container);
    return link !== undefined && others.has(link.parent) && this.pathOf(link.parent) !== null;
  }
}

function keyOf(parent: Container, hint: Key, child: Container): Key | null {
  if ((parent as JsonObject)[hint] === child) return hint;
  if (!Array.isArray(parent)) return Object.keys(parent).find((key) => parent[key] === child) ?? null;
  const index = parent.indexOf(child);
  return index < 0 ? null : index;
}
