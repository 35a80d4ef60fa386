/**
 * The statements that find due runs, and the one that takes them.
 *
 * @module
 */
import { takenSql } from "millrace/engine";
import { isPlaceWanted, nextPlaceAt } from "../tables/queues.js";
import { leaseUntil, selectLocked } from "../tables/stored-run.js";
import type { DueEdge } from "./due-edge.js";

/** Grants run `r` to owner $1 until $2. */
export const setLease: string = `owner = $1, lease_until = $2, epoch = r.epoch + 1,
  renewal = (SELECT renewals FROM @owners WHERE id = $1)`;

/** Larger ones are rare, and each number is a separate statement. */
const maxKnownLimit = 1_000;

interface DueLocks {
  readonly owners: string;
  readonly runs: string;
  /** Condition for the owners whose expired leases count. @default all */
  readonly others?: string;
  /** The earliest time of runs that wait for it: see {@link DueEdge}. */
  readonly from: string;
}

const ofWorkflows = "($3::text[] IS NULL OR r.workflow = ANY($3))";

/** Runs that are due, each with the time since when: several sources, each in the order of an index. */
function sources(
  { runs: lock, owners: lockOwners, others = "true", from }: DueLocks,
  limit: number | string,
): { readonly [name: string]: string } {
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
  const urgent = (join: string, where: string): string => `SELECT r.id, r.urgent_at AS at FROM @runs r${join}
      WHERE r.urgent_at IS NOT NULL AND ${where} AND ${ofWorkflows} ORDER BY r.urgent_at, r.id LIMIT ${limit}`;
  return {
    unrenewed: expired("r.lease_until", "r.renewal = l.renewals AND r.lease_until <= $1", " ORDER BY r.lease_until"),
    renewed: expired("l.until_ms", "l.until_ms <= $1 AND r.renewal < l.renewals"),
    woken: free("wake_at", `r.wake_at >= ${from} AND r.wake_at <= $1`),
    // A post makes its run due at once: its time, from the clock of another process, only orders it by waiting time.
    posted: free("posted_at", "r.posted_at IS NOT NULL AND r.status <> 'scheduled'"),
    // Few at any time: in all states, and of all queues.
    urgent: `${urgent("", "r.owner IS NULL")} ${lock}`,
    abandoned: `${urgent(" JOIN @owners o ON o.id = r.owner", `${others} AND ${leaseUntil} <= $1`)} ${lock} ${lockOwners}`,
  };
}

/** `due`: what is due by $1, at most $2, of the workflows $3. */
function dueSql(locks: DueLocks, limit: number): string {
  const { owners: lockOwners, others = "true" } = locks;
  // A number that is known makes the plan for any values as good as one for these, so that it is made once.
  const isKnown = Number.isInteger(limit) && limit >= 0 && limit <= maxKnownLimit;
  const all = Object.entries(sources(locks, isKnown ? limit : "$2"));
  return `WITH lapsed AS MATERIALIZED (
      SELECT o.id, o.renewals, o.until_ms FROM @owners o
      WHERE ${others} AND ((o.until_ms <= $1
          AND EXISTS (SELECT 1 FROM @runs r
            WHERE r.owner = o.id AND r.renewal < o.renewals AND r.queue IS NULL AND r.ended_at IS NULL))
        -- No EXISTS: that may be answered from a hash of all runs.
        OR (SELECT r.lease_until FROM @runs r WHERE r.owner = o.id AND r.renewal = o.renewals AND r.lease_until <= $1
            AND r.queue IS NULL AND r.ended_at IS NULL ORDER BY r.lease_until LIMIT 1) IS NOT NULL)
      ${lockOwners}
    ), ${all.map(([name, sql]) => `${name} AS (${sql})`).join(", ")}, due AS (
      SELECT id, min(at) AS at FROM (${all.map(([name]) => `SELECT * FROM ${name}`).join(" UNION ALL ")}) u
      GROUP BY id ORDER BY 2, 1 LIMIT $2
    )`;
}

const skipping = {
  owners: "FOR SHARE OF o SKIP LOCKED",
  runs: "FOR NO KEY UPDATE OF r SKIP LOCKED",
  others: "o.id <> $4",
  from: "$6",
};
// A list, and no join: of a list the planner thinks that it is short, and walks the index for it, also without statistics.
const isDue = "r.id = ANY(ARRAY(SELECT id FROM due))";
// How many entries of the index $7 this transaction has walked, with those of runs that were claimed long ago.
const entries = "(SELECT pg_stat_get_xact_tuples_returned(to_regclass($7))) AS entries";
export const takeDue = (limit: number): string => `${dueSql(skipping, limit)}, taken AS (
    UPDATE @runs r SET ${setLease.replaceAll("$2", "$5").replaceAll("$1", "$4")}, place = NULL,
      status = ${takenSql("r.status")} WHERE ${isDue} RETURNING r.*
  ) ${selectLocked("taken r JOIN due ON due.id = r.id", "ORDER BY due.at, r.id", `due.at AS due_at, ${entries}`)}`;
const looking = (from: string): DueLocks => ({ owners: "", runs: "", from });
export const anyDue: string = `${dueSql(looking("$4"), 1)} SELECT id FROM due`;
export const anyDueOfAll: string = `${dueSql(looking("$10"), 1)} SELECT 1 FROM due UNION ALL SELECT 1 WHERE ${isPlaceWanted("$1", 4)}`;
const ofSome = "($1::text[] IS NULL OR r.workflow = ANY($1))";
const first = (column: string, where: string): string => `(SELECT r.${column} FROM @runs r
  WHERE r.ended_at IS NULL AND ${where} AND ${ofSome} ORDER BY r.${column} LIMIT 1)`;
const nextFree = (from: string): string => `least(
  (SELECT r.urgent_at FROM @runs r WHERE r.urgent_at IS NOT NULL AND r.owner IS NULL AND ${ofSome} ORDER BY r.urgent_at LIMIT 1),
  ${first("wake_at", `r.queue IS NULL AND r.owner IS NULL AND r.wake_at >= ${from}`)},
  ${first("posted_at", "r.queue IS NULL AND r.owner IS NULL AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'")})`;
export const nextWake: string = `SELECT ${nextFree("$2")} AS at`;
export const nextWakeOrPlace: string = `SELECT ${nextFree("$8")} AS at, ${nextPlaceAt(2)} AS place_at`;
const ofQueues = "(r.queue IS NULL OR r.queue = ANY($3::bigint[]))";
/** Runs whose lease counts: one of a named queue holds a place, whatever its workflow is. */
const isLost = `r.ended_at IS NULL AND CASE WHEN r.queue IS NULL THEN ${ofSome} ELSE r.queue = ANY($3::bigint[]) END`;
// A lease ends with the last renewal of its owner, or at its own time.
const nextEnd = `(SELECT min(least(
    (SELECT r.lease_until FROM @runs r WHERE r.owner = o.id AND r.renewal = o.renewals AND ${isLost}
      ORDER BY r.lease_until LIMIT 1),
    (SELECT o.until_ms FROM @runs r WHERE r.owner = o.id AND r.renewal < o.renewals AND ${isLost} LIMIT 1)
  )) FROM @owners o)`;
const heldTimer = first("wake_at", `r.owner IS NOT NULL AND r.wake_at > $2 AND ${ofQueues}`);
export const nextHeld: string = `SELECT least(${nextEnd}, ${heldTimer}) AS at`;
