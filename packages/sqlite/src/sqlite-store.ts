import { createHash } from "node:crypto";
import { checkOptions, oneOf, type Rules, unchecked, wholeNumber } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { resolveDriver, type SqliteDriver, type SqliteDriverName } from "./connection/driver.js";
import { processes } from "./connection/machine.js";
import { openDatabase } from "./open.js";
import { createSqlStore } from "./sql-store.js";
import { Watchers } from "./connection/watchers.js";

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
