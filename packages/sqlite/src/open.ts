import type { SqliteDriver } from "./driver.js";
import { FileDatabase } from "./file-database.js";
import { checkIdentity, migrate } from "./migrate.js";
import { migrations } from "./schema.js";
import { isBusy } from "./store-error.js";

export interface OpenOptions {
  readonly driver: SqliteDriver;
  readonly durability: "power" | "process";
  readonly busyTimeoutMs: number;
}

/** Opens the file, makes it where it is not there, and brings its tables to this version. */
export function openDatabase(path: string, { driver, durability, busyTimeoutMs }: OpenOptions): FileDatabase {
  const database = new FileDatabase(path, driver);
  try {
    database.guard(() => {
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      // Before anything is written: a file of another program stays as it is. At one moment: another process may be making it.
      database.read(() => checkIdentity(database, migrations.length));
      // Of a new file. A snapshot of up to 2 kB then fits into the page of its neighbours, ticks and events of up to 8 kB.
      database.exec("PRAGMA page_size = 8192");
      // SQLite does not wait for this lock by itself.
      patiently(busyTimeoutMs, () => database.exec("PRAGMA journal_mode = WAL"));
      database.exec(`PRAGMA synchronous = ${durability === "power" ? "FULL" : "NORMAL"}`);
      database.exec("PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY");
      migrate(database, migrations);
      // Changes nothing, but SQLite refuses it when the file cannot be written to.
      database.exec("UPDATE owners SET pid = pid WHERE owner IS NULL");
      database.watchFile();
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Tries again while another process has the lock. Blocks, as SQLite's own waiting does. */
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
