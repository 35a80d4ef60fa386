/**
 * A server of the Model Context Protocol by its official SDK: `stdio`, or a port for HTTP, with `sessions` or without.
 * Notes in a file what it does. Its schemas are JSON schema only.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [, , place = "stdio", log = "", mode = ""] = process.argv;
/** `renamed`: what was `pay` is `refund` in this version of the server. */
const payName = mode === "renamed" ? "refund" : "pay";

const order = {
  type: "object" as const,
  $defs: { Amount: { type: "object", properties: { cents: { type: "integer", minimum: 1 } }, required: ["cents"] } },
  properties: { order: { type: "string" }, amount: { $ref: "#/$defs/Amount" } },
  required: ["order", "amount"],
};

const count = { type: "object" as const, properties: { n: { type: "number" } }, required: ["n"] };

const tools = [
  { name: payName, description: "Pays an order back.", inputSchema: order, annotations: { destructiveHint: true } },
  {
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" as const },
    annotations: { readOnlyHint: true },
  },
  { name: "fail", description: "Fails.", inputSchema: { type: "object" as const } },
  { name: "draw", description: "Draws.", inputSchema: { type: "object" as const } },
  { name: "count", description: "Counts.", inputSchema: { type: "object" as const } },
  { name: "left", description: "Counts.", inputSchema: count },
  { name: "right", description: "Counts.", inputSchema: count },
  { name: "wait", description: "Never ends.", inputSchema: { type: "object" as const } },
  { name: "die", description: "Ends the server.", inputSchema: { type: "object" as const } },
];

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

async function answer(name: string, args: Record<string, unknown>, signal: AbortSignal) {
  appendFileSync(log, `${name} ${JSON.stringify(args)}\n`);
  switch (name) {
    case payName:
      await sleep(40);
      return says(`paid ${args["order"]}`);
    case "look":
      return { ...says("seen"), structuredContent: { seen: true } };
    case "left":
    case "right":
      await sleep(10);
      return says(`done ${args["n"]}`);
    case "fail":
      return { ...says("no paper"), structuredContent: { seen: true }, isError: true };
    case "count":
      return { content: [], structuredContent: { open: 3 } };
    case "draw":
      return { content: [{ type: "image" as const, data: pixel, mimeType: "image/png" }] };
    case "wait":
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      appendFileSync(log, "stopped\n");
      return says("stopped");
    case "die":
      return process.exit(1);
    default:
      throw new TypeError(`there is no tool ${name}`);
  }
}

function newServer(): Server {
  const server = new Server({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    answer(params.name, params.arguments ?? {}, signal),
  );
  return server;
}

async function newTransport(sessions: Map<string, StreamableHTTPServerTransport>) {
  const settings = {
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id: string) => void sessions.set(id, transport),
  };
  const transport = new StreamableHTTPServerTransport(mode === "sessions" ? settings : {});
  await newServer().connect(transport as never);
  return transport;
}

if (place === "stdio") await newServer().connect(new StdioServerTransport());
else {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    const id = String(request.headers["mcp-session-id"] ?? "");
    if (id !== "" && !sessions.has(id)) return void response.writeHead(404).end("Session not found");
    const transport = sessions.get(id) ?? (await newTransport(sessions));
    await transport.handleRequest(request, response);
  });
  server.listen(Number(place), "127.0.0.1", () => process.send?.("up"));
}
