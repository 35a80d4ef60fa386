/**
 * Collections of a run: its timers in a heap, and a queue.
 *
 * @module
 */

/** A due time with its position in the heap. */
export interface Due {
  readonly dueAtMs: number;
  readonly order: number;
  position: number;
}

/**
 * The timers of a run, earliest first; timers with equal times in the order in which they were set.
 *
 * A binary heap in which every timer has its position, so that one can be removed in O(log n): an answered wait
 * leaves no timer behind.
 */
export class Timers<Timer extends Due> {
  private readonly heap: Timer[] = [];

  get size(): number {
    return this.heap.length;
  }

  first(): Timer | undefined {
    return this.heap[0];
  }

  add(timer: Timer): Timer {
    timer.position = this.heap.push(timer) - 1;
    this.rise(timer);
    return timer;
  }

  remove(timer: Timer): void {
    if (this.heap[timer.position] !== timer) return;
    const last = this.heap.pop() as Timer;
    if (last === timer) return;
    this.put(last, timer.position);
    this.rise(last);
    this.sink(last);
  }

  /** Timers that satisfy `holds`, in no particular order. */
  where(holds: (timer: Timer) => boolean): Timer[] {
    return this.heap.filter(holds);
  }

  /** All timers in the order in which they will fire. */
  toArray(): Timer[] {
    return [...this.heap].sort((left, right) => (isBefore(left, right) ? -1 : 1));
  }

  private put(timer: Timer, position: number): void {
    this.heap[position] = timer;
    timer.position = position;
  }

  private rise(timer: Timer): void {
    while (timer.position > 0) {
      const parent = this.heap[(timer.position - 1) >> 1] as Timer;
      if (!isBefore(timer, parent)) return;
      const { position } = parent;
      this.put(parent, timer.position);
      this.put(timer, position);
    }
  }

  private sink(timer: Timer): void {
    for (;;) {
      const left = this.heap[timer.position * 2 + 1];
      const right = this.heap[timer.position * 2 + 2];
      const child = right && left && isBefore(right, left) ? right : left;
      if (!child || !isBefore(child, timer)) return;
      const { position } = child;
      this.put(child, timer.position);
      this.put(timer, position);
    }
  }
}

export function isBefore(left: Due, right: Due): boolean {
  return left.dueAtMs < right.dueAtMs || (left.dueAtMs === right.dueAtMs && left.order < right.order);
}

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
    if (this.head === this.items.length) {
      this.items.length = 0;
      this.head = 0;
    }
    // More than half is behind the head: moving the rest costs each item one copy in all.
    else if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  toArray(): Item[] {
    return this.items.slice(this.head);
  }
}
