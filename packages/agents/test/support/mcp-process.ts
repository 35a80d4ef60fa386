/**
 * A server of the Model Context Protocol by its official SDK: `stdio`, or a port for HTTP. Notes in a file what it does. Its schemas are
 * JSON schema only.
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [, , place = "stdio", log = ""] = process.argv;

const order = {
  type: "object" as const,
  $defs: { Amount: { type: "object", properties: { cents: { type: "integer", minimum: 1 } }, required: ["cents"] } },
  properties: { order: { type: "string" }, amount: { $ref: "#/$defs/Amount" } },
  required: ["order", "amount"],
};

const count = { type: "object" as const, properties: { n: { type: "number" } }, required: ["n"] };

const tools = [
  { name: "pay", description: "Pays an order back.", inputSchema: order, annotations: { destructiveHint: true } },
  {
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" as const },
    annotations: { readOnlyHint: true },
  },
  { name: "fail", description: "Fails.", inputSchema: { type: "object" as const } },
  { name: "draw", description: "Draws.", inputSchema: { type: "object" as const } },
  { name: "left", description: "Counts.", inputSchema: count },
  { name: "right", description: "Counts.", inputSchema: count },
  { name: "die", description: "Ends the server.", inputSchema: { type: "object" as const } },
];

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

async function answer(name: string, args: Record<string, unknown>) {
  appendFileSync(log, `${name} ${JSON.stringify(args)}\n`);
  switch (name) {
    case "pay":
      await sleep(40);
      return says(`paid ${args["order"]}`);
    case "look":
      return { ...says("seen"), structuredContent: { seen: true } };
    case "left":
    case "right":
      await sleep(10);
      return says(`done ${args["n"]}`);
    case "fail":
      return { ...says("no paper"), isError: true };
    case "draw":
      return { content: [{ type: "image" as const, data: pixel, mimeType: "image/png" }] };
    case "die":
      return process.exit(1);
    default:
      throw new TypeError(`there is no tool ${name}`);
  }
}

function newServer(): Server {
  const server = new Server({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params.name, params.arguments ?? {}));
  return server;
}

if (place === "stdio") await newServer().connect(new StdioServerTransport());
else {
  const server = createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await newServer().connect(transport as never);
    await transport.handleRequest(request, response);
  });
  server.listen(Number(place), "127.0.0.1", () => process.send?.("up"));
}
