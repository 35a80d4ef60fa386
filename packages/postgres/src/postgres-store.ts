import { randomUUID } from "node:crypto";
import { checkOptions, flag, type Rule, type Rules, valueRule, wholeNumber } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import pg from "pg";
import { Database } from "./connection/database.js";
import type { PostgresClient, PostgresPool } from "./connection/driver.types.js";
import type { Line } from "./connection/notices.js";
import { migrate } from "./schema/migrate.js";
import { limits, Statements } from "./connection/session.js";
import { createSqlStore } from "./sql-store.js";
import { Watchers } from "./connection/watchers.js";

/** Options of `postgresStore`: `connectionString` or `pool`. */
export interface PostgresStoreOptions {
  /** Where the database is: `postgres://user:password@host:5432/database`. The store opens its own connections. */
  readonly connectionString?: string;
  /** A pool of `pg`, which the store uses and does not end. */
  readonly pool?: PostgresPool;
  /** Schema of the tables. It is created where it does not exist. @default "millrace" */
  readonly schema?: string;
  /** The most connections at a time, with `connectionString`: 1 to 1000. One more listens. @default 10 */
  readonly maxConnections?: number;
  /**
   * Prepares each statement once per connection. Set it to `false` behind a pooler that assigns every transaction another
   * connection, such as pgbouncer in transaction mode.
   *
   * @default true
   */
  readonly prepare?: boolean;
  /**
   * Whether a connection waits for what other processes commit; without, the store only looks every `pollMs`. A text is a
   * connection string for it, past a pooler.
   *
   * @default `true` with `connectionString`; `false` with `pool`, of which `true` keeps one connection in use
   */
  readonly listen?: boolean | string;
  /** Milliseconds between polls for commits of other processes, while there are watchers: 50 to 60000. @default 2500 */
  readonly pollMs?: number;
  /**
   * Milliseconds for which a call is repeated while the server cannot be reached, takes no writes or has rolled it back.
   * 0 to 600000. @default 15000
   */
  readonly retryMs?: number;
}

/**
 * Creates a {@link RunStore} in PostgreSQL, which any number of processes on any machines may share.
 *
 * Connects with its first call, and creates or migrates its tables then. Calls reject with a {@link WorkflowError}:
 * `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_READ_ONLY`, `STORE_FULL`, `STORE_FOREIGN`, `STORE_NEWER`, `STORE_CORRUPT`,
 * `STORE_CLOSED` or `STORE_FAILED`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export function postgresStore(options: PostgresStoreOptions): RunStore {
  check(options);
  const { schema = "millrace", prepare = true, pollMs = 2_500, retryMs = 15_000 } = options;
  const { pool, end, line } = connectionsOf(options);
  const writer = randomUUID();
  const statements = new Statements(schema, { prepare, isLimited: pool !== options.pool && prepare });
  const database = new Database({
    pool,
    path: schema,
    statements,
    writer,
    retryMs,
    open: (session) => migrate(session, schema),
    end,
  });
  return createSqlStore({ database, watchers: new Watchers({ database, writer, line, pollMs }) });
}

interface Connections {
  readonly pool: PostgresPool;
  readonly end: () => Promise<void>;
  readonly line: (() => Promise<Line>) | null;
}

function connectionsOf(options: PostgresStoreOptions): Connections {
  const { connectionString, pool: given, maxConnections = 10, listen = given === undefined } = options;
  const direct = typeof listen === "string" ? listen : connectionString;
  if (given !== undefined) {
    const ofPool = async (): Promise<Line> => lineOf(await given.connect());
    listenForErrors(given);
    const own = direct === undefined ? ofPool : () => directLine(direct);
    return { pool: given, end: async () => undefined, line: listen === false ? null : own };
  }
  const shared = { keepAlive: true, connectionTimeoutMillis: 10_000, application_name: "millrace" };
  // A pooler may refuse them.
  const session = options.prepare === false ? {} : limits;
  const pool = new pg.Pool({
    ...shared,
    ...session,
    connectionString,
    max: maxConnections,
    pipeline: true,
  } as pg.PoolConfig);
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on("error", () => undefined);
  listenForErrors(pool);
  return {
    pool,
    end: () => pool.end(),
    line: listen === false ? null : () => directLine(direct as string),
  };
}

const heard = new WeakSet<PostgresPool>();

/** A new connection may break before the promise of it is kept, and without a listener that would end the process. */
function listenForErrors(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("connect", (client) => client.on("error", () => undefined)); // the next query on it gets the error
}

async function directLine(connectionString: string): Promise<Line> {
  const client = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: 10_000 });
  // A connection that breaks while it is opened rejects below, too.
  client.on("error", () => undefined);
  await client.connect();
  return { client, close: () => void client.end().catch(() => undefined) };
}

function lineOf(client: PostgresClient): Line {
  return { client, close: () => client.release(true) };
}

/** Never shows the text: it holds a password. */
const address: Rule = (text, option) => {
  const isAddress = typeof text === "string" && URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  return text === undefined || isAddress
    ? []
    : [`\`${option}\` is no address like "postgres://user:password@host:5432/database"`];
};

const rules: Rules<PostgresStoreOptions> = {
  connectionString: address,
  pool: (pool) =>
    pool === undefined || typeof (pool as Partial<PostgresPool> | null)?.connect === "function"
      ? []
      : ["`pool` has no method `connect`"],
  schema: valueRule(isSchemaName, 'a name of 1 to 63 bytes that does not begin with "pg_"'),
  prepare: flag,
  listen: (listen, option) => (typeof listen === "boolean" ? [] : address(listen, option)),
  maxConnections: wholeNumber(1, 1_000),
  pollMs: wholeNumber(50, 60_000),
  retryMs: wholeNumber(0, 600_000),
};

function isSchemaName(schema: unknown): boolean {
  if (typeof schema !== "string" || schema.startsWith("pg_")) return false;
  return /^[^\0]+$/.test(schema) && Buffer.byteLength(schema) <= 63 && !/[\uD800-\uDFFF]/u.test(schema);
}

function check(options: PostgresStoreOptions): void {
  const { connectionString, pool, maxConnections } = options ?? {};
  const isOne = (connectionString === undefined) !== (pool === undefined);
  checkOptions("The options of the PostgreSQL store are wrong", options, {
    rules,
    besides: [
      ...(isOne ? [] : ["set either `connectionString` or `pool`"]),
      ...(pool === undefined || maxConnections === undefined ? [] : ["`maxConnections` is that of the `pool`"]),
    ],
  });
}
