/** A server with chats over a file of SQLite: `node desk-process.ts DATABASE MODEL_URL PORT LOG [PAGE]`. */
import { appendFileSync, readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { chatHandler } from "../../src/index.js";
import { desk } from "./desk.js";

const [, , database = "", url = "", port = "", log = "", page = ""] = process.argv;
const agent = desk({ url, executed: (line) => appendFileSync(log, `${line}\n`) });
const runtime = createRuntime({ workflows: { desk: agent.workflow }, store: sqliteStore(database), leaseMs: 500 });
await runtime.start();
const chats = chatHandler(runtime, { agent: "desk" });

function answer(request: Request): Promise<Response> | Response {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/api/chat")) return chats[request.method as "GET" | "POST" | "DELETE"](request);
  if (pathname === "/page.js")
    return new Response(readFileSync(page), { headers: { "content-type": "text/javascript" } });
  const html =
    '<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/page.js"></script>';
  return new Response(html, { headers: { "content-type": "text/html" } });
}

serve({ fetch: answer, port: Number(port), hostname: "127.0.0.1" }, () => process.send?.("ready"));
