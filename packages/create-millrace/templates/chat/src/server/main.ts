/** The server: the page, the chat at `/millrace/chat`, and the studio at `/millrace/studio/`. */
import { serve } from "@hono/node-server";
import { chatHandler } from "@millrace/ai-sdk";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { Hono } from "hono";
import { createRuntime } from "millrace/runtime";
import { support } from "./agent.ts";
import { isScripted } from "./model.ts";
import { servePage } from "./page.ts";

const port = Number(process.env["PORT"] ?? 3000);
const store = sqliteStore(process.env["DATABASE"] ?? "runs.db");

const runtime = createRuntime({ workflows: { support: support.workflow }, store });
await runtime.start(); // continues the answers that a crash interrupted

// Everybody may do everything: `auth` says who may, as soon as others than you reach this server.
const chat = chatHandler(runtime, { agent: "support" });
const millrace = createServer({ runtime, basePath: "/millrace", chat, studio: true });

const app = new Hono();
app.all("/millrace/*", ({ req }) => millrace.fetch(req.raw));
app.get("/about", (context) => context.json({ isScripted }));
await servePage(app, { isDev: process.argv.includes("--dev") });

const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
console.log(`http://localhost:${port}  (studio: http://localhost:${port}/millrace/studio/)`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    server.close();
    await runtime.stop({ drainMs: 0 }); // what is under way continues with the next start
    process.exit();
  });
