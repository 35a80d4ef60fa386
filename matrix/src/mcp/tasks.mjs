import { createServer } from "@millrace/server";
import { mcpHandler } from "@millrace/server/mcp-handler";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRuntime } from "millrace/runtime";
import { nap } from "./nap.mjs";

const runtime = createRuntime({ workflows: { nap } });
const { fetch } = createServer({ runtime, mcp: mcpHandler(runtime) });

const client = new Client({ name: "matrix", version: "1" }, { versionNegotiation: { mode: "auto" } });
const url = new URL("http://localhost/mcp");
await client.connect(
  new StreamableHTTPClientTransport(url, { fetch: async (to, init) => fetch(new Request(to, init)) }),
);
const [{ text }] = (await client.callTool({ name: "nap" })).content;
await client.close();

const version = "2026-07-28";
async function ask(method, params, name) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...{ "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  return (await (await fetch(new Request(url, { method: "POST", headers, body }))).json()).result;
}

const { taskId, status } = await ask("tools/call", { name: "nap" }, "nap");
let task = await ask("tasks/get", { taskId }, taskId);
while (task.status === "working") {
  await new Promise((resolve) => setTimeout(resolve, 100));
  task = await ask("tasks/get", { taskId }, taskId);
}
const said = task.result.content[0].text;
console.log(`the official client: ${text}; a task: ${status}, then ${task.status}: ${said}`);
await runtime.stop();
