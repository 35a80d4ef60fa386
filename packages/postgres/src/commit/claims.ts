/**
 * Decides who gets the lease of which run.
 *
 * A run whose row is locked is skipped, so claimers do not wait for each other. A claim of runs from an owner whose leases have
 * expired locks the row of that owner, so that it cannot renew them meanwhile. The queues come last:
 * claimers of one queue wait for each other.
 *
 * @module
 */
import { earliest, takenSql } from "millrace/engine";
import type { ClaimedRun, ClaimRequest, DueRuns, LeaseRequest, RunKey, StoredPost } from "millrace/runtime";
import { quoted, type Row } from "../connection/session.js";
import { type Transaction, walkIndexes } from "../connection/transaction.js";
import { toStoreError } from "../store-error.js";
import type { Interned } from "../tables/interned.js";
import { openOfIds, toPost } from "../tables/posts.js";
import type { NamedQueues, Queues } from "../tables/queues.js";
import { leaseUntil, type RunReader, selectLocked, selectRuns, toRun } from "../tables/stored-run.js";
import { atMost, idOf, numbers, runHash, texts } from "../text/values.js";
import { DueEdge, type DueLook, everything } from "./due-edge.js";
import { anyDue, anyDueOfAll, nextHeld, nextWake, nextWakeOrPlace, setLease, takeDue } from "./due-statements.js";
import type { HeldRun } from "./plan.js";

const keptPlace = "place = CASE WHEN r.owner = $1 AND r.place = 1 THEN 1 END";

const holdOwner = `SELECT 1 FROM @runs r JOIN @owners o ON o.id = r.owner
  WHERE r.key = $1 AND r.owner <> $2 AND ${leaseUntil} <= $3 FOR SHARE OF o`;
const takeOne = `WITH free AS MATERIALIZED (
    SELECT r.id FROM @runs r LEFT JOIN @owners o ON o.id = r.owner
    WHERE r.key = $3 AND (r.ended_at IS NULL OR $5) AND (r.owner IS NULL OR r.owner = $1 OR ${leaseUntil} <= $4)
      AND (r.queue IS NULL OR r.owner = $1 OR $6)
    FOR NO KEY UPDATE OF r
  ), taken AS (UPDATE @runs r SET ${setLease}, ${keptPlace}, status = ${takenSql("r.status")} FROM free WHERE r.id = free.id RETURNING r.*)
  ${selectLocked("taken r", "")}`;

const takenPlaces = selectRuns("@runs r", "WHERE r.id = ANY($1::bigint[]) ORDER BY array_position($1::bigint[], r.id)");
const renew = `WITH renewed AS (
    UPDATE @owners SET renewals = renewals + 1, until_ms = $2, seen_at = now() WHERE id = $1 RETURNING id
  ) SELECT n.id, t.name AS tenant, r.run_id AS "runId" FROM renewed n
  LEFT JOIN @runs r ON r.owner = $1 LEFT JOIN @tenants t ON t.id = r.tenant`;

type DueRequest = LeaseRequest & DueRuns & { readonly limit: number };

/** Times by the clock of the server. */
interface Taking {
  readonly owner: number;
  readonly fromMs: number;
  readonly nowMs: number;
  readonly untilMs: number;
}

export interface ClaimsSetup extends RunReader {
  readonly owners: Interned;
  readonly queues: Queues;
  /** Called with every run that was taken. */
  readonly onTaken: (id: string, run: HeldRun) => void;
}

export class Claims {
  readonly #setup: ClaimsSetup;
  /** Whether the last claim was empty. Then the next one reads first: an empty transaction would lock rows that others need. */
  #isIdle = false;
  /** Edges by the list of workflows, see {@link listed}. */
  readonly #edges: Map<string | null, DueEdge> = new Map();

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
        const values = [
          owner,
          clock.toServer(lease.untilMs),
          hash,
          nowMs,
          lease.ended === true,
          lease.ignoreQueueLimits === true,
        ];
        return this.#claimed(transaction, await transaction.all(takeOne, values), owner);
      }),
    );
    return taken ?? null;
  }

  async claimDue(lease: DueRequest): Promise<ClaimedRun[]> {
    if (lease.limit < 1) return [];
    const { database, clock, queues } = this.#setup;
    database.leaseFor(lease.untilMs - lease.nowMs);
    const named = await queues.find(lease);
    const edge = this.#edgeOf(lease);
    const fromMs = edge.from(clock.toServer(lease.nowMs));
    const startedAtMs = performance.now();
    // Where queues are named, also an empty claim may have to write: leases that have run out are ended.
    if ((this.#isIdle || named !== null) && !(await this.#isAnyDue(lease, named, fromMs))) {
      if (fromMs === everything) edge.lookedWhole(performance.now() - startedAtMs);
      return [];
    }
    const { claimed, look } = await this.#claimDue(lease, named, fromMs);
    edge.looked(look);
    this.#isIdle = claimed.length === 0;
    return claimed;
  }

  #edgeOf(of: DueRuns): DueEdge {
    const workflows = listed(of);
    const known = this.#edges.get(workflows);
    if (known !== undefined) return known;
    const edge = new DueEdge();
    this.#edges.set(workflows, edge);
    return edge;
  }

  async #isAnyDue(
    of: DueRuns & { readonly nowMs: number },
    named: NamedQueues | null,
    fromMs: number,
  ): Promise<boolean> {
    const { database, clock } = this.#setup;
    const nowMs = clock.toServer(of.nowMs);
    const values = [nowMs, 1, listed(of)];
    if (named === null) return (await database.all(anyDue, [...values, fromMs])).length > 0;
    return (await database.all(anyDueOfAll, [...values, ...named.values, fromMs])).length > 0;
  }

  async #claimDue(
    lease: DueRequest,
    named: NamedQueues | null,
    fromMs: number,
  ): Promise<{ readonly claimed: ClaimedRun[]; readonly look: DueLook }> {
    const { database, clock, queues } = this.#setup;
    return this.#asOwner(lease.owner, (owner) =>
      database.write(async (transaction) => {
        transaction.send(walkIndexes, []);
        const times = { nowMs: clock.toServer(lease.nowMs), untilMs: clock.toServer(lease.untilMs) };
        const { rows, look } = await this.#take(transaction, lease, { owner, fromMs, ...times });
        const claimed = await this.#claimed(transaction, rows, owner);
        // An empty claim stores nothing: others would see a batch, and read what has changed.
        if (named === null && claimed.length === 0) transaction.discard();
        if (named === null) return { claimed, look };
        const limit = atMost(lease.limit) - claimed.length;
        const placed = await queues.take(transaction, named, { ...times, owner, limit });
        if (placed.length === 0) return { claimed, look };
        const placedRows = await transaction.all(takenPlaces, [numbers(placed)]);
        return { claimed: [...claimed, ...(await this.#claimed(transaction, placedRows, owner))], look };
      }),
    );
  }

  async #take(
    transaction: Transaction,
    of: DueRuns & { readonly limit: number },
    { owner, fromMs, nowMs, untilMs }: Taking,
  ): Promise<{ readonly rows: readonly Row[]; readonly look: DueLook }> {
    const startedAtMs = performance.now();
    const index = `${quoted(this.#setup.database.path)}.runs_due`;
    const values = [nowMs, atMost(of.limit), listed(of), owner, untilMs, fromMs, index];
    const rows = await transaction.all(takeDue(of.limit), values);
    const last = rows.at(-1);
    const lastAtMs = rows.length < of.limit ? nowMs : (last?.["due_at"] as number);
    const look = {
      fromMs,
      emptyBeforeMs: Math.min(nowMs, lastAtMs),
      entries: (last?.["entries"] as number | undefined) ?? 0,
      tookMs: performance.now() - startedAtMs,
    };
    return { rows, look };
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

  async nextWakeAtMs({ heldAfterMs, ...of }: DueRuns & { readonly heldAfterMs?: number }): Promise<number | null> {
    const { database, clock, queues } = this.#setup;
    await clock.refresh();
    const named = await queues.find(of);
    const edge = this.#edgeOf(of);
    const fromMs = heldAfterMs === undefined ? edge.from() : everything;
    const startedAtMs = performance.now();
    const [row] = await (named === null
      ? database.all(nextWake, [listed(of), fromMs])
      : database.all(nextWakeOrPlace, [listed(of), ...named.values, fromMs]));
    if (fromMs === everything) edge.lookedWhole(performance.now() - startedAtMs);
    if (typeof row?.["at"] === "number") edge.found(row["at"]);
    const held = heldAfterMs === undefined ? [] : [listed(of), clock.toServer(heldAfterMs), named?.ids ?? "{}"];
    const [next] = held.length === 0 ? [] : await database.all(nextHeld, held);
    const times = [row?.["at"], row?.["place_at"], next?.["at"]] as (number | null | undefined)[];
    const atMs = earliest(times.map((time) => time ?? null));
    return atMs === null ? null : clock.toCaller(atMs);
  }

  /** Runs `work` with the number of the owner, and again when the row with that number is gone. */
  async #asOwner<Result>(name: string, work: (id: number) => Promise<Result>): Promise<Result> {
    const { owners } = this.#setup;
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

function listed({ workflows }: DueRuns): string | null {
  return workflows === undefined ? null : texts(workflows);
}
