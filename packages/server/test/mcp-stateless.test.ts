/** Workflows as tools and tasks without sessions, through the official clients. */

import * as extension from "@modelcontextprotocol/ext-tasks/client";
import { isCreateTaskResultV2, isDetailedTaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createServer } from "../src/index.js";
import { type McpHandlerOptions, mcpHandler } from "../src/mcp-handler.js";
import type { Json } from "./answer.types.js";
import { mcpWorkflows } from "./child/mcp-workflows.js";
import { workflows } from "./child/workflows.js";
import { type Asked, ask, connected, forms, taskSession, tasks } from "./mcp-clients.js";

class Mixed extends StopEvent.define("Mixed", {
  at: z.date(),
  words: z.string().transform((text) => text.split(" ")),
  count: z.number().default(3),
  more: z.record(z.string(), z.number()).optional(),
}) {}
const mixed = defineWorkflow("mixed")
  .step("mix", { on: StartEvent, emits: Mixed }, () => new Mixed({ at: new Date(0), words: "one two" }))
  .build();

/** At work for a moment, and then asks. */
const late = defineWorkflow("late")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep(400);
    const { stars } = await ctx.ask({ title: "How was it?", schema: { stars: z.number().max(5) } });
    return new StopEvent({ result: stars });
  })
  .build();

function open(options: McpHandlerOptions = {}) {
  const runtime = createRuntime({ workflows: { ...workflows, ...mcpWorkflows, mixed, late } });
  onTestFinished(async () => {
    for (const { runId } of (await runtime.runs()).runs) await runtime.handle(runId).cancel();
    await runtime.stop();
  });
  const log = { info: () => {}, error: (...given: unknown[]) => expect.unreachable(String(given)) };
  const app = createServer({ runtime, log, mcp: mcpHandler(runtime, { log, pollIntervalMs: 5, ...options }) });
  const fetch = (request: Request) => app.fetch(request);
  const call = (name: string, given: object = {}, can?: object): Promise<Json> =>
    ask(fetch, "tools/call", { name, arguments: given }, can);
  const task = (taskId: string, can?: object): Promise<Json> => ask(fetch, "tasks/get", { taskId }, can);
  return { runtime, fetch, call, task };
}

const until = async (look: () => Promise<Json>, status: string): Promise<Json> => {
  await expect.poll(async () => (await look()).status).toBe(status);
  return look();
};

describe("a client without tasks", () => {
  it("lists the tools with what they take and return", async () => {
    const { fetch } = open({ tools: { add: "Adds." } });
    const client = await connected(fetch);

    const { tools: listed } = await client.listTools();

    expect(listed.map(({ name }) => name)).toEqual(["add", "answer_prompt", "list_runs", "get_run"]);
    expect(listed[0]).toMatchObject({
      description: "Adds.",
      inputSchema: { type: "object", required: ["left"] },
      outputSchema: {
        type: "object",
        anyOf: [{ title: "Sum", required: ["sum"] }, { required: ["handler_id", "status", "prompts"] }],
      },
    });
  });

  it("gets results that fit what the tools say, of any schema", async () => {
    const { fetch } = open();
    const client = await connected(fetch);
    await client.listTools(); // from here on the client compares

    expect(await client.callTool({ name: "add", arguments: { left: 2, right: 3 } })).toMatchObject({
      content: [{ type: "text", text: '{"sum":5}' }],
      structuredContent: { sum: 5 },
    });
    expect((await client.callTool({ name: "mixed" })).structuredContent).toMatchObject({
      words: ["one", "two"],
      count: 3,
    });
    expect((await client.callTool({ name: "greet", arguments: { name: "Ada" } })).content).toEqual([
      { type: "text", text: "Hello, Ada!" },
    ]);
  });

  it("is told what it did wrong as a result, and an unknown tool as an error with our code", async () => {
    const { fetch, call } = open();
    const client = await connected(fetch);

    expect(await client.callTool({ name: "add", arguments: { left: "two" } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("EVENT_INVALID") }],
    });
    expect(await call("nothing")).toMatchObject({ code: -32602, data: { code: "WORKFLOW_UNKNOWN" } });
  });

  it("waits, and is told that the call is at work", async () => {
    const { fetch } = open({ progressMs: 20 });
    const client = await connected(fetch);
    const told: number[] = [];

    const result = await client.callTool(
      { name: "nap", arguments: { ms: 300 } },
      { onprogress: ({ progress }) => void told.push(progress) },
    );

    expect(result.content).toEqual([{ type: "text", text: "rested" }]);
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
  });

  it("puts the prompt to the person, again where the answer does not fit, in one run", async () => {
    const { fetch, runtime } = open();
    const asked: Asked[] = [];
    const client = await connected(fetch, {
      can: forms,
      answer: (question) => {
        asked.push(question);
        return { action: "accept", content: { stars: asked.length === 1 ? 9 : 4 } };
      },
    });

    const result = await client.callTool({ name: "late" });

    expect(result.structuredContent).toEqual({ result: 4 });
    expect(asked.map(({ message }) => message)).toEqual(["How was it?", expect.stringContaining("does not fit")]);
    expect(asked[0]?.requestedSchema).toMatchObject({ properties: { stars: { type: "number" } } });
    expect((await runtime.runs()).runs).toHaveLength(1);
  });

  it("ends with the open prompt where the person declines, which `answer_prompt` puts to them again", async () => {
    const { fetch } = open();
    const answers: Json[] = [{ action: "decline" }, { action: "accept", content: { approved: true } }];
    const client = await connected(fetch, { can: forms, answer: () => answers.shift() });

    const { structuredContent, content } = await client.callTool({ name: "refund", arguments: { order: "C-3" } });
    const { handler_id } = structuredContent as Json;
    const again = await client.callTool({ name: "answer_prompt", arguments: { handler_id } });

    expect(structuredContent).toMatchObject({ status: "running", prompts: [{}] });
    expect(content[1]).toMatchObject({ text: expect.stringContaining("The person has declined") });
    expect(again.content).toEqual([{ type: "text", text: "refunded C-3" }]);
  });

  it("lets the model answer where the client shows no forms, also one of 2025", async () => {
    const { fetch } = open();
    for (const isModern of [true, false]) {
      const client = await connected(fetch, { isModern });
      const { structuredContent } = await client.callTool({ name: "refund", arguments: { order: "C-3" } });
      const { handler_id, prompts } = structuredContent as Json;
      const given = { handler_id, prompt_id: prompts[0].prompt_id, fields: { approved: true } };

      expect((await client.callTool({ name: "answer_prompt", arguments: given })).content).toEqual([
        { type: "text", text: "refunded C-3" },
      ]);
    }
  });

  it("cancels the run of a call that it calls off", async () => {
    const { fetch, runtime } = open();
    const client = await connected(fetch);
    const stop = new AbortController();
    const calling = client.callTool({ name: "busy" }, { signal: stop.signal });
    calling.catch(() => {}); // looked at below
    const statuses = async () => (await runtime.runs({ workflow: "busy" })).runs.map(({ status }) => status);
    await expect.poll(statuses).toEqual(["running"]);
    stop.abort();

    await expect(calling).rejects.toThrow();
    await expect.poll(statuses).toEqual(["cancelled"]);
  });
});

describe("a client with tasks", () => {
  it("gets a short result at once, and a task for a long call", async () => {
    const { call, task } = open({ retention: "1h" });

    expect(await call("add", { left: 1 })).toMatchObject({ resultType: "complete", structuredContent: { sum: 2 } });
    const created = await call("slow_compute", { seconds: 0.6, label: "long" });
    const working = await task(created.taskId);
    const completed = await until(() => task(created.taskId), "completed");

    expect(isCreateTaskResultV2(created)).toBe(true);
    expect(created).toMatchObject({ status: "working", ttlMs: null, pollIntervalMs: 5 });
    for (const state of [working, completed]) expect(isDetailedTaskV2(state)).toBe(true);
    expect(completed.result).toMatchObject({ structuredContent: { label: "long", seconds: 0.6 } });
    expect(completed.ttlMs).toBeGreaterThan(3_600_000);
  });

  it("is driven by the client of the extension, with the questions of the run", async () => {
    const { fetch, runtime } = open();
    const asked: string[] = [];
    const session = await taskSession(fetch, {
      answer: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { name: asked.length === 1 ? "Ada" : "Lovelace" } };
      },
    });

    const execution = await session.callTool("multi_input", {});
    const { outcome } = await execution.settle();

    expect(outcome).toMatchObject({ status: "completed", result: { content: [{ type: "text" }] } });
    expect(asked.toSorted()).toEqual(["First name?", "Last name?"]);
    expect((await runtime.runs()).runs).toHaveLength(1);
  });

  it("asks nobody twice through the client of the extension, whose person declines: others may still answer", async () => {
    const { fetch, runtime } = open();
    const asked: string[] = [];
    const session = await taskSession(fetch, {
      answer: ({ message }) => {
        asked.push(message);
        return { action: "decline" };
      },
    });

    const execution = await session.callTool("refund", { order: "C-3" });
    const settled = execution.settle();
    const [run] = (await runtime.runs()).runs;
    await expect.poll(() => asked).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [prompt] = await runtime.handle(String(run?.runId)).prompts();
    await runtime.handle(String(run?.runId)).answer(String(prompt?.promptId), { approved: true });

    expect((await settled).outcome).toMatchObject({
      status: "completed",
      result: { content: [{ text: "refunded C-3" }] },
    });
    expect(asked).toHaveLength(1);
  });

  it("has a failed run as a completed task with an error, and a cancelled one as cancelled", async () => {
    const { fetch, call, task } = open();
    const failing = await call("failing_job");
    const napping = await call("nap", { ms: 60_000 });

    expect(await ask(fetch, "tasks/cancel", { taskId: napping.taskId })).not.toHaveProperty("taskId");
    const cancelled = await until(() => task(napping.taskId), "cancelled");
    const failed = await until(() => task(failing.taskId), "completed");

    expect(failed.result).toMatchObject({ isError: true, structuredContent: { error_code: "STEP_FAILED" } });
    expect(cancelled.statusMessage).toContain("cancelled");
    for (const state of [failed, cancelled]) expect(isDetailedTaskV2(state)).toBe(true);
    expect(await ask(fetch, "tasks/cancel", { taskId: napping.taskId })).toMatchObject({ resultType: "complete" });
  });

  it("asks for one answer while another branch is at work", async () => {
    const { call, task } = open();
    const { taskId } = await call("aside");

    expect(await until(() => task(taskId), "input_required")).toMatchObject({
      inputRequests: expect.any(Object),
      statusMessage: expect.stringContaining("ApproveRefund"),
    });
  });

  it("says in the state of the task what nobody can be asked by this client", async () => {
    const { call, task } = open();

    const atOnce = await call("refund", { order: "A-1" }, tasks);
    const { taskId } = await call("late", {}, tasks);
    const waiting = await until(() => task(taskId, { ...tasks, ...forms }), "input_required");

    expect(atOnce).toMatchObject({ resultType: "complete", structuredContent: { status: "running", prompts: [{}] } });
    const [promptId] = Object.keys(waiting.inputRequests);
    expect(await task(taskId, tasks)).toMatchObject({
      status: "working",
      statusMessage: `Waits for an answer. How was it? Answer it with \`answer_prompt\`: prompt_id ${promptId}.`,
    });
  });

  it("gives each call its own task, and each answer its own prompt", async () => {
    const { fetch, call, task } = open();
    const { taskId } = await call("multi_input");
    const { inputRequests } = await until(() => task(taskId), "input_required");
    await expect.poll(async () => Object.keys((await task(taskId)).inputRequests)).toHaveLength(2);
    const [one, other] = Object.keys((await task(taskId)).inputRequests) as [string, string];
    const accept = (name: string) => ({ action: "accept", content: { name } });
    const update = (inputResponses: object) => ask(fetch, "tasks/update", { taskId, inputResponses });

    await update({ [one]: accept("first"), unknown: accept("nobody") });
    expect(Object.keys((await task(taskId)).inputRequests)).toEqual([other]);
    await update({ [one]: accept("again"), [other]: { action: "decline" } });
    expect(Object.keys((await task(taskId)).inputRequests)).toEqual([other]);
    await update({ [other]: accept("second") });

    expect((await until(() => task(taskId), "completed")).result.content[0].text).toContain("first");
    expect(await update({ [other]: accept("late") })).toMatchObject({ resultType: "complete" });
    expect(inputRequests).toBeDefined();
  });

  it("refuses an answer that does not fit, with our code, and keeps the prompt open", async () => {
    const { fetch, call, task } = open();
    const { taskId } = await call("late");
    const { inputRequests } = await until(() => task(taskId), "input_required");
    const [promptId] = Object.keys(inputRequests) as [string];
    const update = (stars: unknown) =>
      ask(fetch, "tasks/update", {
        taskId,
        inputResponses: { [promptId]: { action: "accept", content: { stars } } },
      });

    expect(await update(9)).toMatchObject({ code: -32602, data: { code: "EVENT_INVALID", hint: expect.any(String) } });
    expect(await task(taskId)).toMatchObject({ status: "input_required" });
    await update(5);
    expect((await until(() => task(taskId), "completed")).result.structuredContent).toEqual({ result: 5 });
  });
});

it("has the methods of tasks from here: neither the SDK nor the package of the extension serves them", async () => {
  const bare = createMcpHandler(() => {
    const server = new McpServer({ name: "bare", version: "1" }, { capabilities: { extensions: tasks.extensions } });
    server.registerTool("any", {}, () => ({ content: [] }));
    return server;
  });
  onTestFinished(() => bare.close());

  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
    expect(await ask((request) => bare.fetch(request), method, { taskId: "any" })).toMatchObject({ code: -32601 });
  expect(Object.keys(extension).filter((name) => /server|serve|store/i.test(name))).toEqual([]);
});
