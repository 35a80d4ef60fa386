import type { Database } from "./database.js";

const ask = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";

/** A smaller difference is left alone: to measure it takes an answer of the server, which comes late. */
const toleratedMs = 250;
const freshMs = 60_000;

/**
 * The clock of the database, which decides about leases and about when a run is due: machines whose clocks differ must agree.
 * Times come in by the clock of the caller and go out by it.
 */
export class ServerClock {
  readonly #database: Database;
  #offsetMs = 0;
  #measuredAtMs = Number.NEGATIVE_INFINITY;
  #startedAtMs = 0;
  #measuring: Promise<void> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Measures again after a minute, or when the clock of this machine was set. */
  async refresh(): Promise<void> {
    const isFresh = performance.now() - this.#measuredAtMs < freshMs;
    if (isFresh && Math.abs(Date.now() - performance.now() - this.#startedAtMs) < toleratedMs) return;
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = null;
    });
    await this.#measuring;
  }

  toServer(atMs: number): number {
    return shifted(atMs, this.#offsetMs);
  }

  toCaller(atMs: number): number {
    return shifted(atMs, -this.#offsetMs);
  }

  async #measure(): Promise<void> {
    const { offsetMs, errorMs } = await this.#database.use(async (session) => {
      const sentAtMs = Date.now();
      const [row] = await session.all(ask, []);
      const answeredAtMs = Date.now();
      const errorMs = (answeredAtMs - sentAtMs) / 2;
      return { offsetMs: (row?.["now"] as number) - sentAtMs - Math.round(errorMs), errorMs };
    });
    // What was measured before stays as long as it is about right: a lease then ends when it was said to.
    if (Math.abs(offsetMs - this.#offsetMs) > toleratedMs + errorMs) {
      this.#offsetMs = Math.abs(offsetMs) > toleratedMs + errorMs ? offsetMs : 0;
    }
    this.#measuredAtMs = performance.now();
    this.#startedAtMs = Date.now() - performance.now();
  }
}

function shifted(atMs: number, byMs: number): number {
  return byMs === 0 ? atMs : Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, atMs + byMs));
}
