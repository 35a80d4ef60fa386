/** Agents with the provider of the AI SDK for OpenAI-compatible services, over real HTTP. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, memorySessions, Team } from "../src/index.js";
import { deferred } from "./support/deferred.js";
import { namesOf, readAll, textOf } from "./support/events.js";
import { chunks, finish, openaiServer, type Reply, send, status, text, toolCall } from "./support/openai-server.js";
import { addItem } from "./support/shopping.js";

const shopping = { tools: [addItem], sessionState: { shopping_list: [] } };

describe("over HTTP", () => {
  it("calls tools and answers with what they returned", async () => {
    await using server = await openaiServer([toolCall("add_item", { item: "milk" }), text("Added milk.")]);
    const agent = new Agent({ model: server.model, ...shopping, instructions: "List: {shopping_list}" });

    const run = await agent.run("Add milk");

    expect(run).toMatchObject({ content: "Added milk.", sessionState: { shopping_list: ["milk"] } });
    expect(run.metrics).toMatchObject({ inputTokens: 24, outputTokens: 6, totalTokens: 30 });
    expect(server.requests[0]?.messages).toMatchObject([
      { role: "system", content: "List: []" },
      { role: "user", content: "Add milk" },
    ]);
    expect(server.requests[0]?.tools?.[0]?.function).toMatchObject({
      name: "add_item",
      parameters: { properties: { item: { type: "string" } }, required: ["item"] },
    });
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      tool_call_id: "call_1",
      content: "Added 'milk' to the shopping list",
    });
  });

  it("streams texts and tool calls that come in pieces", async () => {
    const call = (more: object) => ({ tool_calls: [{ index: 0, ...more }] });
    await using server = await openaiServer([
      chunks(
        [
          { content: "Let me see. " },
          call({ id: "call_1", type: "function", function: { name: "add_item", arguments: '{"it' } }),
          call({ function: { arguments: 'em":"milk"}' } }),
        ],
        finish("tool_calls"),
      ),
      chunks([{ content: "Milk " }, { content: "added." }]),
    ]);
    const agent = new Agent({ model: server.model, ...shopping });

    const { events, error } = await readAll(agent.stream("Add milk"));

    expect(error).toBeNull();
    expect(namesOf(events)).toEqual([
      "RunStarted",
      "RunContent",
      "ToolCallStarted",
      "ToolCallCompleted",
      "RunContent",
      "RunContent",
      "RunCompleted",
    ]);
    expect(textOf(events)).toBe("Let me see. Milk added.");
    expect(events.at(-1)).toMatchObject({
      content: "Milk added.",
      metrics: { totalTokens: 30, timeToFirstToken: expect.any(Number) },
      sessionState: { shopping_list: ["milk"] },
    });
  });

  it("asks for structured output in the provider's own way", async () => {
    await using server = await openaiServer([text('{"title":"AI","posts":3}')]);
    const outputSchema = z.object({ title: z.string(), posts: z.number() });

    const { content } = await new Agent({ model: server.model, outputSchema }).run("Plan");

    expect(content).toEqual({ title: "AI", posts: 3 });
    expect(server.requests[0]?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { properties: { title: { type: "string" }, posts: { type: "number" } } } },
    });
  });

  it("sends images", async () => {
    await using server = await openaiServer([text("A bridge.")]);
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

    await new Agent({ model: server.model }).run("What is this?", {
      images: [{ kind: "image", id: "bridge", content: png, mimeType: "image/png" }],
    });

    expect(server.requests[0]?.messages[0]?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ]);
  });

  it("lets a team delegate", async () => {
    const delegate = toolCall("delegate_task_to_member", { member: "writer", task: "Write a line" });
    await using server = await openaiServer([delegate, text("A line."), text("Here: A line.")]);
    const team = new Team({ name: "Team", members: [new Agent({ name: "Writer", model: server.model })] });

    const run = await team.run("A line, please");

    expect(run.content).toBe("Here: A line.");
    expect(server.requests[1]?.messages).toEqual([{ role: "user", content: "Write a line" }]);
    expect(run.metrics.totalTokens).toBe(45);
  });
});

describe("when the service refuses", () => {
  it("waits as long as it says and tries again", async () => {
    const limited = status(429, "slow down", { "retry-after-ms": "5" });
    await using server = await openaiServer([limited, limited, text("Here.")]);

    const run = await new Agent({ model: server.model }).run("Hi");

    expect(run.content).toBe("Here.");
    expect(server.requests).toHaveLength(3);
  });

  it("says how long to wait once it gives up", async () => {
    await using server = await openaiServer([status(429, "slow down", { "retry-after": "7" })]);

    const run = new Agent({ name: "Writer", model: server.model, maxRetries: 0 }).run("Hi");

    await expect(run).rejects.toMatchObject({
      code: "AGENT_FAILED",
      message: 'Agent "Writer" failed: slow down (HTTP 429)',
      retryAfterMs: 7000,
      details: { statusCode: 429, attempts: 1 },
    });
    await expect(run).rejects.not.toHaveProperty("retryable");
  });

  it("does not call again at once when it has to wait for long", async () => {
    const limited = status(429, "come back later", { "retry-after": "3600" });
    await using server = await openaiServer([limited, text("Never.")]);
    const agent = new Agent({ model: server.model });

    await expect(agent.run("Hi")).rejects.toMatchObject({ code: "AGENT_FAILED", retryAfterMs: 3_600_000 });

    expect(server.requests).toHaveLength(1);
  });

  it("counts its attempts", async () => {
    const limited = status(503, "busy", { "retry-after-ms": "1" });
    await using server = await openaiServer([limited, limited]);

    const run = new Agent({ model: server.model, maxRetries: 1 }).run("Hi");

    await expect(run).rejects.toMatchObject({ details: { statusCode: 503, attempts: 2 } });
    expect(server.requests).toHaveLength(2);
  });

  it("does not try again what cannot work, and keeps the key to itself", async () => {
    await using server = await openaiServer([status(401, "wrong key")]);

    const run = new Agent({ model: server.model }).run("Hi");

    const error = await run.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "AGENT_FAILED", retryable: false, details: { statusCode: 401 } });
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(error)).not.toContain("test-key");
  });
});

describe("when the connection ends in the middle", () => {
  const half = [{ content: "Once upon " }, { content: "a time" }];
  const broken: readonly (readonly [string, Reply])[] = [
    ["is cut", chunks(half, (response) => void setImmediate(() => response.destroy()))],
    ["closes as if it were over", chunks(half, (response) => void response.end())],
    [
      "carries an error",
      chunks(half, (response) => {
        send(response, { error: { message: "overloaded", type: "server_error", code: 503 } });
        response.end();
      }),
    ],
  ];

  it.each(broken)("does not take half an answer for a whole one: it %s", async (_how, reply) => {
    await using server = await openaiServer([reply]);
    const sessions = memorySessions();
    const agent = new Agent({ model: server.model, sessions, sessionId: "s1" });

    const { events, error } = await readAll(agent.stream("Tell me a story"));

    expect(error).toMatchObject({ code: "AGENT_FAILED" });
    expect(events.at(-1)?.event).toBe("RunError");
    expect((await sessions.load("s1", null, { runs: 1 }))?.runs).toMatchObject([{ status: "ERROR", content: null }]);
  });

  it("may be tried again by whoever called", async () => {
    await using server = await openaiServer([(response) => void response.destroy()]);

    const run = new Agent({ model: server.model, maxRetries: 0 }).run("Hi");

    await expect(run).rejects.toMatchObject({ code: "AGENT_FAILED" });
    await expect(run).rejects.not.toHaveProperty("retryable");
  });
});

describe("abort", () => {
  it("closes the connection", async () => {
    const abort = new AbortController();
    const closed = deferred();
    await using server = await openaiServer([
      (response) => {
        response.on("close", closed.resolve);
        abort.abort(new Error("enough"));
      },
    ]);

    const run = new Agent({ model: server.model }).run("Hi", { signal: abort.signal });

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED", message: 'Agent "agent" was cancelled: enough' });
    await closed.promise;
    expect(server.requests).toHaveLength(1);
  });

  it("closes the connection of a stream whose reader stops", async () => {
    const closed = deferred();
    await using server = await openaiServer([
      chunks([{ content: "Once " }], (response) => void response.on("close", closed.resolve)),
    ]);
    const sessions = memorySessions();
    const agent = new Agent({ model: server.model, sessions, sessionId: "s1" });

    for await (const { event } of agent.stream("Hi")) if (event === "RunContent") break;

    await closed.promise;
    expect((await sessions.load("s1", null, { runs: 1 }))?.runs[0]?.status).toBe("CANCELLED");
  });
});
