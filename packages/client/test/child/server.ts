/** A real server over a SQLite file: `server.ts <file> <port> <streamsPerClient>`. Prints its port. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { workflows } from "./workflows.js";

const [file = "", port = "0", streamsPerClient = "100"] = process.argv.slice(2);
const store = sqliteStore(file, { durability: "process" });
const runtime = createRuntime({ workflows, store, leaseMs: 1_000 });
await runtime.start();

const app = createServer({
  runtime,
  cors: { origins: ["*"] },
  limits: { streamsPerClient: Number(streamsPerClient) },
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, (address) => console.log(address.port));
