/** Queues of runs that need an owner: each run is in one of them, or in none. */
import type { Timers } from "../../host.js";
import type { DueEntry, MemoryRun } from "./memory-run.js";

export function enqueue(run: MemoryRun, queue: Timers<DueEntry>, dueAtMs: number): void {
  if (run.due?.queue === queue && run.due.dueAtMs === dueAtMs) return;
  dequeue(run);
  run.due = queue.add({ dueAtMs, order: run.number, position: 0, run, queue });
}

export function dequeue(run: MemoryRun): void {
  run.due?.queue.remove(run.due);
  run.due = null;
}

export function putBack(entries: readonly DueEntry[]): void {
  for (const { queue, run, dueAtMs } of entries) enqueue(run, queue, dueAtMs);
}

/** The first wanted run of a queue. */
export function firstOf(queue: Timers<DueEntry>, isWanted: (run: MemoryRun) => boolean): DueEntry | undefined {
  const passed: DueEntry[] = [];
  let first = queue.first();
  for (; first !== undefined && !isWanted(first.run); first = queue.first()) {
    dequeue(first.run);
    passed.push(first);
  }
  putBack(passed);
  return first;
}
