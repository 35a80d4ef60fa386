/** Commits batch after batch and prints the number of each once it is acknowledged, until it is killed. */
import { writeSync } from "node:fs";
import type { SqliteDriverName } from "../../src/index.js";
import { sqliteStore } from "../../src/index.js";
import { creationOf, keyOf, ticksOf } from "../runs.js";

const [path, driver] = process.argv.slice(2) as [string, SqliteDriverName];
const store = sqliteStore(path, { driver });
await store.commit([creationOf("run", "writer")]);
for (let tick = 1; ; tick++) {
  const events = [{ sequence: tick - 1, atMs: tick, text: "{}" }];
  const [result] = await store.commit([{ key: keyOf("run"), owner: "writer", epoch: 1, ticks: ticksOf(tick), events }]);
  if (result?.status === "stored") writeSync(1, `${tick}\n`);
}
