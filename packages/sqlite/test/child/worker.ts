/** A runtime that executes the workflows of `counting.ts`. Prints `ready`, and what it logs. */
import { writeSync } from "node:fs";
import { createRuntime } from "millrace/runtime";
import { sqliteStore } from "../../src/index.js";
import { counting } from "../counting.js";
import { patienceMs } from "../runs.js";

const [path] = process.argv.slice(2) as [string];
const log = { info() {}, error: (message: string) => void writeSync(1, `log ${message}\n`) };
const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs });
const runtime = createRuntime({ workflows: counting, store, log });
await runtime.start();
writeSync(1, "ready\n");
