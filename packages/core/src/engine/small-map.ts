/**
 * A map that needs no table until its second entry. A run has several maps that rarely hold more than one, and each table takes
 * 150 bytes of a run that waits.
 *
 * Lists its entries in the order of insertion, as `Map` does. No value is `undefined`.
 */
export class SmallMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  /** The only entry, as long as there is no table. */
  #key: Key | undefined = undefined;
  #value: Value | undefined = undefined;
  /** Kept until the map is empty or shrunk: entries that come and go need not move between here and there. */
  #table: Map<Key, Value> | null = null;

  get size(): number {
    if (this.#table !== null) return this.#table.size;
    return this.#value === undefined ? 0 : 1;
  }

  get(key: Key): Value | undefined {
    if (this.#table !== null) return this.#table.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): this {
    if (this.#table === null) {
      if (this.#value === undefined || this.#key === key) {
        this.#key = key;
        this.#value = value;
        return this;
      }
      this.#table = new Map<Key, Value>().set(this.#key as Key, this.#value);
      this.#key = this.#value = undefined;
    }
    this.#table.set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    if (!this.has(key)) return false;
    if (this.size === 1) this.clear();
    else this.#table?.delete(key);
    return true;
  }

  clear(): void {
    this.#key = this.#value = undefined;
    this.#table = null;
  }

  /** Drops the table of an only entry, which then is in fields. */
  shrink(): void {
    if (this.#table === null || this.#table.size > 1) return;
    const left = [...this.#table];
    this.clear();
    for (const [key, value] of left) this.set(key, value);
  }

  keys(): Iterable<Key> {
    if (this.#table !== null) return this.#table.keys();
    return this.#value === undefined ? nothing : [this.#key as Key];
  }

  values(): Iterable<Value> {
    if (this.#table !== null) return this.#table.values();
    return this.#value === undefined ? nothing : [this.#value];
  }

  [Symbol.iterator](): Iterator<readonly [Key, Value]> {
    if (this.#table !== null) return this.#table.entries();
    return (this.#value === undefined ? nothing : [[this.#key as Key, this.#value] as const]).values();
  }
}

const nothing: readonly never[] = [];
