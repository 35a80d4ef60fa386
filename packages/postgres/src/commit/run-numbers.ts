import type { Database } from "../connection/database.js";

/** How far the sequence goes at once: `INCREMENT BY` of `run_numbers`. */
const blockSize = 256;
const next = "SELECT nextval('@run_numbers') AS first FROM generate_series(1, $1::int)";

/** Numbers for new runs, known before their rows are written. What a process leaves of a block is never used. */
export class RunNumbers {
  readonly #database: Database;
  #free: number[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reserves this many numbers, in rising order. */
  async take(count: number): Promise<number[]> {
    const missing = count - this.#free.length;
    if (missing > 0) {
      const rows = await this.#database.all(next, [Math.ceil(missing / blockSize)]);
      for (const { first } of rows)
        for (let offset = 0; offset < blockSize; offset++) this.#free.push((first as number) + offset);
    }
    return this.#free.splice(0, count);
  }
}
