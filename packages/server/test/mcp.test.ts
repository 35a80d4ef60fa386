/** Workflows as tools, through the client of the SDK. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpServer } from "../src/mcp.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

async function connect(
  answer: ElicitResult | (() => Promise<ElicitResult>) | null = null,
  elicitation: Record<string, object> = {},
) {
  const runtime = createRuntime({ workflows });
  const log = { info: () => {}, error: () => {} };
  const server = createMcpServer({
    runtime,
    log,
    tools: { add: "Adds two numbers.", refund: "Refunds.", fail: "Fails." },
    progressMs: 5,
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities: answer === null ? {} : { elicitation } });
  const asked: Json[] = [];
  if (answer !== null) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return typeof answer === "function" ? answer() : answer;
    });
  }
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  onTestFinished(async () => {
    await client.close();
    await runtime.stop();
  });
  const call = (name: string, given: Record<string, unknown> = {}): Promise<Json> =>
    client.callTool({ name, arguments: given });
  return { client, runtime, asked, call };
}

describe("createMcpServer", () => {
  it("offers the named workflows with the schemas of their start events", async () => {
    const { client } = await connect();

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["add", "refund", "fail", "answer_prompt"]);
    expect(tools[0]).toMatchObject({
      description: "Adds two numbers.",
      inputSchema: { type: "object", properties: { left: { type: "number" } }, required: ["left"] },
    });
  });

  it("runs a workflow", async () => {
    const { call } = await connect();

    expect(await call("add", { left: 2, right: 3 })).toMatchObject({
      content: [{ type: "text", text: '{"sum":5}' }],
      structuredContent: { status: "completed" },
    });
  });

  it("tells the model what it did wrong", async () => {
    const { call } = await connect();

    expect(await call("add", { left: "two" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("EVENT_INVALID") }],
    });
    expect(await call("fail")).toMatchObject({ isError: true, structuredContent: { error_code: "STEP_FAILED" } });
    await expect(call("count", { to: 1 })).rejects.toThrow("no tool");
  });

  it("tells a client that asks for it that a call is at work, until the call has ended", async () => {
    let answer = (_result: ElicitResult): void => {};
    const person = new Promise<ElicitResult>((resolve) => {
      answer = resolve;
    });
    const { client } = await connect(() => person);
    const told: number[] = [];
    const called = client.callTool({ name: "refund", arguments: {} }, undefined, {
      onprogress: ({ progress }) => void told.push(progress),
    });
    await expect.poll(() => told.length).toBeGreaterThan(2);
    answer({ action: "accept", content: { approved: true } });

    expect(await called).toMatchObject({ structuredContent: { status: "completed" } });
    const count = told.length;
    expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(told.length).toBe(count);
  });

  it("answers no prompt of a workflow that is no tool", async () => {
    const { call, runtime } = await connect();
    const run = runtime.run("aside", {});
    await run.accepted;
    while ((await run.prompts()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [prompt] = await run.prompts();

    const given = { handler_id: run.runId, prompt_id: prompt?.promptId, fields: { approved: true } };
    expect(await call("answer_prompt", given)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("There is no handler") }],
    });
    expect(await run.prompts()).toHaveLength(1);
  });

  it("puts a prompt to the person", async () => {
    const { call, asked } = await connect({ action: "accept", content: { approved: true } });

    expect(await call("refund", { order: "C-3" })).toMatchObject({ content: [{ text: '{"result":"refunded C-3"}' }] });
    expect(asked).toMatchObject([
      {
        message: 'ApproveRefund: {"order":"C-3"}',
        requestedSchema: { properties: { approved: { type: "boolean" } }, required: ["approved"] },
      },
    ]);
  });

  it.each([
    ["has no way to ask", null],
    ["is told no", { action: "decline" } as const],
    ["is sent away", { action: "cancel" } as const],
    ["fails to ask", failing],
    ["shows no forms", { action: "accept" } as const, { url: {} }],
  ])(
    "ends with the open prompt where the client %s, and goes on with its answer",
    async (_name, answer, can: Record<string, object> = {}) => {
      const { call } = await connect(answer, can);

      const { structuredContent } = await call("refund");
      expect(structuredContent).toMatchObject({ status: "running", waiting: true });
      const { handler_id, prompts } = structuredContent;
      const given = { handler_id, prompt_id: prompts[0].prompt_id, fields: { approved: false } };
      expect(await call("answer_prompt", given)).toMatchObject({ content: [{ text: '{"result":"refused"}' }] });
      expect(await call("answer_prompt", given)).toMatchObject({ isError: true });
    },
  );
});

function failing(): never {
  throw new Error("the window is gone");
}

describe("the options of an MCP server", () => {
  it("are refused with everything that is wrong", () => {
    const wrong = {
      runtime: createRuntime({ workflows }),
      tools: { ad: "Adds." },
      waitMs: 0,
      progressMs: -1,
      tenent: "acme",
    };

    expect(() => createMcpServer(wrong)).toThrow(
      /`tenent` is no option: did you mean `tenant`.*waitMs.*progressMs.*"ad"/s,
    );
    expect(() => createMcpServer({} as never)).toThrow("no runtime");
  });
});
