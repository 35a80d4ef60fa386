/** The desk over HTTP, with the studio: `npm start`, then send a letter. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { desk } from "./flows.js";

const port = Number(process.env["PORT"] ?? 3000);
const runtime = createRuntime({ workflows: { desk }, store: sqliteStore(process.env["DATA"] ?? "runs.db") });
await runtime.start(); // continues what a crash interrupted
serve({ fetch: createServer({ runtime, studio: true }).fetch, port, hostname: "127.0.0.1" });
console.log(`http://localhost:${port}/studio/`);
console.log(
  `curl -H content-type:application/json -d '{"start_event":{"from":"ada@example.com","text":"B-2 arrived broken"}}' http://localhost:${port}/workflows/desk/run-nowait`,
);
