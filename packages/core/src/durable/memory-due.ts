/** A run that knows where it stands. */
interface QueuedRun<Run extends QueuedRun<Run>> {
  /** The older run has the smaller one. */
  readonly number: number;
  due: DueEntry<Run> | null;
}

export interface DueEntry<Run extends QueuedRun<Run>> {
  readonly atMs: number;
  readonly run: Run;
  readonly queue: DueQueue<Run>;
}

/** Runs by the time at which they want an owner: a binary heap, in which entries that no longer hold stay until they surface. */
export class DueQueue<Run extends QueuedRun<Run>> {
  #heap: DueEntry<Run>[] = [];
  #size = 0;

  /** Moves the run here, or within. */
  set(run: Run, atMs: number): void {
    if (run.due?.queue === this && run.due.atMs === atMs) return;
    run.due?.queue.delete(run);
    const entry: DueEntry<Run> = { atMs, run, queue: this };
    run.due = entry;
    this.#size++;
    this.#push(entry);
    // Renewed leases leave many behind that surface late.
    if (this.#heap.length > 2 * this.#size + 64) this.#rebuild();
  }

  delete(run: Run): void {
    if (run.due?.queue !== this) return;
    run.due = null;
    this.#size--;
  }

  first(): DueEntry<Run> | undefined {
    while (this.#heap[0] !== undefined && !isValid(this.#heap[0])) this.#pop();
    return this.#heap[0];
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter(isValid).sort((left, right) => (isBefore(left, right) ? -1 : 1));
  }

  #push(entry: DueEntry<Run>): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!isBefore(entry, heap[parent] as DueEntry<Run>)) break;
      heap[index] = heap[parent] as DueEntry<Run>;
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
      if (child + 1 < heap.length && isBefore(heap[child + 1] as DueEntry<Run>, heap[child] as DueEntry<Run>)) child++;
      if (!isBefore(heap[child] as DueEntry<Run>, entry)) break;
      heap[index] = heap[child] as DueEntry<Run>;
      index = child;
    }
    heap[index] = entry;
  }
}

function isValid<Run extends QueuedRun<Run>>(entry: DueEntry<Run>): boolean {
  return entry.run.due === entry;
}

/** Longest waiting first; then the older run. */
export function isBefore<Run extends QueuedRun<Run>>(left: DueEntry<Run>, right: DueEntry<Run>): boolean {
  return left.atMs === right.atMs ? left.run.number < right.run.number : left.atMs < right.atMs;
}
