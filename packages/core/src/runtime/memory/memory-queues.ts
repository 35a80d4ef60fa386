import { isBefore, Timers } from "../../engine/timers.js";
import type { DueRuns, QueueLimits } from "../store/run-store.types.js";
import { dequeue, earliest, enqueue, firstOf, putBack } from "./memory-due.js";
import { type DueEntry, entryOf, type MemoryRun } from "./memory-run.js";

type Wanted = (run: MemoryRun) => boolean;

/** Which runs are taken from a queue. */
export interface PlaceRequest {
  readonly nowMs: number;
  readonly limit: number;
  readonly isWanted: Wanted;
}

/** Queues with runs, by name. */
export class MemoryQueues {
  readonly #byName = new Map<string, MemoryQueue>();

  of(name: string): MemoryQueue {
    return entryOf(this.#byName, name, () => new MemoryQueue());
  }

  named({ queues = [] }: DueRuns): { readonly limits: QueueLimits; readonly queue: MemoryQueue }[] {
    return queues.map((limits) => ({ limits, queue: this.of(limits.name) }));
  }
}

/** The runs of one queue: those that are held, those whose time is to come, and a line per key of those that want a place. */
export class MemoryQueue {
  readonly held: Timers<DueEntry> = new Timers<DueEntry>();
  readonly #later = new Timers<DueEntry>();
  /** Runs whose time in `later` does not count: a post makes them due at once. */
  readonly #posted = new Set<MemoryRun>();
  /** Lines in the order of their turns: a key that was served goes to the end. */
  #lines = new Map<string, Line>();
  readonly #placed = new Set<MemoryRun>();
  readonly #starts: number[] = [];
  #longestMs = 0;

  /** Must be called after every change of a run. */
  update(run: MemoryRun): void {
    const { dueAtMs } = run;
    this.#posted.delete(run);
    if (run.row.hasPlace && !run.isEnded) this.#placed.add(run);
    else this.#placed.delete(run);
    if (run.isEnded) dequeue(run);
    else if (run.row.lease !== null) enqueue(run, this.held, run.row.lease.untilMs);
    else if (this.#isInLine(run)) return;
    else if (dueAtMs === null) dequeue(run);
    else {
      enqueue(run, this.#later, dueAtMs);
      if (run.pending.size > 0 && run.row.status !== "scheduled") this.#posted.add(run);
    }
  }

  delete(run: MemoryRun): void {
    dequeue(run);
    this.#posted.delete(run);
    this.#placed.delete(run);
  }

  countStart(nowMs: number): void {
    const older = this.#starts.findLastIndex((atMs) => atMs <= nowMs);
    this.#starts.splice(older + 1, 0, nowMs);
  }

  /** Called when its lease has expired and was ended: the run needs an owner, even if it waits. */
  lose(run: MemoryRun): void {
    this.#lineUp(run);
    this.update(run);
  }

  /** Takes runs out of their lines: each must get a place, or go back. */
  choose(limits: QueueLimits, { nowMs, limit, isWanted }: PlaceRequest): DueEntry[] {
    this.#arrive(nowMs);
    const held = this.#heldByKey(limits);
    const free = Math.min(limit, (limits.concurrency ?? Number.POSITIVE_INFINITY) - this.#placed.size);
    let starts = this.#startsLeft(limits, nowMs);
    const chosen: DueEntry[] = [];
    // A key that goes to the end of the line comes again.
    for (const [key, line] of this.#lines) {
      if (chosen.length >= free) break;
      if (limits.perKey !== null && (held.get(key) ?? 0) >= limits.perKey) continue;
      const entry = line.take(isWanted, starts > 0);
      if (entry !== undefined || line.isEmpty) this.#lines.delete(key);
      if (entry === undefined) continue;
      if (!line.isEmpty) this.#lines.set(key, line);
      if (!entry.run.hadPlace) starts--;
      held.set(key, (held.get(key) ?? 0) + 1);
      chosen.push(entry);
    }
    return chosen;
  }

  /** What `choose` would return, without taking it. */
  look(limits: QueueLimits, request: PlaceRequest): DueEntry[] {
    this.#arrive(request.nowMs);
    const before = [...this.#lines];
    const chosen = this.choose(limits, request);
    putBack(chosen);
    this.#lines = new Map(before);
    return chosen;
  }

  nextWakeAtMs(limits: QueueLimits, isWanted: Wanted): number | null {
    const { concurrency, perKey, rate } = limits;
    if (concurrency !== null && this.#placed.size >= concurrency) return null;
    const times: (number | null)[] = [...this.#posted].filter(isWanted).map((run) => run.dueAtMs);
    times.push(firstOf(this.#later, isWanted)?.dueAtMs ?? null);
    const opensAtMs = rate === null ? undefined : this.#starts.at(-rate.limit);
    const startsAtMs = rate === null || opensAtMs === undefined ? Number.NEGATIVE_INFINITY : opensAtMs + rate.perMs;
    const held = this.#heldByKey(limits);
    for (const [key, line] of this.#lines) {
      if (perKey !== null && (held.get(key) ?? 0) >= perKey) continue;
      const [fresh, again] = line.heads(isWanted);
      if (again !== undefined) times.push(again.dueAtMs);
      if (fresh !== undefined) times.push(Math.max(fresh.dueAtMs, startsAtMs));
    }
    return earliest(times);
  }

  #isInLine({ due, row }: MemoryRun): boolean {
    return due !== null && this.#lines.get(row.queue?.key ?? "")?.has(due) === true;
  }

  /** Puts runs that need a place by now into their lines, in the order in which they began to need it. */
  #arrive(nowMs: number): void {
    const arrived = new Set<MemoryRun>(this.#posted);
    this.#posted.clear();
    for (let next = this.#later.first(); next !== undefined && next.dueAtMs <= nowMs; next = this.#later.first()) {
      dequeue(next.run);
      arrived.add(next.run);
    }
    const inOrder = new Timers<DueEntry>();
    for (const run of arrived) enqueue(run, inOrder, run.dueAtMs as number);
    for (const { run } of inOrder.toArray()) this.#lineUp(run);
  }

  #lineUp(run: MemoryRun): void {
    entryOf(this.#lines, run.row.queue?.key ?? "", () => new Line()).add(run);
  }

  #heldByKey({ perKey }: QueueLimits): Map<string, number> {
    const held = new Map<string, number>();
    if (perKey === null) return held;
    for (const { row } of this.#placed) {
      const key = row.queue?.key ?? "";
      held.set(key, (held.get(key) ?? 0) + 1);
    }
    return held;
  }

  /**
   * Forgets starts that no rate counts. A start that is ahead by more than a whole window comes from a clock that was set back.
   */
  #startsLeft({ rate }: QueueLimits, nowMs: number): number {
    if (rate === null) return Number.POSITIVE_INFINITY;
    this.#longestMs = Math.max(this.#longestMs, rate.perMs);
    while ((this.#starts[0] ?? nowMs) <= nowMs - this.#longestMs) this.#starts.shift();
    return rate.limit - this.#starts.filter((atMs) => Math.abs(atMs - nowMs) < rate.perMs).length;
  }
}

/** The highest priority first; then the one that was to begin first. */
class LineOrder extends Timers<DueEntry> {
  protected override isBefore(left: DueEntry, right: DueEntry): boolean {
    return isServedBefore(left, right);
  }
}

/** The runs of one key that want a place: new ones, and those that come back. */
class Line {
  readonly #fresh = new LineOrder();
  readonly #again = new LineOrder();

  get isEmpty(): boolean {
    return this.#fresh.first() === undefined && this.#again.first() === undefined;
  }

  has({ queue }: DueEntry): boolean {
    return queue === this.#fresh || queue === this.#again;
  }

  add(run: MemoryRun): void {
    enqueue(run, run.hadPlace ? this.#again : this.#fresh, run.row.startAtMs);
  }

  heads(isWanted: Wanted): readonly [DueEntry | undefined, DueEntry | undefined] {
    return [firstOf(this.#fresh, isWanted), firstOf(this.#again, isWanted)];
  }

  take(isWanted: Wanted, mayStart: boolean): DueEntry | undefined {
    const [first, again] = this.heads(isWanted);
    const fresh = mayStart ? first : undefined;
    const next = again === undefined || (fresh !== undefined && isServedBefore(fresh, again)) ? fresh : again;
    if (next !== undefined) dequeue(next.run);
    return next;
  }
}

function isServedBefore(left: DueEntry, right: DueEntry): boolean {
  const [one, other] = [left, right].map(({ run }) => run.row.queue?.priority ?? 0) as [number, number];
  return one === other ? isBefore(left, right) : one > other;
}
