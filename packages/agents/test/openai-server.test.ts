/** Agents with the provider of the AI SDK for OpenAI-compatible services, over real HTTP. */
import { Pipeline, Step } from "@millrace/pipeline";
import type { LanguageModel } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, memorySessions, Team, tool } from "../src/index.js";
import { deferred } from "./support/deferred.js";
import { namesOf, readAll, textOf } from "./support/events.js";
import { inStep } from "./support/in-step.js";
import {
  chunks,
  completion,
  finish,
  openaiServer,
  type Reply,
  send,
  status,
  streamedCall,
  text,
  toolCall,
} from "./support/openai-server.js";
import { allow, deny, refund, request, stored } from "./support/refunds.js";
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

  it("goes on after a pause with what the model has said before it", async () => {
    const calls = [1, 2].map((order) => ({
      id: `call_${order}`,
      type: "function",
      function: { name: "refund", arguments: JSON.stringify({ order }) },
    }));
    await using server = await openaiServer([
      completion({ content: "Both?", tool_calls: calls }, "tool_calls"),
      text("One refunded."),
    ]);
    const agent = new Agent({ model: server.model, tools: [refund] });

    const paused = await agent.run("Refund 1 and 2");
    const done = await agent.continueRun(stored(paused), [...allow("call_1"), deny("call_2", "it was used")]);

    expect(done).toMatchObject({ content: "One refunded.", sessionState: { refunds: [1] } });
    expect(server.requests[1]?.messages).toMatchObject([
      { role: "user", content: "Refund 1 and 2" },
      { role: "assistant", content: "Both?", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
      { role: "tool", tool_call_id: "call_1", content: "Refunded 1" },
      { role: "tool", tool_call_id: "call_2", content: "A person has not allowed this call: it was used" },
    ]);
  });

  it.each([
    ["answering", toolCall],
    ["streaming", streamedCall],
  ])("asks a person for each call, though the model gives all of them one id, %s", async (how, call) => {
    const pay = tool({
      name: "pay",
      description: "Pay",
      parameters: z.object({ cents: z.number() }),
      requiresConfirmation: ({ cents }) => cents > 10,
      execute: ({ cents }, { sessionState }) => void (sessionState["paid"] as number[]).push(cents),
    });
    const replies = [5, 50, 500].map((cents) => call("pay", { cents }));
    await using server = await openaiServer([
      ...replies,
      how === "streaming" ? chunks([{ content: "Paid." }]) : text("Paid."),
    ]);
    const agent = new Agent({ model: server.model, tools: [pay], maxRetries: 0 });
    const state = { paid: [] };
    const ask = request({ sessionState: state, ...(how === "streaming" ? { stream: () => {} } : {}) });

    const { result, asked } = await inStep(
      (ctx) => agent.execute({ ...ask, ctx }),
      ask,
      ({ input }) => ({ approved: (input as { cents: number }).cents < 100 }),
    );

    expect(asked).toMatchObject([{ input: { cents: 50 } }, { input: { cents: 500 } }]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(2);
    expect(result).toMatchObject({ status: "COMPLETED", content: "Paid." });
    expect(state.paid).toEqual([5, 50]);
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

/** The model has given all its calls one id; each has a name of its own in the run. */

describe("when the service refuses", () => {
  it("waits as long as it says and tries again", async () => {
    const limited = status(429, "slow down", { "retry-after-ms": "5" });
    await using server = await openaiServer([limited, limited, text("Here.")]);

    const run = await new Agent({ model: server.model }).run("Hi");

    expect(run.content).toBe("Here.");
    expect(server.requests).toHaveLength(3);
  });

  it("waits before it streams, too, and shows nothing twice", async () => {
    const limited = status(429, "slow down", { "retry-after-ms": "5" });
    await using server = await openaiServer([limited, chunks([{ content: "Here " }, { content: "I am." }])]);

    const { events, error } = await readAll(new Agent({ model: server.model }).stream("Hi"));

    expect(error).toBeNull();
    expect(namesOf(events)).toEqual(["RunStarted", "RunContent", "RunContent", "RunCompleted"]);
    expect(server.requests).toHaveLength(2);
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

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

/** With one step, which an agent does. */
function pipelineOf(model: LanguageModel, maxRetries: number): Pipeline {
  const step = new Step({ name: "write", executor: new Agent({ name: "Writer", model }), maxRetries });
  const pipeline = new Pipeline({ name: "Story", steps: [step] });
  open.push(pipeline);
  return pipeline;
}

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

  it("keeps what tools have done before, and the tokens", async () => {
    await using server = await openaiServer([
      chunks(
        [
          {
            tool_calls: [
              {
                index: 0,
                id: "call_1",
                type: "function",
                function: { name: "add_item", arguments: '{"item":"milk"}' },
              },
            ],
          },
        ],
        finish("tool_calls"),
      ),
      chunks(half, (response) => void response.end()),
    ]);
    const sessions = memorySessions();
    const agent = new Agent({ model: server.model, sessions, sessionId: "s1", ...shopping });

    const { error } = await readAll(agent.stream("Add milk"));

    expect(error).toMatchObject({ code: "AGENT_FAILED" });
    expect(await agent.getSessionState()).toEqual({ shopping_list: ["milk"] });
    expect((await agent.getSessionMetrics()).totalTokens).toBe(15);
  });

  it("begins no tool whose call has not come whole", async () => {
    const begun = {
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "add_item", arguments: '{"item":"mi' } },
      ],
    };
    await using server = await openaiServer([
      chunks([begun], (response) => void setImmediate(() => response.destroy())),
    ]);
    const agent = new Agent({ model: server.model, sessions: memorySessions(), ...shopping });

    const { events, error } = await readAll(agent.stream("Add milk"));

    expect(error).toMatchObject({ code: "AGENT_FAILED" });
    expect(namesOf(events)).toEqual(["RunStarted", "RunError"]);
    expect(await agent.getSessionState()).toEqual({ shopping_list: [] });
  });

  it("is tried again by a step of a pipeline", async () => {
    const killed = chunks(half, (response) => void setImmediate(() => response.destroy()));
    await using server = await openaiServer([
      killed,
      killed,
      chunks([{ content: "The whole " }, { content: "story." }]),
    ]);
    const output = await pipelineOf(server.model, 2).run("Tell me a story");

    expect(output).toMatchObject({ content: "The whole story.", status: "COMPLETED" });
    expect(output.stepResults).toMatchObject([{ stepName: "write", success: true, metrics: { totalTokens: 15 } }]);
    expect(server.requests).toHaveLength(3);
  });

  it("fails the run of a pipeline when no retry is left", async () => {
    const killed = chunks(half, (response) => void setImmediate(() => response.destroy()));
    await using server = await openaiServer([killed, killed]);
    const run = pipelineOf(server.model, 1).run("Tell me a story");

    await expect(run).rejects.toThrow('Agent "Writer" failed');
    expect(server.requests).toHaveLength(2);
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
