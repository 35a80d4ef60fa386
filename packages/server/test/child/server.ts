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

const [file = "", text = "{}"] = process.argv.slice(2);
const { tokens, port = 0, ...options } = JSON.parse(text);
const store = sqliteStore(file, { durability: "process" });
const log = { info: () => {}, error: (message: string) => console.log(`log ${message}`) };
const runtime = createRuntime({ workflows, store, log, leaseMs: 1_000 });
await runtime.start();

const auth = tokens === undefined ? {} : { auth: bearerAuth({ tokens }) };
const app = createServer({ runtime, log, ...auth, ...options });
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (address) =>
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
