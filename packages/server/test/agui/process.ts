/** The desk over AG-UI and a file of SQLite: `node process.ts DATABASE MODEL_URL PORT LOG [PAGE]`. */
import { appendFileSync, readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { desk } from "../../../ai-sdk/test/support/desk.js";
import { aguiHandler } from "../../src/agui.js";
import { createServer } from "../../src/index.js";

const [, , database = "", url = "", port = "", log = "", page = ""] = process.argv;
const agent = desk({ url, executed: (line) => appendFileSync(log, `${line}\n`) });
const runtime = createRuntime({ workflows: { desk: agent.workflow }, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();
const app = createServer({ runtime, agui: aguiHandler(runtime) });

const html = '<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/page.js"></script>';

function answer(request: Request): Promise<Response> | Response {
  const { pathname } = new URL(request.url);
  if (pathname === "/") return new Response(html, { headers: { "content-type": "text/html" } });
  if (pathname !== "/page.js") return app.fetch(request) as Promise<Response>;
  return new Response(readFileSync(page), { headers: { "content-type": "text/javascript" } });
}

serve({ fetch: answer, port: Number(port), hostname: "127.0.0.1" }, () => process.send?.("ready"));
