/** The server: the page that `vite build` has made, and the chat at `/api/chat`. */
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { chatHandler } from "@millrace/ai-sdk";
import { sqliteStore } from "@millrace/sqlite";
import { Hono } from "hono";
import { createRuntime } from "millrace/runtime";
import { support } from "./agent.ts";

const { PORT = "3000", DATABASE = "chats.db" } = process.env;

const runtime = createRuntime({ workflows: { support: support.workflow }, store: sqliteStore(DATABASE) });
await runtime.start(); // continues the answers that a crash interrupted

// Everybody may do everything: `auth` says who may, as soon as others than you reach this server.
const chats = chatHandler(runtime, { agent: "support" });

const app = new Hono();
app.get("/api/chat/*", ({ req }) => chats.GET(req.raw));
app.post("/api/chat", ({ req }) => chats.POST(req.raw));
app.delete("/api/chat/*", ({ req }) => chats.DELETE(req.raw));
app.use(serveStatic({ root: "dist" }));

const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" });
console.log(`http://localhost:${PORT}`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    server.close();
    await runtime.stop({ drainMs: 0 }); // what is under way continues with the next start
    process.exit();
  });
