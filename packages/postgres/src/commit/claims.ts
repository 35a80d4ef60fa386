/**
 * Decides who gets the lease of which run.
 *
 * A run whose row somebody else has locked is left to them, so claimers do not wait for each other. Who takes runs from an
 * owner whose leases have run out locks the row of that owner, so that it cannot renew them meanwhile. The queues come last:
 * claimers of one queue wait for each other.
 *
 * @module
 */
import type { ClaimedRun, ClaimRequest, DueRuns, LeaseRequest, RunKey, StoredDue, StoredPost } from "millrace/runtime";
import type { Row, Session } from "../connection/session.js";
import { type Transaction, walkIndexes } from "../connection/transaction.js";
import { toStoreError } from "../store-error.js";
import type { Interned } from "../tables/interned.js";
import { openOfIds, toPost } from "../tables/posts.js";
import { isPlaceWanted, type NamedQueues, nextPlaceAt, type Queues } from "../tables/queues.js";
import { leaseUntil, type RunReader, selectLocked, selectRuns, toRun } from "../tables/stored-run.js";
import { idOf, runHash } from "../text/keys.js";
import { checkNames } from "../text/names.js";
import { atMost, numbers, texts } from "../text/values.js";
import type { HeldRun } from "./plan.js";

const setLease = `owner = $1, lease_until = $2, epoch = r.epoch + 1,
  renewal = (SELECT renewals FROM @owners WHERE id = $1)`;
const keptPlace = "place = CASE WHEN r.owner = $1 AND r.place = 1 THEN 1 END";

const holdOwner = `SELECT 1 FROM @runs r JOIN @owners o ON o.id = r.owner
  WHERE r.key = $1 AND r.owner <> $2 AND ${leaseUntil} <= $3 FOR SHARE OF o`;
const takeOne = `WITH free AS MATERIALIZED (
    SELECT r.id FROM @runs r LEFT JOIN @owners o ON o.id = r.owner
    WHERE r.key = $3 AND (r.ended_at IS NULL OR $5) AND (r.owner IS NULL OR r.owner = $1 OR ${leaseUntil} <= $4)
      AND (r.queue IS NULL OR r.owner = $1 OR $6)
    FOR NO KEY UPDATE OF r
  ), taken AS (UPDATE @runs r SET ${setLease}, ${keptPlace} FROM free WHERE r.id = free.id RETURNING r.*)
  ${selectLocked("taken r", "")}`;

/** Runs that are due, each with the time since when: three sources, each in the order of an index. */
interface Source {
  readonly name: string;
  readonly sql: string;
}

/** Larger ones are rare, and each number is a statement of its own. */
const maxKnownLimit = 1_000;

const ofWorkflows = "($3::text[] IS NULL OR r.workflow = ANY($3))";

/** @param lock Of the runs that are given. */
function sources(lock: string, limit: string): Source[] {
  const expired = (
    at: string,
    where: string,
    order = "",
  ): string => `SELECT e.id, e.at FROM lapsed l CROSS JOIN LATERAL (
      SELECT r.id, ${at} AS at FROM @runs r
      WHERE r.owner = l.id AND r.queue IS NULL AND ${where} AND r.ended_at IS NULL AND ${ofWorkflows}${order} LIMIT ${limit} ${lock}
    ) e`;
  const free = (column: string, where: string): string => `SELECT r.id, r.${column} AS at FROM @runs r
      WHERE r.queue IS NULL AND r.owner IS NULL AND r.ended_at IS NULL AND ${where} AND ${ofWorkflows}
      ORDER BY r.${column}, r.id LIMIT ${limit} ${lock}`;
  return [
    {
      name: "unrenewed",
      sql: expired("r.lease_until", "r.renewal = l.renewals AND r.lease_until <= $1", " ORDER BY r.lease_until"),
    },
    { name: "renewed", sql: expired("l.until_ms", "l.until_ms <= $1 AND r.renewal < l.renewals") },
    { name: "woken", sql: free("wake_at", "r.wake_at <= $1") },
    // A post makes its run due at once: its time, from the clock of another process, only says how long it has waited.
    { name: "posted", sql: free("posted_at", "r.posted_at IS NOT NULL AND r.status <> 'scheduled'") },
  ];
}

interface DueLocks {
  readonly owners: string;
  readonly runs: string;
  /** Whose expired leases count. @default all */
  readonly others?: string;
}

/** `due`: what is due by $1, at most $2, of the workflows $3. */
function dueSql({ owners: lockOwners, runs: lockRuns, others = "true" }: DueLocks, limit: number): string {
  // A number that is known makes the plan for any values as good as one for these, so that it is made once.
  const isKnown = Number.isInteger(limit) && limit >= 0 && limit <= maxKnownLimit;
  const all = sources(lockRuns, isKnown ? String(limit) : "$2");
  return `WITH lapsed AS MATERIALIZED (
      SELECT o.id, o.renewals, o.until_ms FROM @owners o
      WHERE ${others} AND ((o.until_ms <= $1
          AND EXISTS (SELECT 1 FROM @runs r
            WHERE r.owner = o.id AND r.renewal < o.renewals AND r.queue IS NULL AND r.ended_at IS NULL))
        -- No EXISTS: that may be answered from a hash of all runs.
        OR (SELECT r.lease_until FROM @runs r WHERE r.owner = o.id AND r.renewal = o.renewals AND r.lease_until <= $1
            AND r.queue IS NULL AND r.ended_at IS NULL ORDER BY r.lease_until LIMIT 1) IS NOT NULL)
      ${lockOwners}
    ), ${all.map(({ name, sql }) => `${name} AS (${sql})`).join(", ")}, due AS (
      SELECT id, min(at) AS at FROM (${all.map(({ name }) => `SELECT * FROM ${name}`).join(" UNION ALL ")}) u
      GROUP BY id ORDER BY 2, 1 LIMIT $2
    )`;
}

const skipping = {
  owners: "FOR SHARE OF o SKIP LOCKED",
  runs: "FOR NO KEY UPDATE OF r SKIP LOCKED",
  others: "o.id <> $4",
};
// A list, and no join: of a list the planner thinks that it is short, and walks the index for it, also without statistics.
const isDue = "r.id = ANY(ARRAY(SELECT id FROM due))";
const takeDue = (limit: number): string => `${dueSql(skipping, limit)}, taken AS (
    UPDATE @runs r SET ${setLease.replaceAll("$2", "$5").replaceAll("$1", "$4")} WHERE ${isDue} RETURNING r.*
  ) ${selectLocked("taken r JOIN due ON due.id = r.id", "ORDER BY due.at, r.id")}`;
const anyDue = `${dueSql({ owners: "", runs: "" }, 1)} SELECT id FROM due`;
const anyDueOfAll = `${dueSql({ owners: "", runs: "" }, 1)} SELECT 1 FROM due UNION ALL SELECT 1 WHERE ${isPlaceWanted("$1", 4)}`;
const lookDue = (limit: number): string => `${dueSql({ owners: "", runs: "" }, limit)}
  SELECT t.name AS tenant, r.run_id, r.workflow, due.at FROM due JOIN @runs r ON r.id = due.id JOIN @tenants t ON t.id = r.tenant
  WHERE ${isDue} ORDER BY due.at, r.id`;
const takenPlaces = selectRuns("@runs r", "WHERE r.id = ANY($1::bigint[]) ORDER BY array_position($1::bigint[], r.id)");
const lookPlaces = `SELECT t.name AS tenant, r.run_id, r.workflow FROM @runs r JOIN @tenants t ON t.id = r.tenant
  WHERE r.id = ANY($1::bigint[]) ORDER BY array_position($1::bigint[], r.id)`;

const ofSome = "($1::text[] IS NULL OR r.workflow = ANY($1))";
const first = (column: string, where: string): string => `(SELECT r.${column} FROM @runs r
  WHERE r.ended_at IS NULL AND ${where} AND ${ofSome} ORDER BY r.${column} LIMIT 1)`;
const nextFree = `least(${first("wake_at", "r.queue IS NULL AND r.owner IS NULL AND r.wake_at IS NOT NULL")},
  ${first("posted_at", "r.queue IS NULL AND r.owner IS NULL AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'")})`;
const nextWake = `SELECT ${nextFree} AS at`;
const nextWakeOrPlace = `SELECT least(${nextFree}, ${nextPlaceAt(2)}) AS at`;
const ofQueues = "(r.queue IS NULL OR r.queue = ANY($3::bigint[]))";
// A lease ends with the last renewal of its owner, or at its own time.
const nextHeld = `(SELECT min(least(
    (SELECT r.lease_until FROM @runs r WHERE r.owner = o.id AND r.renewal = o.renewals AND r.ended_at IS NULL
      AND ${ofSome} AND ${ofQueues}
      ORDER BY r.lease_until LIMIT 1),
    (SELECT o.until_ms FROM @runs r WHERE r.owner = o.id AND r.renewal < o.renewals AND r.ended_at IS NULL
      AND ${ofSome} AND ${ofQueues} LIMIT 1)
  )) FROM @owners o)`;
const heldTimer = first("wake_at", `r.owner IS NOT NULL AND r.wake_at > $2 AND ${ofQueues}`);
const nextOfAll = `SELECT least(${nextFree}, ${nextHeld}, ${heldTimer}) AS at`;

const renew = `WITH renewed AS (
    UPDATE @owners SET renewals = renewals + 1, until_ms = $2, seen_at = now() WHERE id = $1 RETURNING id
  ) SELECT n.id, t.name AS tenant, r.run_id AS "runId" FROM renewed n
  LEFT JOIN @runs r ON r.owner = $1 LEFT JOIN @tenants t ON t.id = r.tenant`;

export interface ClaimsSetup extends RunReader {
  readonly owners: Interned;
  readonly queues: Queues;
  /** Called with every run that was taken. */
  readonly onTaken: (id: string, run: HeldRun) => void;
}

export class Claims {
  readonly #setup: ClaimsSetup;
  /** The last claim gave nothing. So the next one looks first: a transaction for nothing would lock what others want to have. */
  #isIdle = false;

  constructor(setup: ClaimsSetup) {
    this.#setup = setup;
  }

  async claim(key: RunKey, lease: ClaimRequest): Promise<ClaimedRun | null> {
    const { database, clock } = this.#setup;
    const hash = runHash(key);
    const [taken] = await this.#asOwner(lease.owner, (owner) =>
      database.write(async (transaction) => {
        const nowMs = clock.toServer(lease.nowMs);
        transaction.send(holdOwner, [hash, owner, nowMs]);
        const values = [owner, clock.toServer(lease.untilMs), hash, nowMs, lease.ended === true, lease.beside === true];
        return this.#claimed(transaction, await transaction.all(takeOne, values), owner);
      }),
    );
    return taken ?? null;
  }

  async claimDue(lease: LeaseRequest & DueRuns & { readonly limit: number }): Promise<ClaimedRun[]> {
    if (lease.limit < 1) return [];
    this.#setup.database.leaseFor(lease.untilMs - lease.nowMs);
    const named = await this.#setup.queues.find(lease);
    // Where queues are named, also an empty claim may have to write: leases that have run out are ended.
    if ((this.#isIdle || named !== null) && !(await this.#isAnyDue(lease, named))) return [];
    const claimed = await this.#claimDue(lease, named);
    this.#isIdle = claimed.length === 0;
    return claimed;
  }

  async #isAnyDue(of: DueRuns & { readonly nowMs: number }, named: NamedQueues | null): Promise<boolean> {
    const { database, clock } = this.#setup;
    const nowMs = clock.toServer(of.nowMs);
    const values = [nowMs, 1, listed(of)];
    if (named === null) return (await database.all(anyDue, values)).length > 0;
    return (await database.all(anyDueOfAll, [...values, ...named.values])).length > 0;
  }

  async #claimDue(
    lease: LeaseRequest & DueRuns & { readonly limit: number },
    named: NamedQueues | null,
  ): Promise<ClaimedRun[]> {
    const { database, clock, queues } = this.#setup;
    return this.#asOwner(lease.owner, (owner) =>
      database.write(async (transaction) => {
        transaction.send(walkIndexes, []);
        const times = [clock.toServer(lease.nowMs), clock.toServer(lease.untilMs)] as const;
        const values = [times[0], atMost(lease.limit), listed(lease), owner, times[1]];
        const claimed = await this.#claimed(transaction, await transaction.all(takeDue(lease.limit), values), owner);
        if (named === null) return kept(transaction, claimed);
        const request = { limit: atMost(lease.limit) - claimed.length, lease: { owner, untilMs: times[1] } };
        const placed = await queues.take(transaction, named, { nowMs: times[0], ...request });
        if (placed.length === 0) return claimed;
        const rows = await transaction.all(takenPlaces, [idsOf(placed)]);
        return [...claimed, ...(await this.#claimed(transaction, rows, owner))];
      }),
    );
  }

  async renew({ owner, nowMs, untilMs }: LeaseRequest): Promise<RunKey[]> {
    const { database, clock, owners } = this.#setup;
    database.leaseFor(untilMs - nowMs);
    return this.#asOwner(owner, async (id) => {
      let rows = await database.all(renew, [id, clock.toServer(untilMs)]);
      if (rows.length === 0) {
        // Its row was cleaned away.
        owners.forget();
        rows = await database.all(renew, [await owners.id(owner), clock.toServer(untilMs)]);
      }
      return rows
        .filter(({ runId }) => runId !== null)
        .map(({ tenant, runId }) => ({ tenant: tenant as string, runId: runId as string }));
    });
  }

  async nextWakeAtMs(of: DueRuns): Promise<number | null> {
    const { database, clock, queues } = this.#setup;
    await clock.refresh();
    const named = await queues.find(of);
    const [row] = await (named === null
      ? database.all(nextWake, [listed(of)])
      : database.all(nextWakeOrPlace, [listed(of), ...named.values]));
    return this.#earliest([row?.["at"]]);
  }

  /** Lists what {@link claimDue} would claim. */
  async due({ nowMs, limit, ...of }: DueRuns & { readonly nowMs: number; readonly limit: number }): Promise<StoredDue> {
    const { database, clock, queues } = this.#setup;
    await clock.refresh();
    const now = clock.toServer(nowMs);
    const named = await queues.find(of);
    const look = async (session: Session) => {
      const rows = await session.all(lookDue(limit), [now, atMost(limit), listed(of)]);
      const [next] = await session.all(nextOfAll, [listed(of), now, named?.ids ?? "{}"]);
      if (named === null) return { rows, times: [next?.["at"]] };
      const placeAt = await queues.nextWakeAtMs(session, named);
      const left = atMost(limit) - rows.length;
      const placed = await queues.take(session, named, { nowMs: now, limit: Math.max(1, left), lease: null });
      const found = placed.length === 0 ? [] : await session.all(lookPlaces, [idsOf(placed)]);
      const placedRows = found.slice(0, left).map((row, index): Row => ({ ...row, at: placed[index]?.dueAtMs }));
      // A place that a lost run had is free as soon as somebody asks for it.
      return { rows: [...rows, ...placedRows], times: [next?.["at"], placed.length > 0 ? now : placeAt] };
    };
    const { rows, times } = await (named === null ? database.use(look) : database.tryOut(look));
    return {
      runs: rows.map(({ tenant, run_id: runId, workflow, at }) => ({
        key: { tenant: tenant as string, runId: runId as string },
        workflow: workflow as string,
        dueAtMs: clock.toCaller(at as number),
      })),
      wakeAtMs: this.#earliest(times),
    };
  }

  #earliest(times: readonly unknown[]): number | null {
    const known = times.filter((atMs) => typeof atMs === "number");
    return known.length === 0 ? null : this.#setup.clock.toCaller(Math.min(...known));
  }

  /** Runs `work` with the number of the owner, and again when the row with that number is gone. */
  async #asOwner<Result>(name: string, work: (id: number) => Promise<Result>): Promise<Result> {
    const { owners } = this.#setup;
    checkNames({ owner: name });
    return withOwners(owners, async () => work(await owners.id(name)));
  }

  async #claimed(transaction: Transaction, rows: readonly Row[], owner: number): Promise<ClaimedRun[]> {
    const posts = await this.#postsOf(transaction, rows);
    return rows.map((row) => {
      const run = toRun(this.#setup, row);
      const id = row["id"] as number;
      this.#setup.onTaken(idOf(run.key), { id, owner, epoch: run.epoch, ticks: run.ticks });
      return { run, posts: posts.get(id) ?? [] };
    });
  }

  async #postsOf(transaction: Transaction, rows: readonly Row[]): Promise<ReadonlyMap<number, StoredPost[]>> {
    const posts = new Map<number, StoredPost[]>();
    const ids = rows.filter((row) => row["posted_at"] !== null).map((row) => row["id"] as number);
    if (ids.length === 0) return posts;
    for (const row of await transaction.all(openOfIds, [numbers(ids)])) {
      const id = row["id"] as number;
      posts.set(id, [...(posts.get(id) ?? []), toPost(row)]);
    }
    return posts;
  }
}

/** Does it again with new numbers where an owner was not seen for so long that its row is gone. */
export async function withOwners<Result>(owners: Interned, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (toStoreError(error, "").details["sqlState"] !== "23502") throw error;
    owners.forget();
    return work();
  }
}

/** A claim that gave nothing stores nothing: others would see a batch, and look what has changed. */
function kept(transaction: Transaction, claimed: ClaimedRun[]): ClaimedRun[] {
  if (claimed.length === 0) transaction.discard();
  return claimed;
}

function idsOf(runs: readonly { readonly id: number }[]): string {
  return numbers(runs.map(({ id }) => id));
}

function listed({ workflows }: DueRuns): string | null {
  return workflows === undefined ? null : texts(workflows);
}
