/** Opens the file on a line of input and creates a run in it. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import type { SqliteDriverName } from "../../src/index.js";
import { sqliteStore } from "../../src/index.js";
import { commitOne, creationOf, patienceMs } from "../runs.js";

const [path, driver, runId] = process.argv.slice(2) as [string, SqliteDriverName, string];
writeSync(1, "ready\n");
await once(process.stdin, "data");
const store = sqliteStore(path, { driver, busyTimeoutMs: patienceMs });
writeSync(1, `${await commitOne(store, creationOf(runId, null))}\n`);
await store.close();
process.exit(0);
