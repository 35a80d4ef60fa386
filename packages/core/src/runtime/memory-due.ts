import type { MemoryRun } from "./memory-run.js";

export interface DueEntry {
  readonly atMs: number;
  readonly run: MemoryRun;
  readonly queue: DueQueue;
}

/** Runs by the time at which they want an owner: a binary heap, in which entries that no longer hold stay until they surface. */
export class DueQueue {
  #heap: DueEntry[] = [];
  #size = 0;

  /** Moves the run here, or within. */
  set(run: MemoryRun, atMs: number): void {
    if (run.due?.queue === this && run.due.atMs === atMs) return;
    run.due?.queue.delete(run);
    const entry: DueEntry = { atMs, run, queue: this };
    run.due = entry;
    this.#size++;
    this.#push(entry);
    // Renewed leases leave many behind that surface late.
    if (this.#heap.length > 2 * this.#size + 64) this.#rebuild();
  }

  delete(run: MemoryRun): void {
    if (run.due?.queue !== this) return;
    run.due = null;
    this.#size--;
  }

  first(): DueEntry | undefined {
    while (this.#heap[0] !== undefined && !isValid(this.#heap[0])) this.#pop();
    return this.#heap[0];
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter(isValid).sort((left, right) => (isBefore(left, right) ? -1 : 1));
  }

  #push(entry: DueEntry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!isBefore(entry, heap[parent] as DueEntry)) break;
      heap[index] = heap[parent] as DueEntry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const entry = heap.pop();
    if (entry === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as DueEntry, heap[child] as DueEntry)) child++;
      if (!isBefore(heap[child] as DueEntry, entry)) break;
      heap[index] = heap[child] as DueEntry;
      index = child;
    }
    heap[index] = entry;
  }
}

const isValid = (entry: DueEntry): boolean => entry.run.due === entry;

/** Longest waiting first; then the older run. */
export const isBefore = (left: DueEntry, right: DueEntry): boolean =>
  left.atMs === right.atMs ? left.run.number < right.run.number : left.atMs < right.atMs;
