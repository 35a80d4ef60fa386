/**
 * How a writer finds out what became of a transaction whose answer was lost with its connection.
 *
 * Every transaction adds its batch number, with the number of its lane. Afterwards that row says that the batch was stored;
 * asking adds it as a fence first, so that a batch which has not come yet never will be. A row is added and none changed: an
 * old version of a row that every transaction changes stays for as long as anybody's transaction is open, and each look for
 * the newest one walks all of them.
 *
 * @module
 */
import { mismatchCodes } from "../store-error.js";
import type { Session } from "./session.js";

export interface Lane {
  readonly id: number;
  batch: number;
  readonly madeAtMs: number;
}

const add = "INSERT INTO @lanes (writer) VALUES ($1) RETURNING id";
const clean = `WITH old AS (DELETE FROM @lanes WHERE made_at < now() - interval '7 days' RETURNING id)
  DELETE FROM @batches b USING old WHERE b.lane = old.id`;
/** A part of a statement that makes it the next batch of a lane, and what has to be selected then. */
export function asBatch(lane: string, batch: string): { readonly part: string; readonly check: string } {
  return {
    part: `lane AS (INSERT INTO @batches (lane, batch) SELECT id, ${batch} FROM @lanes WHERE id = ${lane} RETURNING 1)`,
    check: `@expect((SELECT count(*) FROM lane), 1, '${mismatchCodes.lane}')`,
  };
}

const { part, check } = asBatch("$1", "$2");
const take = `WITH ${part} SELECT ${check}`;
const fence = "INSERT INTO @batches (lane, batch, is_fence) VALUES ($1, $2, true) ON CONFLICT DO NOTHING";
const read = "SELECT is_fence FROM @batches WHERE lane = $1 AND batch = $2";

/** Number of batches of a lane after which all but the last are deleted. */
const keptBatches = 256;
const forget = `DELETE FROM @batches WHERE lane = $1 AND batch >= $2 - ${keptBatches} AND batch < $2`;

/** The row of a lane is cleaned away after a week. */
const freshMs = 86_400_000;

/** The lanes of one store: one for each transaction at a time. */
export class Lanes {
  readonly #writer: string;
  readonly #free: Lane[] = [];

  constructor(writer: string) {
    this.#writer = writer;
  }

  async take(session: Session): Promise<Lane> {
    const lane = this.#free.pop();
    if (lane === undefined || Date.now() - lane.madeAtMs > freshMs) {
      const [row] = await session.all(add, [this.#writer]);
      await session.all(clean, []);
      return { id: row?.["id"] as number, batch: 0, madeAtMs: Date.now() };
    }
    if (lane.batch > 0 && lane.batch % keptBatches === 0) await session.all(forget, [lane.id, lane.batch]);
    return lane;
  }

  release(lane: Lane): void {
    this.#free.push(lane);
  }
}

/** The statement that makes a transaction the next batch of the lane. */
export function nextBatch(lane: Lane): { readonly text: string; readonly values: unknown[] } {
  lane.batch++;
  return { text: take, values: [lane.id, lane.batch] };
}

/** Whether the last batch of the lane was stored. If not, it never will be. */
export async function isStored(session: Session, lane: Lane): Promise<boolean> {
  await session.all(fence, [lane.id, lane.batch]);
  const [row] = await session.all(read, [lane.id, lane.batch]);
  return row?.["is_fence"] === false;
}
