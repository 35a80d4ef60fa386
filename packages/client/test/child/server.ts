/** A real server over a SQLite file: `server.ts <file> <port> <streamsPerClient>`. Prints its port. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { workflows } from "./workflows.js";

/** Longer than a machine stalls: a run whose lease runs out starts its steps over. The next process need not wait for the end of it. */
const LEASE_MS = 10_000;
/** Longer than any test: the server would close a connection just when the next request is sent on it. */
const serverOptions = { keepAliveTimeout: 300_000 };

const [file = "", port = "0", streamsPerClient = "100"] = process.argv.slice(2);
const store = sqliteStore(file, { durability: "process" });
const runtime = createRuntime({ workflows, store, leaseMs: LEASE_MS });
await runtime.start();

const app = createServer({
  runtime,
  cors: { origins: ["*"] },
  limits: { streamsPerClient: Number(streamsPerClient) },
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1", serverOptions }, (address) =>
  console.log(address.port),
);
