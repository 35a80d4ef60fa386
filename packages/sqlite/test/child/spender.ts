/** Spends over a file, until it is killed. */
import { spend } from "@millrace/conformance/spender";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path, url, runs] = process.argv.slice(2) as [string, string, string];
await spend(sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 }), {
  url,
  runs: Number(runs),
});
