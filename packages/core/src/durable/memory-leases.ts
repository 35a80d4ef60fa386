import { isBefore, Timers } from "../engine/timers.js";
import type { DueEntry, MemoryRun } from "./memory-run.js";
import type { DueRuns, Lease, StoredDue, StoredPost } from "./run-store.types.js";

/** Who holds which run, which runs want an owner, and whose posts are open: without looking at the others. */
export class MemoryLeases {
  readonly #held = new Timers<DueEntry>();
  readonly #unheld = new Timers<DueEntry>();
  readonly #byOwner = new Map<string, Set<MemoryRun>>();
  readonly #withPosts = new Set<MemoryRun>();

  /** The only one who sets a lease. */
  set(run: MemoryRun, lease: Lease | null): void {
    const { row } = run;
    if (row.lease !== null && row.lease.owner !== lease?.owner) this.#leave(run, row.lease.owner);
    row.lease = lease === null ? null : { owner: lease.owner, untilMs: lease.untilMs };
    if (lease === null) return;
    const held = this.#byOwner.get(lease.owner);
    if (held === undefined) this.#byOwner.set(lease.owner, new Set([run]));
    else held.add(run);
  }

  #leave(run: MemoryRun, owner: string): void {
    const held = this.#byOwner.get(owner);
    held?.delete(run);
    if (held?.size === 0) this.#byOwner.delete(owner);
  }

  /** To be called after every change of a run. */
  update(run: MemoryRun): void {
    const { dueAtMs } = run;
    if (dueAtMs === null) dequeue(run);
    else enqueue(run, run.row.lease === null ? this.#unheld : this.#held, dueAtMs);
    if (run.pending.size > 0) this.#withPosts.add(run);
    else this.#withPosts.delete(run);
  }

  delete(run: MemoryRun): void {
    this.set(run, null);
    dequeue(run);
    this.#withPosts.delete(run);
  }

  /** A copy. */
  heldBy(owner: string): MemoryRun[] {
    return [...(this.#byOwner.get(owner) ?? [])];
  }

  postsOf(owner: string): StoredPost[] {
    const held = [...this.#withPosts].filter((run) => run.row.lease?.owner === owner);
    return held.flatMap((run) => [...run.pending.values()]).sort((left, right) => left.position - right.position);
  }

  nextWakeAtMs(of: DueRuns): number | null {
    return firstAtMs(this.#unheld, of);
  }

  /** What {@link takeDue} would take. */
  due({ nowMs, limit, ...of }: DueRuns & { readonly nowMs: number; readonly limit: number }): StoredDue {
    const due = this.takeDue({ nowMs, limit, ...of });
    for (const run of due) this.update(run);
    const runs = due.map((run) => ({ key: run.row.key, workflow: run.row.workflow, dueAtMs: run.dueAtMs ?? nowMs }));
    const times = [this.#held, this.#unheld].map((queue) => firstAtMs(queue, of)).filter((atMs) => atMs !== null);
    for (const timer of this.#timersOfHeld(nowMs, of)) times.push(timer);
    return { runs, wakeAtMs: times.length === 0 ? null : times.reduce((left, right) => Math.min(left, right)) };
  }

  *#timersOfHeld(nowMs: number, of: DueRuns): Generator<number, void> {
    const isWanted = wanted(of);
    for (const held of this.#byOwner.values())
      for (const run of held) {
        const { wakeAtMs } = run.row;
        if (!run.isEnded && wakeAtMs !== null && wakeAtMs > nowMs && isWanted(run)) yield wakeAtMs;
      }
  }

  /** Takes them out of the queues: each must get a lease. */
  takeDue({ nowMs, limit, ...of }: DueRuns & { readonly nowMs: number; readonly limit: number }): MemoryRun[] {
    const due = new Set<MemoryRun>();
    const passed: DueEntry[] = [];
    const isWanted = wanted(of);
    while (due.size < limit) {
      const entry = this.#firstDue(nowMs);
      if (entry === undefined) break;
      if (isWanted(take(entry).run)) due.add(entry.run);
      else passed.push(entry);
    }
    putBack(passed);
    // A post of a process whose clock is ahead is due all the same.
    for (const run of this.#withPosts) {
      if (due.size >= limit) break;
      if (run.row.lease === null && !run.isEnded && run.row.status !== "scheduled" && isWanted(run)) due.add(run);
    }
    return [...due];
  }

  #firstDue(nowMs: number): DueEntry | undefined {
    const held = this.#held.first();
    const unheld = this.#unheld.first();
    const first = held === undefined || (unheld !== undefined && isBefore(unheld, held)) ? unheld : held;
    return first !== undefined && first.dueAtMs <= nowMs ? first : undefined;
  }
}

function wanted({ workflows }: DueRuns): (run: MemoryRun) => boolean {
  return (run) => workflows === undefined || workflows.includes(run.row.workflow);
}

function firstAtMs(queue: Timers<DueEntry>, of: DueRuns): number | null {
  const passed: DueEntry[] = [];
  const isWanted = wanted(of);
  let first = queue.first();
  for (; first !== undefined && !isWanted(first.run); first = queue.first()) passed.push(take(first));
  putBack(passed);
  return first?.dueAtMs ?? null;
}

function take(entry: DueEntry): DueEntry {
  dequeue(entry.run);
  return entry;
}

function putBack(entries: readonly DueEntry[]): void {
  for (const { queue, run, dueAtMs } of entries) enqueue(run, queue, dueAtMs);
}

function enqueue(run: MemoryRun, queue: Timers<DueEntry>, dueAtMs: number): void {
  if (run.due?.queue === queue && run.due.dueAtMs === dueAtMs) return;
  dequeue(run);
  run.due = queue.add({ dueAtMs, order: run.number, position: 0, run, queue });
}

function dequeue(run: MemoryRun): void {
  run.due?.queue.remove(run.due);
  run.due = null;
}
