/** Shared by all empty queues, because most never hold an item. */
const none: never[] = [];

/** A queue with O(1) at both ends. `toArray()` lists it from first to last, for encoding. */
export class Fifo<Item> {
  private items: Item[] = none;
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: Item): void {
    if (this.items === none) this.items = [item];
    else this.items.push(item);
  }

  /** Inserts an item before all others. */
  unshift(item: Item): void {
    if (this.head > 0) this.items[--this.head] = item;
    else this.items = [item, ...this.items];
  }

  shift(): Item | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head] as Item;
    this.items[this.head++] = undefined as Item;
    if (this.head === this.items.length) this.clear();
    // More than half is behind the head: moving the rest costs each item one copy in all.
    else if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  clear(): void {
    if (this.items.length > 0) this.items.length = 0;
    this.head = 0;
  }

  toArray(): Item[] {
    return this.items.slice(this.head);
  }
}
