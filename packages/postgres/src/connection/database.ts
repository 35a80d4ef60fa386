import { setTimeout as sleep } from "node:timers/promises";
import { storeClosed } from "millrace/engine";
import { failureOf, mismatchCodes, poolUsedUp, sqlStateOf, toStoreError } from "../store-error.js";
import type { PostgresClient, PostgresPool } from "./driver.types.js";
import { isStored, type Lane, Lanes } from "./lanes.js";
import { type Row, Session, type Statements } from "./session.js";
import { Transaction } from "./transaction.js";

export interface DatabaseSetup {
  readonly pool: PostgresPool;
  /** Name of the store in errors: its schema. */
  readonly path: string;
  readonly statements: Statements;
  /** Distinguishes the stores of a database. */
  readonly writer: string;
  /** Milliseconds for which a call is repeated. */
  readonly retryMs: number;
  /** Makes the tables. Called before the first use, again when it has failed. */
  readonly open: (session: Session) => Promise<void>;
  /** Closes what the store has opened itself. */
  readonly end: () => Promise<void>;
}

/** @param attempt 0, then 1 and so on when others have made the transaction fail. */
export type Work<Result> = (transaction: Transaction, attempt: number) => Promise<Result>;

/** Access to the tables: every call is repeated while the server cannot be reached or others are in its way. */
export class Database {
  readonly path: string;
  readonly #setup: DatabaseSetup;
  readonly #lanes: Lanes;
  #opening: Promise<void> | null = null;
  #isClosed = false;

  constructor(setup: DatabaseSetup) {
    this.path = setup.path;
    this.#setup = setup;
    this.#lanes = new Lanes(setup.writer);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Called with the length of leases, in milliseconds. */
  leaseFor(ms: number): void {
    this.#setup.statements.leaseFor(ms);
  }

  all(text: string, values: unknown[]): Promise<readonly Row[]> {
    return this.use((session) => session.all(text, values));
  }

  /** Runs a text with many variants, which is not prepared. */
  allOnce(text: string, values: unknown[]): Promise<readonly Row[]> {
    return this.use((session) => session.allOnce(text, values));
  }

  /** Runs work that may be done twice. */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    await this.#open();
    return this.#repeat(() => this.#withSession(work));
  }

  /** Stores everything, or nothing when `work` throws. Never twice, also when an answer was lost. */
  async write<Result>(work: Work<Result>): Promise<Result> {
    await this.#open();
    return this.#repeat((attempt, deadlineMs) => this.#transact(work, attempt, deadlineMs));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#setup.end();
  }

  #open(): Promise<void> {
    this.#opening ??= this.#repeat(() => this.#withSession(this.#setup.open)).catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #transact<Result>(work: Work<Result>, attempt: number, deadlineMs: number): Promise<Result> {
    const session = await this.#connect();
    let lane: Lane;
    try {
      lane = await this.#lanes.take(session);
    } catch (error) {
      session.release(true);
      throw error;
    }
    const transaction = new Transaction(session, lane);
    let stored: { readonly result: Result } | null = null;
    try {
      stored = { result: await work(transaction, attempt) };
      await transaction.commit();
      session.release(false);
      this.#lanes.release(lane);
      return stored.result;
    } catch (error) {
      const isLost = failureOf(error) === "lost";
      const isRolledBack = !isLost && (await rolledBack(transaction));
      session.release(!isRolledBack);
      // A connection whose row was removed is not used again.
      if (isRolledBack && sqlStateOf(error) !== mismatchCodes.lane) this.#lanes.release(lane);
      if (!isLost || !transaction.isCommitting || stored === null) throw error;
      const wasStored = await this.#wasStored(lane, deadlineMs);
      this.#lanes.release(lane);
      if (wasStored) return stored.result;
      throw error;
    }
  }

  async #wasStored(lane: Lane, deadlineMs: number): Promise<boolean> {
    try {
      return await this.#repeat(() => this.#withSession((session) => isStored(session, lane)), deadlineMs);
    } catch (error) {
      throw toStoreError((error as { readonly cause?: unknown }).cause ?? error, this.path, true);
    }
  }

  async #repeat<Result>(
    attempt: (number: number, deadlineMs: number) => Promise<Result>,
    deadlineMs: number = performance.now() + this.#setup.retryMs,
  ): Promise<Result> {
    for (let number = 0; ; number++) {
      if (this.#isClosed) throw storeClosed(this.path);
      try {
        return await attempt(number, deadlineMs);
      } catch (error) {
        // A pool that was ended fails like a connection that was lost.
        if (this.#isClosed) throw storeClosed(this.path);
        const failure = failureOf(error);
        const pauseMs =
          failure === "repeat" && number === 0 ? 0 : Math.min(1_000, 10 * 2 ** number) * (0.5 + Math.random());
        if (failure === "final" || performance.now() + pauseMs > deadlineMs) throw toStoreError(error, this.path);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    }
  }

  async #withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.#connect();
    try {
      const result = await work(session);
      session.release(false);
      return result;
    } catch (error) {
      session.release(true);
      throw error;
    }
  }

  /** A connection of the pool. A pool may make everybody wait for as long as it likes. */
  async #connect(): Promise<Session> {
    const { pool, statements } = this.#setup;
    const patienceMs = Math.max(1_000, this.#setup.retryMs);
    const connecting = pool.connect();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs);
    });
    const client: PostgresClient | null = await Promise.race([connecting, late]).finally(() => clearTimeout(timer));
    if (client !== null) return new Session(client, statements);
    connecting.then(
      (unused) => unused.release(),
      () => undefined, // it is no longer awaited
    );
    throw poolUsedUp(this.path, patienceMs);
  }
}

async function rolledBack(transaction: Transaction): Promise<boolean> {
  return transaction.rollback().then(
    () => true,
    () => false, // the connection is closed instead
  );
}
