import type { SqliteDriver } from "./connection/driver.js";
import { FileDatabase } from "./connection/file-database.js";
import { checkIdentity, migrate } from "./schema/migrate.js";
import { migrations } from "./schema/schema.js";
import { isBusy } from "./store-error.js";

export interface OpenOptions {
  readonly driver: SqliteDriver;
  readonly durability: "power" | "process";
  readonly busyTimeoutMs: number;
}

/** Opens the file, or creates it, and migrates its tables to this version. */
export function openDatabase(path: string, { driver, durability, busyTimeoutMs }: OpenOptions): FileDatabase {
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
