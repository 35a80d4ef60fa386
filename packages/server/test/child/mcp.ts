/** The workflows as tools, in a process of its own: `mcp.ts <file> stdio`, or `mcp.ts <file> http`, which prints its port. */
import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createRuntime } from "millrace/runtime";
import { createMcpServer } from "../../src/mcp.js";
import { workflows } from "./workflows.js";

const [file = "", how] = process.argv.slice(2);
const runtime = createRuntime({ workflows, store: sqliteStore(file, { durability: "process" }), leaseMs: 10_000 });
await runtime.start();
const open = () => createMcpServer({ runtime, tools: { add: "Adds.", refund: "Refunds.", busy: "Is at work." } });

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function answer(request: Request): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  const known = sessions.get(id ?? "");
  if (known !== undefined) return known.handleRequest(request);
  if (id !== null) return new Response("There is no such session.", { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  await open().connect(transport);
  return transport.handleRequest(request);
}

if (how === "stdio") await open().connect(new StdioServerTransport());
else serve({ fetch: answer, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`port ${port}`));
