import type { ClaimedRun, LeaseRequest, RunKey } from "millrace/runtime";
import type { Database } from "./database.js";
import { atMost } from "./journal.js";
import type { Owners } from "./owners.js";
import { openPostsOfId } from "./posts.js";
import { findRun, loadRun, type NumberedRun } from "./stored-run.js";

interface Candidate {
  readonly id: number;
  readonly dueAtMs: number;
}

const take = "UPDATE runs SET owner = ?, lease_until = ?, epoch = epoch + 1 WHERE id = ?";
const prolong = "UPDATE runs SET lease_until = ? WHERE owner = ? RETURNING tenant, run_id";

const expired = `SELECT id, lease_until AS dueAtMs FROM runs
  WHERE owner = ? AND lease_until <= ? AND ended_at IS NULL ORDER BY lease_until LIMIT ?`;
const woken = `SELECT id, wake_at AS dueAtMs FROM runs
  WHERE owner IS NULL AND ended_at IS NULL AND wake_at <= ? ORDER BY wake_at, id LIMIT ?`;
// A post is due at once: its time, which another clock gave, only says how long it has waited.
const posted = `SELECT id, posted_at AS dueAtMs FROM runs
  WHERE owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL ORDER BY posted_at, id LIMIT ?`;
const nextWake = `SELECT min(wake_at) AS atMs FROM runs
  WHERE owner IS NULL AND ended_at IS NULL AND wake_at IS NOT NULL`;
const nextPosted = `SELECT min(posted_at) AS atMs FROM runs
  WHERE owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL`;

/** Who gets the lease of which run. Everything that writes here runs in a transaction. */
export class Claims {
  readonly #database: Database;
  readonly #owners: Owners;

  constructor(database: Database, owners: Owners) {
    this.#database = database;
    this.#owners = owners;
  }

  claim(key: RunKey, lease: LeaseRequest & { readonly ended?: boolean }): ClaimedRun | null {
    const found = findRun(this.#database, key);
    if (found === null || (found.run.endedAtMs !== null && lease.ended !== true)) return null;
    return this.#isFree(found, lease) ? this.#take(found.id, lease) : null;
  }

  claimDue(lease: LeaseRequest & { readonly limit: number }): ClaimedRun[] {
    const limit = atMost(lease.limit);
    const candidates = [
      ...this.#ofHolders(lease.nowMs, limit),
      ...this.#candidates(woken, lease.nowMs, limit),
      ...this.#candidates(posted, limit),
    ];
    candidates.sort((left, right) => left.dueAtMs - right.dueAtMs || left.id - right.id);
    const ids = new Set(candidates.map(({ id }) => id));
    const claimed = [...ids].slice(0, limit).map((id) => this.#take(id, lease));
    return claimed.filter((run) => run !== null);
  }

  renew({ owner, untilMs }: LeaseRequest): RunKey[] {
    this.#owners.register(owner);
    const rows = this.#database.sql(prolong).all(untilMs, owner);
    return (rows as { tenant: string; run_id: string }[]).map(({ tenant, run_id }) => ({ tenant, runId: run_id }));
  }

  nextWakeAtMs(): number | null {
    const times = [nextWake, nextPosted]
      .map((text) => (this.#database.sql(text).get() as { readonly atMs: number | null }).atMs)
      .filter((atMs) => atMs !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Runs whose lease has run out, and all runs of dead owners. */
  #ofHolders(nowMs: number, limit: number): Candidate[] {
    return this.#owners.holders().flatMap((owner) => {
      const untilMs = this.#owners.isDead(owner) ? Number.MAX_SAFE_INTEGER : nowMs;
      return this.#candidates(expired, owner, untilMs, limit);
    });
  }

  #candidates(text: string, ...values: (string | number)[]): Candidate[] {
    return this.#database.sql(text).all(...values) as Candidate[];
  }

  #isFree({ run: { lease } }: NumberedRun, { owner, nowMs }: LeaseRequest): boolean {
    return lease === null || lease.owner === owner || lease.untilMs <= nowMs || this.#owners.isDead(lease.owner);
  }

  #take(id: number, { owner, untilMs }: LeaseRequest): ClaimedRun | null {
    this.#owners.register(owner);
    this.#database.sql(take).run(owner, untilMs, id);
    const found = loadRun(this.#database, id);
    return found === null ? null : { run: found.run, posts: openPostsOfId(this.#database, id) };
  }
}
