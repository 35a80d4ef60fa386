import { type Lane, nextBatch } from "./lanes.js";
import type { Row, Session } from "./session.js";

/** Settings that are off where statements walk indexes. */
export const walking: readonly string[] = [
  "enable_seqscan",
  "enable_bitmapscan",
  "enable_hashjoin",
  "enable_mergejoin",
  "jit",
];

/**
 * Makes the statements of a transaction walk indexes. A plan that was made while a table was small, and is kept until its
 * statistics change, or reads the whole table if there are many rows.
 */
export const walkIndexes: string = `SELECT ${walking.map((name) => `set_config('${name}', 'off', true)`).join(", ")}`;

/** A statement that can be a separate transaction. */
export interface LoneStatement {
  readonly text: string;
  /** The same, as the next batch of a lane: it takes the values of `nextBatch` after its own. */
  readonly asBatch: string;
}

/**
 * One transaction. Its statements go out without waiting for each other's answers. Where a lone statement is all, it goes out
 * without BEGIN and COMMIT: three answers less to wait for.
 */
export class Transaction {
  readonly #session: Session;
  readonly #lane: Lane;
  readonly #sent: Promise<unknown>[] = [];
  #first: { readonly statement: LoneStatement; readonly values: unknown[] } | null = null;
  #hasBegun = false;
  #failure: { readonly error: unknown } | null = null;
  /** `true` once a lost connection leaves open whether it was stored. */
  isCommitting = false;
  /** `true` if its work has found nothing to store. */
  #isDiscarded = false;

  constructor(session: Session, lane: Lane) {
    this.#session = session;
    this.#lane = lane;
  }

  /** @throws what went wrong first, if something has. */
  async all(text: string, values: unknown[]): Promise<readonly Row[]> {
    this.#begin();
    const answer = this.#session.all(text, values);
    this.#track(answer);
    try {
      return await answer;
    } catch (error) {
      throw this.#failure?.error ?? error;
    }
  }

  /** Does not wait: the commit fails when this does. */
  send(statement: string | LoneStatement, values: unknown[]): void {
    const isLone = typeof statement !== "string";
    if (isLone && !this.#hasBegun && this.#first === null && this.#session.statements.isLimited) {
      this.#first = { statement, values };
      return;
    }
    this.#begin();
    this.#track(this.#session.all(isLone ? statement.text : statement, values));
  }

  /** Makes the end of the transaction roll back. */
  discard(): void {
    this.#isDiscarded = true;
  }

  async commit(): Promise<void> {
    if (this.#isDiscarded) return this.rollback();
    this.isCommitting = true;
    if (this.#first === null) {
      this.#begin();
      this.#track(this.#session.run("COMMIT"));
    } else {
      const { statement, values } = this.#first;
      this.#track(this.#session.all(statement.asBatch, [...values, ...nextBatch(this.#lane).values]));
    }
    await Promise.all(this.#sent);
    if (this.#failure !== null) throw this.#failure.error;
  }

  async rollback(): Promise<void> {
    await Promise.all(this.#sent);
    if (this.#hasBegun) await this.#session.run("ROLLBACK");
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#track(this.#session.run(this.#session.statements.begin));
    const { text, values } = nextBatch(this.#lane);
    this.#track(this.#session.all(text, values));
    const first = this.#first;
    this.#first = null;
    if (first !== null) this.send(first.statement, first.values);
  }

  /** Keeps the first failure: it is the reason of those that follow. */
  #track(answer: Promise<unknown>): void {
    this.#sent.push(
      answer.then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
        },
      ),
    );
  }
}
