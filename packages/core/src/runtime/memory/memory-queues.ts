import { Timers } from "../../host.js";
import {
  aheadOf,
  type ChosenPlaces,
  choosePlaces,
  earliest,
  type KeyLine,
  LineTally,
  nextPlaceAtMs,
} from "../store/queue-policy.js";
import type { DueRuns, LineQuery, QueueLimits, StoredLine } from "../store/run-store.types.js";
import { dequeue, enqueue, firstOf } from "./memory-records.js";
import { countWhile, type DueEntry, entryOf, type MemoryRun } from "./memory-run.js";

type Wanted = (run: MemoryRun) => boolean;

/** Runs to take from a queue. */
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
  /**
   * The runs of each key that want a place, as they are served. Keys are in the order of their turns; one whose line has become
   * empty keeps its turn until the next choice.
   */
  readonly #lines = new Map<string, MemoryRun[]>();
  readonly #placed = new Set<MemoryRun>();
  readonly #starts: number[] = [];
  #longestMs = 0;

  /** Must be called after every change of a run. */
  update(run: MemoryRun): void {
    const { dueAtMs } = run;
    this.#posted.delete(run);
    if (run.row.hasPlace && !run.isEnded) this.#placed.add(run);
    else this.#placed.delete(run);
    if (run.isEnded || run.row.lease !== null) this.#leaveLine(run);
    if (run.isEnded) dequeue(run);
    else if (run.row.lease !== null) enqueue(run, this.held, run.row.lease.untilMs);
    else if (run.isInLine) return;
    else if (dueAtMs === null) dequeue(run);
    else {
      enqueue(run, this.#later, dueAtMs);
      if (run.pending.size > 0 && run.row.status !== "scheduled") this.#posted.add(run);
    }
  }

  delete(run: MemoryRun): void {
    dequeue(run);
    this.#leaveLine(run);
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

  /** Takes runs out of their lines: each must get a place. */
  choose(limits: QueueLimits, request: PlaceRequest): readonly MemoryRun[] {
    const { runs, served } = this.#choose(limits, request);
    for (const run of runs) this.#leaveLine(run);
    for (const key of served) {
      const line = this.#lines.get(key) ?? [];
      this.#lines.delete(key);
      this.#lines.set(key, line);
    }
    for (const [key, line] of this.#lines) if (line.length === 0) this.#lines.delete(key);
    return runs;
  }

  /** How many runs need a place, and have one. */
  line({ nowMs, keys: most, of }: LineQuery, isOf: (run: MemoryRun) => boolean): StoredLine {
    this.#arrive(nowMs);
    const tally = new LineTally(nowMs);
    for (const run of this.#placed) tally.add(keyOf(run), { placed: 1 });
    let ahead: number | null = null;
    const lines = [...this.#lines.values()];
    const lengths = lines.map(({ length }) => length);
    for (const [turn, line] of lines.entries()) {
      for (const run of line) tally.add(keyOf(run), { waiting: 1, oldestAtMs: run.dueAtMs ?? nowMs });
      const rank = of === undefined ? -1 : line.findIndex(isOf);
      if (rank >= 0) ahead = aheadOf(rank, lengths.slice(0, turn), lengths.slice(turn + 1));
    }
    return { ...tally.toLine(most), ahead };
  }

  nextWakeAtMs(limits: QueueLimits, isWanted: Wanted): number | null {
    const { perKey, rate } = limits;
    const byKey = this.#heldByKey(limits);
    const withRoom = [...this.#lines].filter(([key]) => perKey === null || (byKey.get(key) ?? 0) < perKey);
    const first = (isIn: Wanted): number | null =>
      earliest(withRoom.map(([, line]) => line.find((run) => isIn(run) && isWanted(run))?.queuedAtMs ?? null));
    const startAtMs = rate === null ? undefined : this.#starts.at(-rate.limit);
    const opensAtMs = rate === null || startAtMs === undefined ? null : startAtMs + rate.perMs;
    return nextPlaceAtMs(limits, {
      held: this.#placed.size,
      laterAtMs: earliest([
        ...[...this.#posted].filter(isWanted).map((run) => run.dueAtMs),
        firstOf(this.#later, isWanted)?.dueAtMs ?? null,
      ]),
      firstAtMs: first(() => true),
      againAtMs: opensAtMs === null ? null : first(({ hadPlace }) => hadPlace),
      opensAtMs,
    });
  }

  #choose(limits: QueueLimits, { nowMs, limit, isWanted }: PlaceRequest): ChosenPlaces<MemoryRun> {
    this.#arrive(nowMs);
    const starts = this.#recentStarts(limits, nowMs);
    const lines = this.#linesOf(limits, isWanted);
    return choosePlaces(limits, { held: this.#placed.size, starts, lines, isWhole: true }, limit);
  }

  *#linesOf(limits: QueueLimits, isWanted: Wanted): Generator<KeyLine<MemoryRun>> {
    const held = this.#heldByKey(limits);
    for (const [key, line] of this.#lines)
      yield { key, held: held.get(key) ?? 0, runs: wantedOf(line, isWanted), isWhole: true };
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
    dequeue(run);
    run.isInLine = true;
    const line = entryOf(this.#lines, keyOf(run), () => []);
    line.splice(
      countWhile(line, (other) => asServed(other, run) < 0),
      0,
      run,
    );
  }

  #leaveLine(run: MemoryRun): void {
    const line = this.#lines.get(keyOf(run));
    if (line === undefined || !run.isInLine) return;
    run.isInLine = false;
    line.splice(
      countWhile(line, (other) => asServed(other, run) < 0),
      1,
    );
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

  /** Forgets starts that no rate counts. One further ahead than a whole window is from a clock that was set back. */
  #recentStarts({ rate }: QueueLimits, nowMs: number): number {
    if (rate === null) return 0;
    this.#longestMs = Math.max(this.#longestMs, rate.perMs);
    while ((this.#starts[0] ?? nowMs) <= nowMs - this.#longestMs) this.#starts.shift();
    return this.#starts.filter((atMs) => Math.abs(atMs - nowMs) < rate.perMs).length;
  }
}

function* wantedOf(line: readonly MemoryRun[], isWanted: Wanted): Generator<MemoryRun> {
  for (const run of line) if (isWanted(run)) yield run;
}

function keyOf({ row }: MemoryRun): string {
  return row.queue?.key ?? "";
}

/** The highest priority first; then the one that was to begin first. */
function asServed(left: MemoryRun, right: MemoryRun): number {
  const byPriority = (right.row.queue?.priority ?? 0) - (left.row.queue?.priority ?? 0);
  return byPriority || left.queuedAtMs - right.queuedAtMs || left.number - right.number;
}
