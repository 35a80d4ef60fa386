import { createHash } from "node:crypto";
import { checkOptions, oneOf, type Rules, unchecked, wholeNumber } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { resolveDriver, type SqliteDriver, type SqliteDriverName } from "./connection/driver.js";
import { FileDatabase } from "./connection/file-database.js";
import { processes } from "./connection/machine.js";
import { Watchers } from "./connection/watchers.js";
import { checkIdentity, migrate } from "./schema/migrate.js";
import { migrations } from "./schema/schema.js";
import { createSqlStore } from "./sql-store.js";
import { isBusy } from "./store-error.js";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /**
   * What an acknowledged commit survives. `"power"`: a loss of power; each group of commits waits once for the disk.
   * `"process"`: a crash of the process; a loss of power may lose the last commits, but never damages the file.
   *
   * @default "power"
   */
  readonly durability?: "power" | "process";
  /** SQLite module to use. @default `"node:sqlite"` if Node has it, otherwise `"better-sqlite3"` */
  readonly driver?: SqliteDriver | SqliteDriverName;
  /**
   * Milliseconds to wait for another process that writes, before `STORE_BUSY`. The wait blocks this process.
   *
   * @default 5000
   */
  readonly busyTimeoutMs?: number;
  /** Milliseconds between polls for commits of other processes, while there are watchers: 50 to 1000. @default 200 */
  readonly pollMs?: number;
}

/**
 * Creates a {@link RunStore} in one SQLite file, which several processes of one machine may share.
 *
 * Opens the file at once, or creates it; its directory must exist.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_CORRUPT`, `STORE_READ_ONLY`, `STORE_BUSY`,
 * `STORE_FULL` or `STORE_FAILED`, if the file cannot be used; `OPTION_INVALID`.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): RunStore {
  const besides = typeof path === "string" && path !== "" ? [] : ["the first argument is not the path of a file"];
  checkOptions("The options of the SQLite store are wrong", options, { rules, besides });
  const { durability = "power", busyTimeoutMs = 5_000, pollMs = 200 } = options;
  const driver = resolveDriver(options.driver);
  const database = openDatabase(path, { driver, durability, busyTimeoutMs });
  return createSqlStore({ database, hash: hashOf, processes, watchers: new Watchers({ database, everyMs: pollMs }) });
}

const rules: Rules<SqliteStoreOptions> = {
  durability: oneOf("power", "process"),
  busyTimeoutMs: wholeNumber(0, 600_000),
  pollMs: wholeNumber(50, 1_000),
  ...unchecked("driver"),
};

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

interface OpenOptions extends Required<Pick<SqliteStoreOptions, "durability" | "busyTimeoutMs">> {
  readonly driver: SqliteDriver;
}

/** Opens the file, or creates it, and migrates its tables to this version. */
function openDatabase(path: string, { driver, durability, busyTimeoutMs }: OpenOptions): FileDatabase {
  const database = new FileDatabase(path, driver);
  try {
    database.guard(() => {
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      // The check precedes the first write: a file of another program must stay unchanged. It runs in a read transaction,
      // because another process may be creating the file.
      database.read(() => checkIdentity(database, migrations.length));
      // Takes effect in a new file. A commit of one run writes three or four pages to the log, whatever their size.
      database.exec("PRAGMA page_size = 4096");
      // The busy timeout of SQLite does not cover this lock.
      patiently(busyTimeoutMs, () => database.exec("PRAGMA journal_mode = WAL"));
      database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
      database.exec("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY");
      migrate(database, migrations);
      // Changes nothing, but fails when the file is read-only.
      database.exec("UPDATE owners SET pid = pid WHERE owner IS NULL");
      database.watchFile();
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Retries while another process has the lock. Blocks, like SQLite's own waiting. */
function patiently(timeoutMs: number, work: () => void): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const pauseMs = 5;
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
      Atomics.wait(pause, 0, 0, pauseMs);
    }
  }
}
