import { Timers } from "../../host.js";
import { aheadOf, choosePlaces, earliest, type KeyLine, LineTally, nextPlaceAtMs } from "../store/queue-policy.js";
import type {
  DueRuns,
  Lease,
  LeaseRequest,
  LineQuery,
  QueueLimits,
  StoredLine,
  StoredPost,
} from "../store/run-store.types.js";
import {
  countWhile,
  type DueEntry,
  dequeue,
  enqueue,
  entryOf,
  firstOf,
  type MemoryRun,
  putBack,
} from "./memory-run.js";

type Wanted = (run: MemoryRun) => boolean;

/** Runs to take from a queue. */
interface PlaceRequest {
  readonly nowMs: number;
  readonly limit: number;
  readonly isWanted: Wanted;
}

/** The runs of one queue: those that are held, those whose time is to come, and a line per key of those that want a place. */
class MemoryQueue {
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
  choose(limits: QueueLimits, { nowMs, limit, isWanted }: PlaceRequest): readonly MemoryRun[] {
    this.#arrive(nowMs);
    const starts = this.#recentStarts(limits, nowMs);
    const lines = this.#linesOf(limits, isWanted);
    const { runs, served } = choosePlaces(limits, { held: this.#placed.size, starts, lines, isWhole: true }, limit);
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
  line({ nowMs, keys: most, of }: LineQuery): StoredLine {
    const isOf = ({ row: { key } }: MemoryRun): boolean => key.tenant === of?.tenant && key.runId === of.runId;
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
      earliest(withRoom.map(([, line]) => line.find((run) => isIn(run) && isWanted(run))?.row.startAtMs ?? null));
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
  return byPriority || left.row.startAtMs - right.row.startAtMs || left.number - right.number;
}

/** Own runs of the asking owner stay as they are. */
type DueRequest = Omit<LeaseRequest, "untilMs"> & DueRuns & { readonly limit: number };

/** Leases, runs that need an owner, and runs with open posts, each found without looking at other runs. */
export class MemoryLeases {
  readonly #held = new Timers<DueEntry>();
  readonly #unheld = new Timers<DueEntry>();
  readonly #byOwner = new Map<string, Set<MemoryRun>>();
  readonly #withPosts = new Set<MemoryRun>();
  readonly #urgent = new Set<MemoryRun>();
  readonly #queues = new Map<string, MemoryQueue>();

  /** The only writer of leases. */
  set(run: MemoryRun, lease: Lease | null, hasPlace = false): void {
    const { row } = run;
    if (row.lease !== null && row.lease.owner !== lease?.owner) this.#leave(run, row.lease.owner);
    row.lease = lease === null ? null : { owner: lease.owner, untilMs: lease.untilMs };
    row.hasPlace = hasPlace;
    const wasInLine = hasPlace || run.isInLine;
    if (lease !== null && (row.status === "queued" || (wasInLine && row.status === "scheduled")))
      row.status = "running";
    if (lease !== null) entryOf(this.#byOwner, lease.owner, () => new Set<MemoryRun>()).add(run);
  }

  #queue(name: string): MemoryQueue {
    return entryOf(this.#queues, name, () => new MemoryQueue());
  }

  #named({ queues = [] }: DueRuns): { readonly limits: QueueLimits; readonly queue: MemoryQueue }[] {
    return queues.map((limits) => ({ limits, queue: this.#queue(limits.name) }));
  }

  #leave(run: MemoryRun, owner: string): void {
    const held = this.#byOwner.get(owner);
    held?.delete(run);
    if (held?.size === 0) this.#byOwner.delete(owner);
  }

  /** Must be called after every change of a run. */
  update(run: MemoryRun): void {
    const { dueAtMs, row } = run;
    if (row.queue !== null) this.#queue(row.queue.name).update(run);
    else if (dueAtMs === null) dequeue(run);
    else enqueue(run, row.lease === null ? this.#unheld : this.#held, dueAtMs);
    setMember(this.#withPosts, run, run.pending.size > 0);
    setMember(this.#urgent, run, run.urgent.size > 0);
  }

  delete(run: MemoryRun): void {
    this.set(run, null);
    if (run.row.queue !== null) this.#queue(run.row.queue.name).delete(run);
    dequeue(run);
    this.#withPosts.delete(run);
    this.#urgent.delete(run);
  }

  /** Counts the first place of a run against the rate of its queue. */
  countStart(run: MemoryRun, nowMs: number): void {
    run.hadPlace = true;
    if (run.row.queue !== null) this.#queue(run.row.queue.name).countStart(nowMs);
  }

  /** A copy. */
  heldBy(owner: string): MemoryRun[] {
    return [...(this.#byOwner.get(owner) ?? [])];
  }

  postsOf(owner: string): StoredPost[] {
    const held = [...this.#withPosts].filter((run) => run.row.lease?.owner === owner);
    return held.flatMap((run) => [...run.pending.values()]).sort((left, right) => left.position - right.position);
  }

  nextWakeAtMs({ heldAfterMs, ...of }: DueRuns & { readonly heldAfterMs?: number }): number | null {
    const isWanted = wanted(of);
    const places = this.#named(of).map(({ queue, limits }) => queue.nextWakeAtMs(limits, isWanted));
    const urgent = [...this.#urgent].filter((run) => run.row.lease === null && isOfWorkflow(run, of));
    return earliest([
      firstOf(this.#unheld, isWanted)?.dueAtMs ?? null,
      ...places,
      ...urgent.map((run) => run.urgentAtMs),
      ...(heldAfterMs === undefined ? [] : this.#timesOfHeld(heldAfterMs, of)),
    ]);
  }

  line(query: LineQuery): StoredLine {
    return this.#queue(query.queue).line(query);
  }

  *#timesOfHeld(afterMs: number, of: DueRuns): Generator<number, void> {
    const isWanted = wanted(of);
    for (const run of [...this.#byOwner.values()].flatMap((held) => [...held])) {
      const { lease, queue, wakeAtMs } = run.row;
      if (!run.isEnded && wakeAtMs !== null && wakeAtMs > afterMs && isWanted(run)) yield wakeAtMs;
      const isPlace = queue !== null && of.queues?.some(({ name }) => name === queue.name) === true;
      const isLost = run.urgent.size > 0 ? isOfWorkflow(run, of) : !run.isEnded && (isPlace || isWanted(run));
      if (lease !== null && isLost) yield lease.untilMs;
    }
  }

  /** Takes runs out of the queues: each must get a lease. */
  takeDue({ nowMs, limit, owner, ...of }: DueRequest): MemoryRun[] {
    const due = new Set<MemoryRun>(
      [...this.#urgent].filter((run) => isFree(run, { nowMs, owner, of })).slice(0, limit),
    );
    const passed: DueEntry[] = [];
    const isOfWorkflows = wanted(of);
    const isWanted = (run: MemoryRun): boolean => isOfWorkflows(run) && !isHeldBy(run, owner);
    while (due.size < limit) {
      const entry = this.#firstDue(nowMs);
      if (entry === undefined) break;
      dequeue(entry.run);
      if (isWanted(entry.run)) due.add(entry.run);
      else passed.push(entry);
    }
    putBack(passed);
    // A post is due even if the clock of its process is ahead.
    for (const run of this.#withPosts) {
      if (due.size >= limit) break;
      const { queue, lease, status } = run.row;
      if (queue === null && lease === null && !run.isEnded && status !== "scheduled" && isWanted(run)) due.add(run);
    }
    return [...due];
  }

  /** Takes runs of the named queues, as many as their limits allow: each must get a place. */
  takePlaces({ nowMs, limit, owner, ...of }: DueRequest): MemoryRun[] {
    this.#endExpired(nowMs, of, owner);
    const chosen: MemoryRun[] = [];
    for (const { queue, limits } of this.#named(of)) {
      const request = { nowMs, isWanted: wanted(of), limit: limit - chosen.length };
      chosen.push(...queue.choose(limits, request));
    }
    return chosen;
  }

  /** Ends expired leases of runs of the named queues. */
  #endExpired(nowMs: number, of: DueRuns, owner: string): void {
    const passed: DueEntry[] = [];
    for (const { queue } of this.#named(of)) {
      for (let next = queue.held.first(); next !== undefined && next.dueAtMs <= nowMs; next = queue.held.first()) {
        const { run } = next;
        if (isHeldBy(run, owner)) {
          dequeue(run);
          passed.push(next);
          continue;
        }
        this.set(run, null);
        queue.lose(run);
      }
    }
    putBack(passed);
  }

  #firstDue(nowMs: number): DueEntry | undefined {
    const held = this.#held.first();
    const unheld = this.#unheld.first();
    const isHeldFirst =
      held !== undefined && (unheld === undefined || (held.dueAtMs - unheld.dueAtMs || held.order - unheld.order) < 0);
    const first = isHeldFirst ? held : unheld;
    return first !== undefined && first.dueAtMs <= nowMs ? first : undefined;
  }
}

function isHeldBy({ row: { lease } }: MemoryRun, owner: string): boolean {
  return lease !== null && lease.owner === owner;
}

/** Whether an urgent run can be taken: in any state, and of any queue. */
function isFree(
  run: MemoryRun,
  { nowMs, owner, of }: { readonly nowMs: number; readonly owner: string; readonly of: DueRuns },
): boolean {
  const { lease } = run.row;
  return isOfWorkflow(run, of) && (lease === null || (lease.owner !== owner && lease.untilMs <= nowMs));
}

function isOfWorkflow({ row }: MemoryRun, { workflows }: DueRuns): boolean {
  return workflows?.includes(row.workflow) ?? true;
}

function wanted(of: DueRuns): (run: MemoryRun) => boolean {
  return (run) => {
    const { queue } = run.row;
    return isOfWorkflow(run, of) && (queue === null || of.queues?.some(({ name }) => name === queue.name) === true);
  };
}

function setMember(runs: Set<MemoryRun>, run: MemoryRun, isMember: boolean): void {
  if (isMember) runs.add(run);
  else runs.delete(run);
}
