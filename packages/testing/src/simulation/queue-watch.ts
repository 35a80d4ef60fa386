/**
 * Watches which runs of queues get a place, and reports where the store breaks the limits of a queue or the turns of its keys.
 *
 * @module
 */
import type { ClaimedRun, DueRuns, NewRunRecord, QueueLimits, RunKey, RunStore } from "millrace/runtime";

/**
 * Places that another key may get while a key waits that has none. By turns it is one; another one is for what happens between the
 * claim and the look at the store.
 */
const MOST_TURNS = 2;

interface WatchedQueue {
  /** By key: runs that never had a place, with the time from which they want one. */
  readonly waiting: Map<string, Map<string, number>>;
  /** Runs that had a place when the store was last asked. */
  readonly placed: Map<string, RunKey>;
  /** By key that waits: how many places the others got since it has waited. */
  readonly passed: Map<string, Map<string, number>>;
}

type Claim = DueRuns & { readonly nowMs: number };

export class QueueWatch {
  readonly violations: string[] = [];
  readonly #store: RunStore;
  readonly #queues = new Map<string, WatchedQueue>();
  /** By run that waits: its queue and its key. */
  readonly #waiting = new Map<string, { readonly name: string; readonly key: string }>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  onCreated(id: string, { queue, startAtMs }: NewRunRecord): void {
    if (queue === null) return;
    const { waiting } = this.#of(queue.name);
    waiting.set(queue.key, (waiting.get(queue.key) ?? new Map<string, number>()).set(id, startAtMs));
    this.#waiting.set(id, queue);
  }

  /** Called when a run has a place, or was claimed without one. */
  onTaken(id: string): void {
    const queue = this.#waiting.get(id);
    if (queue === undefined) return;
    this.#waiting.delete(id);
    const { waiting, passed } = this.#of(queue.name);
    const ofKey = waiting.get(queue.key);
    ofKey?.delete(id);
    if (ofKey?.size !== 0) return;
    waiting.delete(queue.key);
    passed.delete(queue.key);
  }

  /** Called with the result of a claim of due runs. */
  async onClaimed({ nowMs, queues = [] }: Claim, claimed: readonly ClaimedRun[]): Promise<void> {
    const rows = claimed.map(({ run }) => run);
    for (const { key } of rows) this.onTaken(idOf(key));
    for (const limits of queues) {
      const given = rows.filter(({ queue }) => queue?.name === limits.name);
      if (given.length === 0) continue;
      const { placed } = this.#of(limits.name);
      for (const { key } of given) placed.set(idOf(key), key);
      const held = await this.#heldByKey(placed);
      this.#checkLimits(limits, held);
      const served = given.map(({ queue }) => queue?.key ?? "");
      // While a rate is used up, only runs that come again are served.
      if (limits.rate === null) this.#checkTurns(limits, { nowMs, held, served });
    }
  }

  /** Places by key, read in one request, so that all rows are of one time. */
  async #heldByKey(placed: Map<string, RunKey>): Promise<Map<string, number>> {
    const held = new Map<string, number>();
    const asked = [...placed];
    const rows = await Promise.all(asked.map(([, key]) => this.#store.run(key)));
    for (const [index, row] of rows.entries()) {
      if (row?.hasPlace !== true || row.outcome !== null) placed.delete((asked[index] as [string, RunKey])[0]);
      else held.set(row.queue?.key ?? "", (held.get(row.queue?.key ?? "") ?? 0) + 1);
    }
    return held;
  }

  #checkLimits({ name, concurrency, perKey }: QueueLimits, held: ReadonlyMap<string, number>): void {
    const all = [...held.values()].reduce((sum, count) => sum + count, 0);
    if (concurrency !== null && all > concurrency)
      this.violations.push(`Queue "${name}" has ${concurrency} places, and ${all} runs have one.`);
    for (const [key, count] of held)
      if (perKey !== null && count > perKey)
        this.violations.push(`Queue "${name}" has ${perKey} places for the key "${key}", and ${count} runs have one.`);
  }

  #checkTurns({ name }: QueueLimits, { nowMs, held, served }: Served): void {
    const { waiting, passed } = this.#of(name);
    for (const [key, runs] of waiting) {
      // A key that has a place may be at its limit: then others may pass it.
      if (served.includes(key) || held.has(key)) passed.delete(key);
      else if (Math.min(...runs.values()) <= nowMs) this.#pass(name, key, served);
    }
  }

  #pass(name: string, key: string, served: readonly string[]): void {
    const { passed } = this.#of(name);
    const counts = passed.get(key) ?? new Map<string, number>();
    passed.set(key, counts);
    for (const other of served) {
      const count = (counts.get(other) ?? 0) + 1;
      counts.set(other, count);
      if (count === MOST_TURNS + 1)
        this.violations.push(`Queue "${name}": the key "${key}" waits, and "${other}" got ${count} places meanwhile.`);
    }
  }

  #of(name: string): WatchedQueue {
    let queue = this.#queues.get(name);
    if (queue === undefined)
      this.#queues.set(name, (queue = { waiting: new Map(), placed: new Map(), passed: new Map() }));
    return queue;
  }
}

interface Served {
  readonly nowMs: number;
  readonly held: ReadonlyMap<string, number>;
  /** The key of each place. */
  readonly served: readonly string[];
}

export function idOf({ tenant, runId }: RunKey): string {
  return JSON.stringify([tenant, runId]);
}
