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
    if (isFresh && Math.abs(startedAtMs() - this.#startedAtMs) < toleratedMs) return;
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = null;
    });
    await this.#measuring;
  }

  /** Measures, and returns the times of a lease that were just read by the clock that was measured: it may be set meanwhile. */
  async measured<Times extends { readonly nowMs: number; readonly untilMs?: number }>(times: Times): Promise<Times> {
    const readAtMs = startedAtMs();
    await this.refresh();
    const setByMs = Math.round(this.#startedAtMs - readAtMs);
    if (Math.abs(setByMs) < toleratedMs) return times;
    const { nowMs, untilMs } = times;
    return { ...times, nowMs: nowMs + setByMs, ...(untilMs !== undefined && { untilMs: shifted(untilMs, setByMs) }) };
  }

  toServer(atMs: number): number {
    return shifted(atMs, this.#offsetMs);
  }

  toCaller(atMs: number): number {
    return shifted(atMs, -this.#offsetMs);
  }

  async #measure(): Promise<void> {
    const { offsetMs, errorMs, startedMs } = await this.#database.use(async (session) => {
      const sentAtMs = performance.now();
      const [row] = await session.all(ask, []);
      const errorMs = (performance.now() - sentAtMs) / 2;
      // One reading of the clock, which may have been set since the question was sent.
      const [nowMs, startedMs] = [Date.now(), startedAtMs()];
      return { offsetMs: (row?.["now"] as number) - nowMs + Math.round(errorMs), errorMs, startedMs };
    });
    // An earlier measurement stays while it is about right: a lease then ends at the announced time.
    if (Math.abs(offsetMs - this.#offsetMs) > toleratedMs + errorMs) {
      this.#offsetMs = Math.abs(offsetMs) > toleratedMs + errorMs ? offsetMs : 0;
    }
    this.#measuredAtMs = performance.now();
    this.#startedAtMs = startedMs;
  }
}

/** Returns when this process started, by the present clock: a change shows that the clock was set. */
function startedAtMs(): number {
  return Date.now() - performance.now();
}

function shifted(atMs: number, byMs: number): number {
  return byMs === 0 ? atMs : Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, atMs + byMs));
}
