/** A server of the desk over a file of SQLite: `node desk-process.ts DATABASE PORT LOG`. */
import { appendFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { a2aHandler, pushNotifications } from "../../src/index.js";
import { desk } from "./desk.js";
import { secret } from "./secret.js";

const [, , database = "", port = "", log = ""] = process.argv;
const push = pushNotifications({
  secrets: [secret],
  allow: ({ hostname }) => hostname === "127.0.0.1",
  retry: { next: () => 200 },
});
const workflows = { ...desk((line) => appendFileSync(log, `${line}\n`)), outbox: push.workflow };
const runtime = createRuntime({ workflows, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();
const card = { name: "Travel desk", description: "Books flights.", version: "1.0.0" };
const a2a = a2aHandler(runtime, { card, skills: { booking: "Books a flight to a city." }, push });
serve({ fetch: createServer({ runtime, a2a }).fetch, port: Number(port), hostname: "127.0.0.1" }, () =>
  process.send?.("ready"),
);
