import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, memorySessions, tool } from "../src/index.js";
import { namesOf, readAll, textOf } from "./support/events.js";
import { executing } from "./support/in-step.js";
import { scripted, usage } from "./support/models.js";
import { addItem } from "./support/shopping.js";

const shopping = { sessionState: { shopping_list: [] as string[] }, tools: [addItem] };

describe("stream", () => {
  it("tells what happens, in order, and ends when the session is saved", async () => {
    const model = scripted([[["add_item", { item: "milk" }]], "Milk is on it."], "model-1");
    const agent = new Agent({ name: "Shopping Assistant", model, sessions: memorySessions(), ...shopping });

    const { events, error } = await readAll(agent.stream("Add milk", { runId: "r1", sessionId: "s1" }));

    expect(error).toBeNull();
    expect(namesOf(events)).toEqual([
      "RunStarted",
      "ToolCallStarted",
      "ToolCallCompleted",
      ...Array(4).fill("RunContent"),
      "RunCompleted",
    ]);
    expect(events[0]).toMatchObject({
      runId: "r1",
      sessionId: "s1",
      agentId: "shopping-assistant",
      agentName: "Shopping Assistant",
      parentRunId: null,
      model: "model-1",
      modelProvider: "mock",
    });
    expect(events[1]).toMatchObject({ tool: { toolName: "add_item", toolArgs: { item: "milk" }, result: null } });
    expect(events[2]).toMatchObject({ tool: { result: "Added 'milk' to the shopping list", toolCallError: false } });
    expect(textOf(events)).toBe("Milk is on it.");
    expect(events.at(-1)).toMatchObject({
      content: "Milk is on it.",
      contentType: "text",
      metrics: { inputTokens: 20, outputTokens: 10, timeToFirstToken: expect.any(Number) },
      sessionState: { shopping_list: ["milk"] },
    });
    expect(await agent.getSessionState("s1")).toEqual({ shopping_list: ["milk"] });
  });

  it("ends with the error, as an event and as an exception", async () => {
    const agent = new Agent({ model: scripted([]), sessions: memorySessions() });

    const { events, error } = await readAll(agent.stream("Hi"));

    expect(namesOf(events)).toEqual(["RunStarted", "RunError"]);
    expect(events[1]).toMatchObject({ errorType: "AGENT_FAILED", additionalData: { executor: "agent" } });
    expect(error).toMatchObject({ code: "AGENT_FAILED" });
  });

  it("shows the text, then the call, and then lets the tool begin", async () => {
    const shown: string[] = [];
    const look = tool({ name: "look", description: "Look", execute: () => void shown.push("the tool begins") });
    const call = { type: "tool-call", toolCallId: "1", toolName: "look", input: "{}" } as const;
    const chunks = [
      { type: "text-start", id: "1" },
      ...["I ", "will ", "look."].map((delta) => ({ type: "text-delta", id: "1", delta }) as const),
      { type: "text-end", id: "1" },
      call,
      { ...call, toolCallId: "2" },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "x" }, usage },
    ] as const;
    const stream = () => simulateReadableStream({ chunks: [...chunks], initialDelayInMs: null, chunkDelayInMs: null });
    const model = new MockLanguageModelV4({ doStream: async () => ({ stream: stream() }) });
    const agent = new Agent({ model, tools: [look], maxSteps: 1 });

    await executing(agent).execute({
      input: "Look",
      sessionState: {},
      signal: new AbortController().signal,
      idempotencyKey: "k",
      stream: ({ event }) => shown.push(event),
    });

    expect(shown.slice(0, 5)).toEqual(["RunStarted", "RunContent", "RunContent", "RunContent", "ToolCallStarted"]);
    expect(shown.indexOf("the tool begins")).toBeGreaterThan(4);
    expect(shown.filter((name) => name === "the tool begins")).toHaveLength(2);
  });

  it("shows a tool that threw", async () => {
    const agent = new Agent({ model: scripted([[["add_item", { item: "milk" }]], "Sorry."]), tools: [addItem] });

    const { events } = await readAll(agent.stream("Add milk")); // there is no list in the state

    const completed = events.find(({ event }) => event === "ToolCallCompleted");
    expect(completed).toMatchObject({ tool: { toolCallError: true }, content: "add_item failed" });
  });

  it("cancels the run when its reader stops, and saves what tools have done", async () => {
    const never = new Promise<never>(() => {});
    const model = scripted([
      [["add_item", { item: "milk" }]],
      ({ abortSignal }) =>
        Promise.race([never, new Promise<never>((_, reject) => abortSignal?.addEventListener("abort", reject))]),
    ]);
    const agent = new Agent({ model, sessions: memorySessions(), ...shopping });

    for await (const { event } of agent.stream("Add milk")) if (event === "ToolCallCompleted") break;

    expect(await agent.getSessionState()).toEqual({ shopping_list: ["milk"] });
  });

  it("loses nothing when its reader stops at the last event", async () => {
    const agent = new Agent({ model: scripted(["Hi."]), sessions: memorySessions(), sessionState: { a: 1 } });

    for await (const { event } of agent.stream("Hi")) if (event === "RunCompleted") break;

    expect(await agent.getSessionState()).toEqual({ a: 1 });
  });

  it("is cancelled by a signal", async () => {
    const model = scripted([[["add_item", { item: "milk" }]], "Never."]);
    const agent = new Agent({ model, sessions: memorySessions(), ...shopping });

    const { events, error } = await readAll(
      agent.stream("Add milk", { signal: AbortSignal.abort(new Error("enough")) }),
    );

    expect(namesOf(events)).toEqual(["RunStarted", "RunCancelled"]);
    expect(error).toMatchObject({ code: "RUN_CANCELLED" });
    expect(model.doStreamCalls).toHaveLength(0);
  });
});

describe("an answer without an end", () => {
  const unfinished = { unified: "error" as const, raw: "gave up" };

  it("is an error when the stream stops before its last part", async () => {
    const chunks = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Once upon" },
    ] as const;
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks: [...chunks] }) }),
    });

    const { events, error } = await readAll(new Agent({ model }).stream("Tell me a story"));

    expect(textOf(events)).toBe("Once upon");
    expect(error).toMatchObject({ code: "AGENT_FAILED" });
  });

  it("is an error when the provider says so", async () => {
    const content = [{ type: "text" as const, text: "Once upon" }];
    const model = new MockLanguageModelV4({
      doGenerate: { content, finishReason: unfinished, usage, warnings: [] },
    });

    await expect(new Agent({ model }).run("Tell me a story")).rejects.toMatchObject({ code: "AGENT_FAILED" });
  });
});

describe("structured output", () => {
  const Findings = z.object({ topic: z.string(), facts: z.array(z.string()).default([]) });

  it("is what the schema makes of the answer, in run and stream", async () => {
    const agent = new Agent({ model: scripted(['{"topic":"AI"}', '{"topic":"AI"}']), outputSchema: Findings });

    const run = await agent.run("Research AI");
    const { events } = await readAll(agent.stream("Research AI"));

    expect(run.content.facts).toEqual([]); // typed, with the schema's default
    expect(run).toMatchObject({ content: { topic: "AI" }, contentType: "object" });
    expect(events.at(-1)).toMatchObject({ event: "RunCompleted", content: { topic: "AI", facts: [] } });
    expect(textOf(events)).toBe('{"topic":"AI"}');
  });

  it("is asked for with the agent's own schema, also when agents work side by side", async () => {
    const models = [scripted(['{"topic":"AI"}']), scripted(['{"score":7}'])] as const;
    const first = new Agent({ model: models[0], outputSchema: Findings });
    const second = new Agent({ model: models[1], outputSchema: z.object({ score: z.number() }) });

    const runs = await Promise.all([first.run("x"), second.run("x")]);

    expect(runs.map(({ content }) => content)).toEqual([{ topic: "AI", facts: [] }, { score: 7 }]);
    const formats = models.map(({ doGenerateCalls }) => doGenerateCalls[0]?.responseFormat);
    expect(formats[0]).toMatchObject({ type: "json", schema: { properties: { topic: { type: "string" } } } });
    expect(formats[1]).toMatchObject({ type: "json", schema: { properties: { score: { type: "number" } } } });
  });

  it.each([
    ["no JSON", "I think AI is great."],
    ["other JSON", '{"subject":"AI"}'],
  ])("is an error when the model answers with %s", async (_what, answer) => {
    const agent = new Agent({
      name: "Researcher",
      model: scripted([answer, answer]),
      outputSchema: Findings,
      outputRepairs: 0,
    });

    const failure = { code: "AGENT_OUTPUT_INVALID", details: { executor: "Researcher", text: answer } };
    await expect(agent.run("Research AI")).rejects.toMatchObject(failure);
    expect((await readAll(agent.stream("Research AI"))).error).toMatchObject(failure);
  });
});
