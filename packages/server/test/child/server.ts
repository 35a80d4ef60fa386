/**
 * A real server over a SQLite file: `server.ts <file> <options as JSON>`. Prints its port. With a line on its standard input it
 * stops as a deploy would.
 */
import { createInterface } from "node:readline";
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { bearerAuth, createServer } from "../../src/index.js";
import { workflows } from "./workflows.js";

/** Longer than a machine stalls: a run whose lease runs out starts its steps over. The next process need not wait for the end of it. */
const LEASE_MS = 10_000;
/** Longer than any test: the server would close a connection just when the next request is sent on it. */
const serverOptions = { keepAliveTimeout: 300_000 };

const [file = "", text = "{}"] = process.argv.slice(2);
const { tokens, port = 0, ...options } = JSON.parse(text);
const store = sqliteStore(file, { durability: "process" });
const log = { info: () => {}, error: (message: string) => console.log(`log ${message}`) };
const runtime = createRuntime({ workflows, store, log, leaseMs: LEASE_MS });
await runtime.start();

const auth = tokens === undefined ? {} : { auth: bearerAuth({ tokens }) };
const app = createServer({ runtime, log, ...auth, ...options });
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1", serverOptions }, (address) =>
  console.log(`port ${address.port}`),
);

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "memory") {
    (globalThis as { gc?: () => void }).gc?.();
    console.log(`memory ${process.memoryUsage().heapUsed}`);
    continue;
  }
  await runtime.stop({ drainMs: 1_000 });
  server.close();
  process.exit(0);
}
