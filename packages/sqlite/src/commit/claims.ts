import { earliest, takenSql } from "millrace/engine";
import type { ClaimedRun, ClaimRequest, DueRuns, LeaseRequest, RunKey } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { atMost } from "../tables/journal.js";
import type { Owners } from "../tables/owners.js";
import { openPostsOfId } from "../tables/posts.js";
import { Queues } from "../tables/queues.js";
import { loadRun } from "../tables/stored-run.js";

interface Candidate {
  readonly id: number;
  readonly dueAtMs: number;
}

/** Facts that decide whether a run can be claimed. */
interface Standing {
  readonly id: number;
  readonly owner: string | null;
  readonly untilMs: number | null;
  readonly endedAtMs: number | null;
  readonly queue: string | null;
  readonly place: number | null;
}

const take = `UPDATE runs SET owner = ?, lease_until = ?, epoch = epoch + 1, place = ?, status = ${takenSql("status")} WHERE id = ?`;
const standing = `SELECT id, owner, lease_until AS untilMs, ended_at AS endedAtMs, queue, place FROM runs
  WHERE tenant = ? AND run_id = ?`;
const prolong = "UPDATE runs SET lease_until = ? WHERE owner = ? RETURNING tenant, run_id";

/** A statement for runs of all workflows, and one for the workflows in a JSON list, its next-to-last value. */
interface Filtered {
  readonly all: string;
  readonly some: string;
}

function filtered(select: string, where: string, order: string): Filtered {
  const text = (filter: string): string =>
    `SELECT ${select} FROM runs WHERE ${where}${filter} ORDER BY ${order} LIMIT ? + 0`;
  return { all: text(""), some: text(" AND workflow IN (SELECT value FROM json_each(?))") };
}

const ofQueues = "ended_at IS NULL AND (queue IS NULL OR queue IN (SELECT value FROM json_each(?)))";
const free = "queue IS NULL AND owner IS NULL AND ended_at IS NULL";
const expired = filtered(
  "id, lease_until AS dueAtMs",
  "owner = ? AND lease_until <= ? AND (urgent_at IS NOT NULL OR (ended_at IS NULL AND queue IS NULL))",
  "lease_until",
);
const heldPlace = `SELECT lease_until AS dueAtMs FROM runs
  WHERE owner = ? AND ended_at IS NULL AND queue IN (SELECT value FROM json_each(?)) ORDER BY lease_until LIMIT 1`;
const heldTimer = filtered("id, wake_at AS dueAtMs", `owner = ? AND wake_at > ? AND ${ofQueues}`, "wake_at");
const woken = filtered("id, wake_at AS dueAtMs", `${free} AND wake_at <= ?`, "wake_at, id");
// A post makes its run due at once: its time, from the clock of another process, only orders it by waiting time.
const posted = filtered(
  "id, posted_at AS dueAtMs",
  `${free} AND posted_at IS NOT NULL AND status <> 'scheduled'`,
  "posted_at, id",
);
const urgent = filtered("id, urgent_at AS dueAtMs", "owner IS NULL AND urgent_at IS NOT NULL", "urgent_at, id");
const nextWake = filtered("id, wake_at AS dueAtMs", `${free} AND wake_at IS NOT NULL`, "wake_at");

/** Decides who gets the lease of which run. Every method that writes needs a transaction. */
export class Claims {
  readonly #database: Database;
  readonly #owners: Owners;
  readonly #queues: Queues;

  constructor(database: Database, owners: Owners) {
    this.#database = database;
    this.#owners = owners;
    this.#queues = new Queues(database, owners);
  }

  claim(key: RunKey, lease: ClaimRequest): ClaimedRun | null {
    const found = this.#database.sql(standing).get(key.tenant, key.runId) as Standing | undefined;
    if (found === undefined || (found.endedAtMs !== null && lease.ended !== true)) return null;
    if (!this.#isFree(found, lease)) return null;
    const isOwn = found.owner === lease.owner;
    if (found.queue !== null && !isOwn && lease.ignoreQueueLimits !== true) return null;
    return this.#take(found.id, lease, isOwn && found.place === 1);
  }

  claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): ClaimedRun[] {
    const limit = atMost(lease.limit);
    const claimed = this.#due(lease, limit).map(({ id }) => this.#take(id, lease, false));
    const placed = this.#queues.take({ ...lease, limit: limit - claimed.length });
    return [...claimed, ...placed.map((id) => this.#take(id, lease, true))].filter((run) => run !== null);
  }

  renew({ owner, untilMs }: LeaseRequest): RunKey[] {
    this.#owners.register(owner);
    const rows = this.#database.sql(prolong).all(untilMs, owner);
    return (rows as { tenant: string; run_id: string }[]).map(({ tenant, run_id }) => ({ tenant, runId: run_id }));
  }

  nextWakeAtMs({ heldAfterMs, ...of }: DueRuns & { readonly heldAfterMs?: number }): number | null {
    const free = [nextWake, posted, urgent].flatMap((text) => this.#candidates(text, of, [1]));
    const held = heldAfterMs === undefined ? [] : this.#timesOfHeld(heldAfterMs, of);
    return earliest([...free.map(({ dueAtMs }) => dueAtMs), this.#queues.nextWakeAtMs(of), ...held]);
  }

  #timesOfHeld(afterMs: number, of: DueRuns): number[] {
    const queues = JSON.stringify((of.queues ?? []).map(({ name }) => name));
    return this.#owners.holders().flatMap((owner) => {
      const timers = this.#candidates(heldTimer, of, [owner, afterMs, queues, 1]);
      const ends = this.#candidates(expired, of, [owner, Number.MAX_SAFE_INTEGER, 1]);
      ends.push(...(this.#database.sql(heldPlace).all(owner, queues) as Candidate[]));
      const endAtMs = this.#owners.isDead(owner) ? afterMs : Number.MAX_SAFE_INTEGER;
      return [...timers.map(({ dueAtMs }) => dueAtMs), ...ends.map(({ dueAtMs }) => Math.min(endAtMs, dueAtMs))];
    });
  }

  #due(of: LeaseRequest & DueRuns, limit: number): Candidate[] {
    const candidates = [
      ...this.#ofHolders(of, limit),
      ...this.#candidates(woken, of, [of.nowMs, limit]),
      ...this.#candidates(posted, of, [limit]),
      ...this.#candidates(urgent, of, [limit]),
    ];
    candidates.sort((left, right) => left.dueAtMs - right.dueAtMs || left.id - right.id);
    const seen = new Set<number>(); // a run may be due both by time and by a post
    return candidates.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, limit);
  }

  /** Runs of other owners whose lease has expired, and all runs of dead owners. */
  #ofHolders(of: LeaseRequest & DueRuns, limit: number): Candidate[] {
    return this.#owners.holders().flatMap((owner) => {
      if (owner === of.owner) return [];
      const untilMs = this.#owners.isDead(owner) ? Number.MAX_SAFE_INTEGER : of.nowMs;
      return this.#candidates(expired, of, [owner, untilMs, limit]);
    });
  }

  #candidates(text: Filtered, { workflows }: DueRuns, values: readonly (string | number)[]): Candidate[] {
    if (workflows === undefined) return this.#database.sql(text.all).all(...values) as Candidate[];
    const bound = values.toSpliced(-1, 0, JSON.stringify(workflows));
    return this.#database.sql(text.some).all(...bound) as Candidate[];
  }

  #isFree({ owner, untilMs }: Standing, lease: LeaseRequest): boolean {
    return owner === null || owner === lease.owner || (untilMs ?? 0) <= lease.nowMs || this.#owners.isDead(owner);
  }

  #take(id: number, { owner, untilMs, sealed }: ClaimRequest, hasPlace: boolean): ClaimedRun | null {
    // An owner that is not registered is never taken for dead.
    if (sealed !== true) this.#owners.register(owner);
    this.#database.sql(take).run(owner, untilMs, hasPlace ? 1 : null, id);
    const found = loadRun(this.#database, id);
    return found === null ? null : { run: found.run, posts: openPostsOfId(this.#database, id) };
  }
}
