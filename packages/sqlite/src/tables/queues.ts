import type { DueRuns, QueueLimits } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { Owners } from "./owners.js";

/** What is asked of one queue. */
interface PlaceRequest extends DueRuns {
  readonly nowMs: number;
  readonly limit: number;
  /** Who takes them; absent to look. */
  readonly owner?: string;
}

interface WaitingRun {
  readonly id: number;
  readonly queue: string;
  readonly key: string;
  readonly atMs: number;
}

interface KeyTurn {
  readonly key: string;
  readonly turn: number;
}

interface Head {
  readonly id: number;
  readonly queuedAtMs: number;
  readonly hadPlace: number | null;
}

const waiting = "SELECT id, queue, queue_key AS key";
const isLater = "queue = ? AND owner IS NULL AND ended_at IS NULL AND place IS NULL";
const isPosted = `${isLater} AND posted_at IS NOT NULL AND status <> 'scheduled'`;
const due = `${waiting}, wake_at AS atMs FROM runs INDEXED BY runs_queue_due WHERE ${isLater} AND wake_at <= ?`;
const posted = `${waiting}, min(posted_at, coalesce(wake_at, posted_at)) AS atMs FROM runs INDEXED BY runs_queue_posted
  WHERE ${isPosted}`;
const expired = `${waiting}, lease_until AS atMs FROM runs WHERE owner = ? AND lease_until <= ? AND ended_at IS NULL
  AND queue IN (SELECT value FROM json_each(?))`;
const endLease = "UPDATE runs SET owner = NULL, lease_until = NULL WHERE id = ?";
const lineUp = "UPDATE runs SET place = 0 WHERE id = ?";
const takePlace = "UPDATE runs SET place = 1, had_place = 1 WHERE id = ?";
const heldByKey = `SELECT queue_key AS key, count(*) AS count FROM runs WHERE queue = ? AND place = 1 AND ended_at IS NULL
  GROUP BY queue_key`;

const lastTurn = "(SELECT coalesce(max(turn), 0) + 1 FROM queue_keys WHERE queue = ?)";
const addKey = `INSERT INTO queue_keys (queue, queue_key, turn) VALUES (?, ?, ${lastTurn}) ON CONFLICT DO NOTHING`;
const toTheEnd = `UPDATE queue_keys SET turn = ${lastTurn} WHERE queue = ? AND queue_key = ?`;
const removeKey = "DELETE FROM queue_keys WHERE queue = ? AND queue_key = ?";
const nextKey = "SELECT queue_key AS key, turn FROM queue_keys WHERE queue = ? AND turn > ?";
const ofTurn = "ORDER BY turn LIMIT 1";
/** While the rate is used up: only keys with a run that has had a place before. */
const hasAgain = "AND queue_key IN (SELECT queue_key FROM runs WHERE queue = ? AND place = 0 AND had_place = 1)";

const head =
  "SELECT id, queued_at AS queuedAtMs, had_place AS hadPlace FROM runs WHERE queue = ? AND queue_key = ? AND place = 0";
const isAgain = "AND had_place = 1";
const ofWorkflows = "AND workflow IN (SELECT value FROM json_each(?))";
const asServed = "ORDER BY priority DESC, queued_at, id LIMIT 1";

const starts = "SELECT count(*) AS count FROM queue_starts WHERE queue = ? AND at_ms > ? AND at_ms < ?";
const startAt = "SELECT at_ms AS atMs FROM queue_starts WHERE queue = ? ORDER BY at_ms DESC LIMIT 1 OFFSET ?";
const addStart = "INSERT INTO queue_starts (queue, at_ms) VALUES (?, ?)";
const forgetStarts =
  "DELETE FROM queue_starts WHERE queue = ? AND at_ms <= ? - (SELECT longest_ms FROM queue_windows WHERE queue = ?)";
const noteWindow = `INSERT INTO queue_windows (queue, longest_ms) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET longest_ms = excluded.longest_ms WHERE excluded.longest_ms > longest_ms`;

const firstLater = `SELECT wake_at AS atMs FROM runs INDEXED BY runs_queue_due WHERE ${isLater} AND wake_at IS NOT NULL`;
const firstPosted = `SELECT posted_at AS atMs FROM runs INDEXED BY runs_queue_posted WHERE ${isPosted}`;

/** Decides which runs of a queue get a place. Every method that writes needs a transaction. */
export class Queues {
  readonly #database: Database;
  readonly #owners: Owners;

  constructor(database: Database, owners: Owners) {
    this.#database = database;
    this.#owners = owners;
  }

  /** Gives the ids of runs of the named queues, as many as the limits leave: each has a place, and needs an owner. */
  take({ queues = [], ...request }: PlaceRequest): number[] {
    if (queues.length === 0) return [];
    this.#endExpired(queues, request);
    const taken: number[] = [];
    for (const limits of queues) taken.push(...this.#take(limits, { ...request, limit: request.limit - taken.length }));
    return taken;
  }

  nextWakeAtMs({ queues = [], ...of }: DueRuns): number | null {
    const times = queues.flatMap((limits) => this.#wakeTimes(limits, of));
    return times.length === 0 ? null : Math.min(...times);
  }

  #take(limits: QueueLimits, { nowMs, limit, ...of }: PlaceRequest): number[] {
    const { name, concurrency, perKey } = limits;
    this.#lineUpDue(name, nowMs);
    const held = this.#heldByKey(limits);
    const free = Math.min(limit, (concurrency ?? Number.POSITIVE_INFINITY) - sumOf(held));
    let startsLeft = this.#startsLeft(limits, nowMs);
    const taken: number[] = [];
    let turn = 0;
    while (taken.length < free) {
      const next = this.#nextKey(name, turn, startsLeft > 0);
      if (next === undefined) break;
      turn = next.turn;
      const count = held.get(next.key) ?? 0;
      if (perKey !== null && count >= perKey) continue;
      const run = this.#head(name, next.key, { ...of, isAgain: startsLeft <= 0 });
      if (run !== undefined) {
        this.#database.sql(takePlace).run(run.id);
        if (run.hadPlace === null) {
          this.#database.sql(addStart).run(name, nowMs);
          startsLeft--;
        }
        held.set(next.key, count + 1);
        taken.push(run.id);
      }
      if (this.#head(name, next.key) === undefined) this.#database.sql(removeKey).run(name, next.key);
      else if (run !== undefined) this.#database.sql(toTheEnd).run(name, name, next.key);
    }
    return taken;
  }

  /** Releases runs of others whose lease has expired, and all runs of dead owners: they wait in line. */
  #endExpired(queues: readonly QueueLimits[], { nowMs, owner: own }: PlaceRequest): void {
    const names = JSON.stringify(queues.map(({ name }) => name));
    const found = this.#owners.holders().flatMap((owner) => {
      if (owner === own) return [];
      const untilMs = this.#owners.isDead(owner) ? Number.MAX_SAFE_INTEGER : nowMs;
      return this.#database.sql(expired).all(owner, untilMs, names) as WaitingRun[];
    });
    for (const { id } of found) this.#database.sql(endLease).run(id);
    this.#lineUp(found);
  }

  /** Puts runs that need a place by now into the line, in the order in which they began to need it. */
  #lineUpDue(queue: string, nowMs: number): void {
    const byTime = this.#database.sql(due).all(queue, nowMs) as WaitingRun[];
    const byPost = this.#database.sql(posted).all(queue) as WaitingRun[];
    const found = new Map(byTime.map((run) => [run.id, run]));
    for (const run of byPost) found.set(run.id, run);
    this.#lineUp([...found.values()]);
  }

  #lineUp(runs: WaitingRun[]): void {
    const keys = new Set<string>();
    // Of several queues: each has its own keys.
    for (const { id, queue, key } of runs.sort((left, right) => left.atMs - right.atMs || left.id - right.id)) {
      this.#database.sql(lineUp).run(id);
      const ofQueue = JSON.stringify([queue, key]);
      if (keys.has(ofQueue)) continue;
      keys.add(ofQueue);
      this.#database.sql(addKey).run(queue, key, queue);
    }
  }

  #heldByKey({ name, concurrency, perKey }: QueueLimits): Map<string, number> {
    if (concurrency === null && perKey === null) return new Map();
    const rows = this.#database.sql(heldByKey).all(name) as { readonly key: string; readonly count: number }[];
    return new Map(rows.map(({ key, count }) => [key, count]));
  }

  /** Deletes starts that no rate counts. One further ahead than a whole window is from a clock that was set back since. */
  #startsLeft({ name, rate }: QueueLimits, nowMs: number): number {
    if (rate === null) return Number.POSITIVE_INFINITY;
    this.#database.sql(noteWindow).run(name, rate.perMs);
    this.#database.sql(forgetStarts).run(name, nowMs, name);
    const row = this.#database.sql(starts).get(name, nowMs - rate.perMs, nowMs + rate.perMs);
    return rate.limit - (row as { readonly count: number }).count;
  }

  #nextKey(queue: string, turn: number, mayStart: boolean): KeyTurn | undefined {
    const found = mayStart
      ? this.#database.sql(`${nextKey} ${ofTurn}`).get(queue, turn)
      : this.#database.sql(`${nextKey} ${hasAgain} ${ofTurn}`).get(queue, turn, queue);
    return found as KeyTurn | undefined;
  }

  #head(queue: string, key: string, of: DueRuns & { readonly isAgain?: boolean } = {}): Head | undefined {
    const again = of.isAgain === true ? isAgain : "";
    const found =
      of.workflows === undefined
        ? this.#database.sql(`${head} ${again} ${asServed}`).get(queue, key)
        : this.#database
            .sql(`${head} ${again} ${ofWorkflows} ${asServed}`)
            .get(queue, key, JSON.stringify(of.workflows));
    return found as Head | undefined;
  }

  #wakeTimes(limits: QueueLimits, of: DueRuns): number[] {
    const { name, concurrency, rate } = limits;
    const held = this.#heldByKey(limits);
    if (concurrency !== null && sumOf(held) >= concurrency) return [];
    const times = [
      this.#first(firstLater, "wake_at", { name, ...of }),
      this.#first(firstPosted, "posted_at", { name, ...of }),
    ];
    const opensAtMs = rate === null ? null : this.#opensAtMs(name, rate);
    const fresh = this.#firstInLine(limits, held, of);
    if (fresh !== undefined) times.push(Math.max(fresh.queuedAtMs, opensAtMs ?? fresh.queuedAtMs));
    const again = opensAtMs === null ? undefined : this.#firstInLine(limits, held, { ...of, isAgain: true });
    if (again !== undefined) times.push(again.queuedAtMs);
    return times.filter((atMs) => atMs !== null);
  }

  #first(select: string, time: string, { name, workflows }: DueRuns & { readonly name: string }): number | null {
    const found =
      workflows === undefined
        ? this.#database.sql(`${select} ORDER BY ${time} LIMIT 1`).get(name)
        : this.#database.sql(`${select} ${ofWorkflows} ORDER BY ${time} LIMIT 1`).get(name, JSON.stringify(workflows));
    return (found as { readonly atMs: number } | undefined)?.atMs ?? null;
  }

  /** When the rate allows the next run; `null` for a rate that is not used up. */
  #opensAtMs(queue: string, { limit, perMs }: NonNullable<QueueLimits["rate"]>): number | null {
    const found = this.#database.sql(startAt).get(queue, limit - 1) as { readonly atMs: number } | undefined;
    return found === undefined ? null : found.atMs + perMs;
  }

  /** The first run in line whose key is below its limit. */
  #firstInLine(
    { name, perKey }: QueueLimits,
    held: ReadonlyMap<string, number>,
    of: DueRuns & { readonly isAgain?: boolean },
  ): Head | undefined {
    for (let turn = 0; ; ) {
      const next = this.#nextKey(name, turn, of.isAgain !== true);
      if (next === undefined) return undefined;
      turn = next.turn;
      if (perKey !== null && (held.get(next.key) ?? 0) >= perKey) continue;
      const run = this.#head(name, next.key, of);
      if (run !== undefined) return run;
    }
  }
}

function sumOf(held: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of held.values()) sum += count;
  return sum;
}
