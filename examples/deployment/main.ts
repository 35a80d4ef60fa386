import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { workflows } from "./workflows.js";

const { PORT = "8080", DATA = "runs.db", LEAVE_MS = "5000" } = process.env;

const runtime = createRuntime({ workflows, store: sqliteStore(DATA) });
await runtime.start(); // continues the runs that the process before has left
const app = createServer({ runtime }); // give it `auth`, or put it behind what asks who is there

let isReady = true;
const http = serve({
  port: Number(PORT),
  fetch: (request) =>
    new URL(request.url).pathname === "/ready"
      ? new Response(null, { status: isReady ? 204 : 503 })
      : app.fetch(request),
});
await once(http, "listening");
console.log(`listens on ${PORT}`);

process.once("SIGTERM", async () => {
  isReady = false; // the balancer sends no more requests from now on
  await setTimeout(Number(LEAVE_MS)); // until it has noticed
  const closed = once(http, "close");
  http.close(); // takes no new connection
  await runtime.stop({ drainMs: 20_000 }); // steps finish, streams end, runs are released
  await closed; // the last answers have left
  process.exit();
});
