// The same runs behind every door: `tsx every-door/server.ts <store> <file of effects> <port>`.
import { serve } from "@hono/node-server";
import { a2aHandler } from "@millrace/a2a";
import { chatHandler } from "@millrace/ai-sdk";
import { createServer } from "@millrace/server";
import { aguiHandler } from "@millrace/server/agui";
import { mcpHandler } from "@millrace/server/mcp-handler";
import { signedLinks } from "@millrace/server/webhooks";
import { sqliteStore } from "@millrace/sqlite";
import { studioFile } from "@millrace/studio";
import { createRuntime } from "millrace/runtime";
import { refundFlow } from "./workflow.js";

const [file = "", effects = "", port = "8080"] = process.argv.slice(2);
const links = signedLinks({
  url: `http://127.0.0.1:${port}/links`,
  secrets: ["only for this example, of 32 characters"],
});
const workflows = { refund: refundFlow(links, effects) };
const runtime = createRuntime({ workflows, store: sqliteStore(file), leaseMs: 2_000 });
await runtime.start();

const app = createServer({
  runtime,
  studio: studioFile,
  links,
  chat: chatHandler(runtime, { workflow: "refund" }),
  agui: aguiHandler(runtime),
  mcp: mcpHandler(runtime, { tools: { refund: "Refunds an order." }, answers: "person", taskAfterMs: 1 }),
  a2a: a2aHandler(runtime, {
    card: { name: "Refunds", description: "Refunds orders.", version: "1.0.0" },
    skills: { refund: "Refunds an order." },
  }),
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, () => console.log("ready"));
