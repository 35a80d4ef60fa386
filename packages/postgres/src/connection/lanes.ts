/**
 * How a writer finds out what became of a transaction whose answer was lost with its connection.
 *
 * Every transaction writes its batch number into the row of its lane. Afterwards that row says whether the batch was
 * stored; asking sets a fence first, so that a batch which has not come yet never will be.
 *
 * @module
 */
import { surprises } from "../store-error.js";
import type { Session } from "./session.js";

export interface Lane {
  readonly id: number;
  batch: number;
  usedAtMs: number;
}

const add = "INSERT INTO @lanes (writer) VALUES ($1) RETURNING id";
const clean = "DELETE FROM @lanes WHERE seen_at < now() - interval '7 days'";
/** A part of a statement that makes it the next batch of a lane, and what has to be selected then. */
export function asBatch(lane: string, batch: string): { readonly part: string; readonly check: string } {
  return {
    part: `lane AS (
      UPDATE @lanes SET batch = ${batch}, seen_at = now() WHERE id = ${lane} AND batch < ${batch} AND fence < ${batch} RETURNING 1
    )`,
    check: `@expect((SELECT count(*) FROM lane), 1, '${surprises.lane}')`,
  };
}

const { part, check } = asBatch("$1", "$2");
const take = `WITH ${part} SELECT ${check}`;
const fence = "UPDATE @lanes SET fence = greatest(fence, $2) WHERE id = $1 RETURNING batch";

/** After a day without use, the row may soon be cleaned away. */
const freshMs = 86_400_000;

/** So long the server may take to end what a lost connection has left: until then, that keeps the row of the lane locked. */
const restMs = 60_000;

/** The lanes of one store: one for each transaction at a time. */
export class Lanes {
  readonly #writer: string;
  readonly #free: Lane[] = [];
  readonly #resting: { readonly lane: Lane; readonly untilMs: number }[] = [];

  constructor(writer: string) {
    this.#writer = writer;
  }

  async take(session: Session): Promise<Lane> {
    const lane = this.#free.pop() ?? this.#rested();
    if (lane !== undefined && Date.now() - lane.usedAtMs < freshMs) return lane;
    const [row] = await session.all(add, [this.#writer]);
    await session.all(clean, []);
    return { id: row?.["id"] as number, batch: 0, usedAtMs: Date.now() };
  }

  give(lane: Lane): void {
    lane.usedAtMs = Date.now();
    this.#free.push(lane);
  }

  /** After its connection was lost: what may still come of its last batch is refused once the next one is stored. */
  giveLater(lane: Lane): void {
    lane.usedAtMs = Date.now();
    this.#resting.push({ lane, untilMs: performance.now() + restMs });
  }

  #rested(): Lane | undefined {
    const first = this.#resting[0];
    return first !== undefined && first.untilMs <= performance.now() ? this.#resting.shift()?.lane : undefined;
  }
}

/** The statement that makes a transaction the next batch of the lane. */
export function nextBatch(lane: Lane): { readonly text: string; readonly values: unknown[] } {
  lane.batch++;
  return { text: take, values: [lane.id, lane.batch] };
}

/** Whether the last batch of the lane was stored. If not, it never will be. */
export async function isStored(session: Session, lane: Lane): Promise<boolean> {
  const [row] = await session.all(fence, [lane.id, lane.batch]);
  return row?.["batch"] === lane.batch;
}
