/** A process that serves the desk over AG-UI, over SQLite: it is killed by the tests. */
import { appendFileSync, readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { desk } from "../../../ai-sdk/test/support/desk.js";
import { aguiHandler } from "../../src/agui.js";
import { createServer } from "../../src/index.js";

const [file = "", modelUrl = "", port = "", log = "", page = ""] = process.argv.slice(2);
const agent = desk({ url: modelUrl, executed: (line) => appendFileSync(log, `${line}\n`) });
const runtime = createRuntime({
  workflows: { desk: agent.workflow },
  store: sqliteStore(file),
  leaseMs: 1_000,
} as never);
await runtime.start();
const app = createServer({ runtime, agui: aguiHandler(runtime) });
if (page !== "") app.get("/page.js", () => new Response(readFileSync(page)));
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, () => process.send?.("ready"));
