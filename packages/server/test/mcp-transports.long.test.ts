/** Workflows as tools of a process of its own, over both transports, asked by the client of the SDK. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { sqliteStore } from "@millrace/sqlite";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { killed } from "../../../test-kill.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";
import { childFile, temporaryFile } from "./mcp-process.js";

const argsOf = (file: string, how: string): string[] => [
  ...["--disable-warning=ExperimentalWarning", "--import", childFile("source.mjs")],
  ...[childFile("mcp.ts"), file, how],
];

interface Process {
  connect(client: Client): Promise<void>;
  /** As `kill -9`. */
  kill(): Promise<void>;
}

const transports: Readonly<Record<string, (file: string) => Promise<Process>>> = {
  async stdio(file) {
    const transport = new StdioClientTransport({ command: process.execPath, args: argsOf(file, "stdio") });
    return {
      connect: (client) => client.connect(transport),
      async kill() {
        if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
        await transport.close(); // until then it may not be gone
      },
    };
  },
  async "streamable HTTP"(file) {
    const child = spawn(process.execPath, argsOf(file, "http"), { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const url = new URL(`http://127.0.0.1:${line.split(" ")[1]}/mcp`);
    return {
      connect: (client) => client.connect(new StreamableHTTPClientTransport(url) as never),
      kill: () => killed(child),
    };
  },
};

/** A client of a new process. @param answer What the person says to a question; null: nobody can be asked. */
async function open(transport: string, { file = temporaryFile(), answer = null as ElicitResult | null } = {}) {
  const server = await (transports[transport] as (file: string) => Promise<Process>)(file);
  const capabilities = answer === null ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  const asked: Json[] = [];
  if (answer !== null)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return answer;
    });
  await server.connect(client);
  onTestFinished(async () => {
    await client.close();
    await server.kill();
  });
  const call = (name: string, given: Record<string, unknown> = {}): Promise<Json> =>
    client.callTool({ name, arguments: given });
  return { client, asked, call, kill: server.kill };
}

describe.each(Object.keys(transports))("MCP over %s", (transport) => {
  it("lists the tools and runs one", async () => {
    const { client, call } = await open(transport);

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["add", "refund", "busy", "answer_prompt", "list_runs", "get_run"]);
    expect(await call("add", { left: 2, right: 3 })).toMatchObject({ content: [{ type: "text", text: '{"sum":5}' }] });
    expect(await call("add", { left: "x" })).toMatchObject({ isError: true });
  });

  it("puts the prompt of a run to the person, and goes on with the answer", async () => {
    const { call, asked } = await open(transport, { answer: { action: "accept", content: { approved: true } } });

    expect(await call("refund", { order: "C-3" })).toMatchObject({ content: [{ text: '{"result":"refunded C-3"}' }] });
    expect(asked).toMatchObject([{ requestedSchema: { properties: { approved: { type: "boolean" } } } }]);
  });

  it("goes on in the next process with the answer to a prompt of one that was killed", async () => {
    const file = temporaryFile();
    const first = await open(transport, { file });
    const { structuredContent } = await first.call("refund", { order: "D-4" });
    await first.kill();

    const second = await open(transport, { file });
    const { handler_id, prompts } = structuredContent;
    const given = { handler_id, prompt_id: prompts[0].prompt_id, fields: { approved: true } };
    expect(await second.call("answer_prompt", given)).toMatchObject({
      content: [{ text: '{"result":"refunded D-4"}' }],
    });
  });

  it("cancels the run of a call that is called off", async () => {
    const file = temporaryFile();
    const { client } = await open(transport, { file });
    const runtime = createRuntime({ workflows, store: sqliteStore(file) });
    onTestFinished(() => runtime.stop());
    const statuses = async () => (await runtime.runs({ workflow: "busy" })).runs.map(({ status }) => status);
    const stop = new AbortController();
    const calling = client.callTool({ name: "busy", arguments: {} }, undefined, { signal: stop.signal });
    calling.catch(() => {}); // looked at below
    await vi.waitFor(async () => expect(await statuses()).toEqual(["running"]), { timeout: 30_000 });
    stop.abort();

    await expect(calling).rejects.toThrow();
    await vi.waitFor(async () => expect(await statuses()).toEqual(["cancelled"]), { timeout: 30_000 });
  });
});
