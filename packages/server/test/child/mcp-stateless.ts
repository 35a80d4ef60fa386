/** The workflows as tools without sessions, in a process of its own: `mcp-stateless.ts <file>`, which prints its port. */
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { createServer } from "../../src/index.js";
import { mcpHandler } from "../../src/mcp-handler.js";
import { mcpWorkflows } from "./mcp-workflows.js";
import { workflows } from "./workflows.js";

const [file = ""] = process.argv.slice(2);
const all = { ...workflows, ...mcpWorkflows };
const runtime = createRuntime({
  workflows: all,
  store: sqliteStore(file, { durability: "process" }),
  leaseMs: 2_000,
});
await runtime.start();
const mcp = mcpHandler(runtime, { pollIntervalMs: 50, progressMs: 50, retention: "1h" });
const { fetch } = createServer({ runtime, mcp });
serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`port ${port}`));
