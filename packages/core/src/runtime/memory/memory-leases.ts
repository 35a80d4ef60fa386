import { isBefore, Timers } from "../../host.js";
import { earliest } from "../store/queue-policy.js";
import type { DueRuns, Lease, LineQuery, StoredLine, StoredPost } from "../store/run-store.types.js";
import { MemoryQueues } from "./memory-queues.js";
import { dequeue, enqueue, firstOf, putBack } from "./memory-records.js";
import { type DueEntry, entryOf, type MemoryRun } from "./memory-run.js";

type DueRequest = DueRuns & {
  readonly nowMs: number;
  readonly limit: number;
  /** The asking owner: its own runs stay as they are. */
  readonly owner: string;
};

/** Leases, runs that need an owner, and runs with open posts, each found without looking at other runs. */
export class MemoryLeases {
  readonly #held = new Timers<DueEntry>();
  readonly #unheld = new Timers<DueEntry>();
  readonly #byOwner = new Map<string, Set<MemoryRun>>();
  readonly #withPosts = new Set<MemoryRun>();
  readonly #urgent = new Set<MemoryRun>();
  readonly #queues = new MemoryQueues();

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

  #leave(run: MemoryRun, owner: string): void {
    const held = this.#byOwner.get(owner);
    held?.delete(run);
    if (held?.size === 0) this.#byOwner.delete(owner);
  }

  /** Must be called after every change of a run. */
  update(run: MemoryRun): void {
    const { dueAtMs, row } = run;
    if (row.queue !== null) this.#queues.of(row.queue.name).update(run);
    else if (dueAtMs === null) dequeue(run);
    else enqueue(run, row.lease === null ? this.#unheld : this.#held, dueAtMs);
    setMember(this.#withPosts, run, run.pending.size > 0);
    setMember(this.#urgent, run, run.urgent.size > 0);
  }

  delete(run: MemoryRun): void {
    this.set(run, null);
    if (run.row.queue !== null) this.#queues.of(run.row.queue.name).delete(run);
    dequeue(run);
    this.#withPosts.delete(run);
    this.#urgent.delete(run);
  }

  /** Counts the first place of a run against the rate of its queue. */
  countStart(run: MemoryRun, nowMs: number): void {
    run.hadPlace = true;
    if (run.row.queue !== null) this.#queues.of(run.row.queue.name).countStart(nowMs);
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
    const places = this.#queues.named(of).map(({ queue, limits }) => queue.nextWakeAtMs(limits, isWanted));
    const urgent = [...this.#urgent].filter((run) => run.row.lease === null && isOfWorkflow(run, of));
    return earliest([
      firstOf(this.#unheld, isWanted)?.dueAtMs ?? null,
      ...places,
      ...urgent.map((run) => run.urgentAtMs),
      ...(heldAfterMs === undefined ? [] : this.#timesOfHeld(heldAfterMs, of)),
    ]);
  }

  line(query: LineQuery): StoredLine {
    const { of } = query;
    const isOf = ({ row: { key } }: MemoryRun): boolean => key.tenant === of?.tenant && key.runId === of.runId;
    return this.#queues.of(query.queue).line(query, isOf);
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
    for (const { queue, limits } of this.#queues.named(of)) {
      const request = { nowMs, isWanted: wanted(of), limit: limit - chosen.length };
      chosen.push(...queue.choose(limits, request));
    }
    return chosen;
  }

  /** Ends expired leases of runs of the named queues. */
  #endExpired(nowMs: number, of: DueRuns, owner: string): void {
    const passed: DueEntry[] = [];
    for (const { queue } of this.#queues.named(of)) {
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
    const first = held === undefined || (unheld !== undefined && isBefore(unheld, held)) ? unheld : held;
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
