import { idOf } from "../store/run-key.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";
import { sweepExpired } from "./expiring.js";
import { type DueEntry, dueEntries, type StoredDueEntry } from "./task-queue.js";

export interface ScheduledTasksSetup extends RuntimeParts {
  /** Milliseconds for which a failed entry is left alone here. */
  readonly backOffMs: number;
  /** Each handler returns when the entry is due again; `null` for never, or if a change of a run triggers it. */
  readonly handlers: TaskHandlers;
}

export type TaskHandlers = { readonly [What in DueEntry["what"]]: (entry: StoredDueEntry) => Promise<number | null> };

const SWEEP_MS = 60_000;

export class ScheduledTasks {
  readonly #setup: ScheduledTasksSetup;
  /** Failed entries, and until when they are left alone. */
  readonly #leftAlone: Map<string, number> = new Map();
  /** Runs whose end an entry waits for. */
  readonly #awaited: Set<string> = new Set();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(setup: ScheduledTasksSetup) {
    this.#setup = setup;
  }

  /** Returns whether an entry waits for the end of the run with this {@link idOf}. */
  awaits(id: string): boolean {
    return this.#awaited.has(id);
  }

  /** Handles all due entries. Returns when the next entry is due; `null` if there is none. */
  async round(): Promise<number | null> {
    this.#awaited.clear();
    const first = await this.#pass();
    // An entry that was just handled may wait for a run now.
    const { wakeAtMs } = first.isDone ? await this.#pass() : first;
    return Number.isFinite(wakeAtMs) ? wakeAtMs : null;
  }

  async #pass(): Promise<{ readonly wakeAtMs: number; readonly isDone: boolean }> {
    const { clock } = this.#setup;
    let wakeAtMs = Number.POSITIVE_INFINITY;
    let isDone = false;
    const seen = new Set<string>();
    for await (const entry of this.#entries()) {
      seen.add(entry.key);
      if (entry.afterRun === null && entry.atMs > clock.now()) {
        wakeAtMs = Math.min(wakeAtMs, entry.atMs);
        break; // the other entries come later
      }
      // Noted before the look: an end in between would be missed.
      if (entry.afterRun !== null) this.#awaited.add(idOf({ tenant: entry.tenant, runId: entry.afterRun }));
      const isDue = await this.#isDue(entry);
      isDone ||= isDue;
      const againAtMs = isDue ? await this.#take(entry) : entry.atMs;
      wakeAtMs = Math.min(wakeAtMs, againAtMs ?? Number.POSITIVE_INFINITY);
    }
    for (const key of this.#leftAlone.keys()) if (!seen.has(key)) this.#leftAlone.delete(key);
    return { wakeAtMs, isDone };
  }

  /** Deletes expired records: at most once a minute, by any clock. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#setup;
    const nowMs = clock.now();
    if (Math.abs(nowMs - this.#sweptAtMs) < SWEEP_MS) return;
    await sweepExpired(store, nowMs);
    this.#sweptAtMs = nowMs;
  }

  /** When `round` would do something; in the past if it would do so now. It only reads. */
  async nextAtMs(): Promise<number | null> {
    let nextAtMs: number | null = null;
    for await (const entry of this.#entries()) {
      const atMs = (await this.#isDue(entry)) ? Math.min(entry.atMs, this.#setup.clock.now()) : entry.atMs;
      nextAtMs = Math.min(nextAtMs ?? atMs, atMs);
      if (entry.afterRun === null) break;
    }
    return nextAtMs;
  }

  /** Entries of the workflows that are registered here. */
  async *#entries(): AsyncGenerator<StoredDueEntry, void> {
    const { store, workflows } = this.#setup;
    for await (const entry of dueEntries(store)) if (workflows.find(entry.workflow) !== undefined) yield entry;
  }

  async #isDue({ tenant, atMs, afterRun }: StoredDueEntry): Promise<boolean> {
    const { store, clock } = this.#setup;
    if (atMs <= clock.now()) return true;
    if (afterRun === null) return false;
    const run = await store.run({ tenant, runId: afterRun });
    return run === null || run.outcome !== null;
  }

  async #take(entry: StoredDueEntry): Promise<number | null> {
    const { handlers, clock, log, backOffMs } = this.#setup;
    const untilMs = this.#leftAlone.get(entry.key) ?? 0;
    // Only for so long: a clock that was set back must not make it longer.
    if (untilMs > clock.now() && untilMs <= clock.now() + backOffMs) return untilMs;
    this.#leftAlone.delete(entry.key);
    try {
      return await handlers[entry.what](entry);
    } catch (error) {
      const againAtMs = clock.now() + backOffMs;
      this.#leftAlone.set(entry.key, againAtMs);
      log.error(`${said(entry)} could not be started; it will be retried.`, error);
      return againAtMs;
    }
  }
}

function said({ what, id, workflow }: DueEntry): string {
  return what === "schedule" ? `A run of the schedule "${id}"` : `A run of "${workflow}"`;
}
