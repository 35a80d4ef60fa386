import { hashOf, types } from "../text/values.js";
import type { PostgresClient, PostgresQuery, PostgresResult } from "./driver.types.js";

/** A name in SQL, as it is. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export type Row = { readonly [column: string]: unknown };

/** Milliseconds without an answer, after which a connection counts as lost. */
const longestAnswerMs = 60_000;
/** A busy server takes as long for a commit. */
const shortestAnswerMs = 5_000;

/** Milliseconds, so that a process that stops in a transaction does not keep its locks. */
export const limits = { lock_timeout: 10_000, idle_in_transaction_session_timeout: 10_000 };

const begin = "BEGIN ISOLATION LEVEL READ COMMITTED";
const setLimits = Object.entries(limits).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);

export interface StatementSetup {
  readonly prepare: boolean;
  /** Whether the connections have {@link limits}. Otherwise each transaction sets them for itself. */
  readonly isLimited: boolean;
}

/** The statements of one schema: `@name` becomes a name in it. */
export class Statements {
  readonly #schema: string;
  readonly #prepare: boolean;
  readonly #known = new Map<string, { readonly text: string; readonly name: string }>();
  /** Time limit of an answer, as {@link longestAnswerMs}, until the first lease. */
  answerMs: number = longestAnswerMs;

  /** Begins a transaction. */
  readonly begin: string;
  /** Whether a statement has the limits of a transaction also without {@link begin}. */
  readonly isLimited: boolean;

  constructor(schema: string, { prepare, isLimited }: StatementSetup) {
    this.begin = isLimited ? begin : [begin, ...setLimits].join("; ");
    this.isLimited = isLimited;
    this.#schema = quoted(schema);
    this.#prepare = prepare;
  }

  /** A connection that has died is noticed in time to do the same on another one before the lease ends. */
  leaseFor(ms: number): void {
    this.answerMs = Math.min(this.answerMs, Math.max(shortestAnswerMs, ms / 2));
  }

  /** Returns a text with many variants for one use: nothing of it is kept. */
  once(text: string): string {
    return text.replace(/@(\w+)/g, `${this.#schema.replaceAll("$", "$$$$")}.$1`);
  }

  query(text: string, values: unknown[]): PostgresQuery {
    let known = this.#known.get(text);
    if (known === undefined) {
      const whole = this.once(text);
      known = { text: whole, name: `millrace_${hashOf(whole).toString("hex", 0, 12)}` };
      this.#known.set(text, known);
    }
    const query = { text: known.text, values, types, query_timeout: this.answerMs };
    return this.#prepare ? { ...query, name: known.name } : query;
  }
}

/** A connection that is in use for one thing. */
export class Session {
  readonly statements: Statements;
  readonly #client: PostgresClient;
  #isGathering = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: PostgresClient, statements: Statements) {
    this.#client = client;
    this.statements = statements;
    // Without a listener, a connection that breaks would end the process. The queries on it fail, too, and their callers
    // handle it.
    client.on("error", ignore);
  }

  async all(text: string, values: unknown[]): Promise<readonly Row[]> {
    return rowsOf(await this.#send(this.statements.query(text, values)));
  }

  async allOnce(text: string, values: unknown[]): Promise<readonly Row[]> {
    const query = { text: this.statements.once(text), values, types, query_timeout: longestAnswerMs };
    return rowsOf(await this.#send(query));
  }

  /** Several statements without values. Returns the result of the last one. */
  async run(text: string): Promise<string | null> {
    const result = await this.#send({ text: this.statements.once(text), query_timeout: this.statements.answerMs });
    return (Array.isArray(result) ? result.at(-1) : result)?.command ?? null;
  }

  #send(query: PostgresQuery): Promise<PostgresResult | PostgresResult[]> {
    return this.#client.pipeline === true ? this.#sendAtOnce(query) : this.#sendInTurn(query);
  }

  /** A client without a pipeline would queue statements, which `pg` 8 warns about and `pg` 9 refuses. */
  #sendInTurn(query: PostgresQuery): Promise<PostgresResult | PostgresResult[]> {
    const answer = this.#last.then(() => this.#client.query(query));
    this.#last = answer.catch(ignore); // its sender gets the error
    return answer;
  }

  /** Sends the statements of a transaction together: separate packets would wake the server each time. */
  #sendAtOnce(query: PostgresQuery): Promise<PostgresResult | PostgresResult[]> {
    const stream = this.#client.connection?.stream;
    if (!this.#isGathering && stream?.cork !== undefined) {
      this.#isGathering = true;
      stream.cork();
      // `nextTick` runs after the current calls, and after the promises that they have settled.
      process.nextTick(() => {
        this.#isGathering = false;
        stream.uncork?.();
      });
    }
    return this.#client.query(query);
  }

  /** @param isBroken It is closed, and never used again. */
  release(isBroken: boolean): void {
    if (!isBroken) this.#client.removeListener("error", ignore);
    this.#client.release(isBroken);
  }
}

function rowsOf(result: PostgresResult | PostgresResult[]): readonly Row[] {
  return ((Array.isArray(result) ? result.at(-1) : result)?.rows ?? []) as Row[];
}

function ignore(): void {}
