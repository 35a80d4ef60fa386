/** Executes the runs, and the jobs, of a file. */
import { workOn } from "@millrace/conformance/bulk-worker";
import { sqliteStore } from "../../src/index.js";
import { patienceMs } from "../runs.js";

const [path] = process.argv.slice(2) as [string];
await workOn(sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs, pollMs: 50 }));
