/** On a line of input, claims what is due in small groups, ends each run with one tick, and prints its id, until none is left. */
import { once } from "node:events";
import { writeSync } from "node:fs";
import type { SqliteDriverName } from "../../src/index.js";
import { sqliteStore } from "../../src/index.js";
import { commitOf, completed, patienceMs, ticksOf } from "../runs.js";

const [path, driver, owner] = process.argv.slice(2) as [string, SqliteDriverName, string];
const store = sqliteStore(path, { driver, durability: "process", busyTimeoutMs: patienceMs });
writeSync(1, "ready\n");
await once(process.stdin, "data");
for (;;) {
  const claimed = await store.claimDue({ owner, nowMs: 2_000, untilMs: 60_000, limit: 3 });
  if (claimed.length === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 1)); // the other one's turn
  const results = await store.commit(claimed.map((run) => commitOf(run, { ticks: ticksOf(1), ...completed })));
  for (const [index, { status }] of results.entries()) writeSync(1, `${status} ${claimed[index]?.run.key.runId}\n`);
}
await store.close();
process.exit(0);
