import type { DueRuns } from "millrace/runtime";
import type { Transaction } from "../connection/transaction.js";
import { numbers, texts } from "../text/values.js";
import type { Interned } from "./interned.js";
import { leaseUntil } from "./stored-run.js";

const lock = "SELECT id FROM @queues WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE";
const isLater = "r.owner IS NULL AND r.ended_at IS NULL AND r.place IS NULL";
const wantsPlaceForPost = `${isLater} AND r.posted_at IS NOT NULL AND r.status <> 'scheduled'`;
const wantsPlaceBy = (now: string): string => `${isLater} AND r.wake_at <= ${now}`;
const limitsFrom = (first: number): string =>
  [0, 1, 2, 3, 4]
    .map((at) => `$${first + at}::bigint[]`)
    .concat(`$${first + 5}::text[]`)
    .join(", ");
const limits = limitsFrom(1);
const take = `SELECT run FROM @take_places(${limits}, $7, $8, $9, $10)`;

/** When the next run needs a place, and could get one. @param first The number of the first of the queues' values. */
export const nextPlaceAt = (first: number): string => `@next_place_at(${limitsFrom(first)})`;

/**
 * A condition: at `now`, {@link Queues.take} assigns a place, ends a lease or puts a run into the line. It also holds
 * while a start lies ahead by more than its whole window, which the clock was set back for: `take` counts no such start.
 *
 * @param first The number of the first of the queues' values.
 */
export const isPlaceWanted = (now: string, first: number): string => `${nextPlaceAt(first)} <= ${now}
  OR (SELECT true FROM @runs r WHERE r.queue = ANY($${first}::bigint[]) AND ${wantsPlaceForPost} LIMIT 1)
  OR (SELECT true FROM @runs r WHERE r.queue = ANY($${first}::bigint[]) AND ${wantsPlaceBy(now)} LIMIT 1)
  OR (SELECT true FROM @runs r JOIN @owners o ON o.id = r.owner
    WHERE r.queue = ANY($${first}::bigint[]) AND r.owner IS NOT NULL AND r.ended_at IS NULL AND ${leaseUntil} <= ${now} LIMIT 1)
  OR (SELECT true FROM unnest($${first}::bigint[], $${first + 4}::bigint[]) q(id, window_ms)
    JOIN @queue_starts s ON s.queue = q.id AND s.at_ms >= ${now} + q.window_ms LIMIT 1)`;

/** The requested queues, as arguments of the functions of the schema. */
export interface NamedQueues {
  /** A list of their numbers. */
  readonly ids: string;
  readonly values: readonly unknown[];
}

/** Times by the clock of the server. */
interface PlaceRequest {
  readonly nowMs: number;
  readonly limit: number;
  readonly owner: number;
  readonly untilMs: number;
}

/** Decides which runs of queues get a place, with the functions of the schema. */
export class Queues {
  readonly #names: Interned;

  constructor(names: Interned) {
    this.#names = names;
  }

  /** Returns `null` where no queue is named. */
  async find({ queues = [], workflows }: DueRuns): Promise<NamedQueues | null> {
    if (queues.length === 0) return null;
    const ids = numbers(await Promise.all(queues.map(({ name }) => this.#names.id(name))));
    const values = [
      ids,
      numbers(queues.map(({ concurrency }) => concurrency)),
      numbers(queues.map(({ perKey }) => perKey)),
      numbers(queues.map(({ rate }) => rate?.limit ?? null)),
      numbers(queues.map(({ rate }) => rate?.perMs ?? null)),
      workflows === undefined ? null : texts(workflows),
    ];
    return { ids, values };
  }

  /** Locks the queues and returns the runs that now have a place, in the order in which they got it. Needs a transaction. */
  async take(
    transaction: Transaction,
    { ids, values }: NamedQueues,
    { nowMs, limit, owner, untilMs }: PlaceRequest,
  ): Promise<number[]> {
    if (limit < 1) return [];
    const [, rows] = await Promise.all([
      transaction.all(lock, [ids]),
      transaction.all(take, [...values, nowMs, limit, owner, untilMs]),
    ]);
    return rows.map(({ run }) => run as number);
  }
}
