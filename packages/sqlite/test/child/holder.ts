/** Claims a run and prints its epoch. On each line of input it commits a tick and prints the status. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { SqliteDriverName } from "../../src/index.js";
import { sqliteStore } from "../../src/index.js";
import { commitOf, commitOne, keyOf, patienceMs, ticksOf } from "../runs.js";

const [path, driver, owner, runId] = process.argv.slice(2) as [string, SqliteDriverName, string, string];
const store = sqliteStore(path, { driver, durability: "process", busyTimeoutMs: patienceMs });
const claimed = await store.claim(keyOf(runId), { owner, nowMs: 2_000, untilMs: 60_000 });
if (claimed === null) throw new TypeError("the run is not free");
writeSync(1, `${claimed.run.epoch}\n`);
let tick = claimed.run.ticks;
for await (const _ of createInterface({ input: process.stdin })) {
  tick += 1;
  writeSync(1, `${await commitOne(store, commitOf(claimed, { ticks: ticksOf(tick) }))}\n`);
}
