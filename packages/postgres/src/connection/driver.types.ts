/**
 * The parts of `pg` that the store uses, as separate types, so that a pool of any version with these methods fits.
 *
 * @module
 */

/** A pool such as `new pg.Pool()`. The store does not end it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Reports each new connection before it is used. */
  on?(event: "connect", listener: (client: PostgresClient) => void): unknown;
}

/** A connection. Queries that do not wait for each other are answered in their order; without `pipeline`, none are asked. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult | PostgresResult[]>;
  /** Whether it sends a query while another one waits for its answer. */
  readonly pipeline?: boolean;
  release(destroy?: boolean | Error): void;
  on(event: string, listener: (...said: any[]) => void): unknown;
  /** Where it is there, what is sent at once goes out as one packet. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void } };
  removeListener(event: string, listener: (...said: any[]) => void): unknown;
}

export interface PostgresQuery {
  readonly text: string;
  /** Prepares the statement under this name, once per connection. */
  readonly name?: string;
  // Arrays that can be written to, because those of `pg` are.
  readonly values?: unknown[];
  /** Turns values from text, by the number of their type. */
  readonly types?: { getTypeParser(type: number): (text: string) => unknown };
  /** Milliseconds to wait for the answer. */
  readonly query_timeout?: number;
}

export interface PostgresResult {
  readonly rows: unknown[];
  /** Name of the statement that ran: `COMMIT`, or `ROLLBACK` if a commit was requested after a failure. */
  readonly command: string | null;
}
