/** Tools that a person has to allow, as a pipeline goes about it: a pause, answers, the rest of the run. */
import { tool as sdkTool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, type ExecutorEvent, type ExecutorResult, tool } from "../src/index.js";
import { namesOf } from "./support/events.js";
import { scripted, toolOutputs } from "./support/models.js";
import { allow, deny, look, refund, request, stored } from "./support/refunds.js";

const outputs = (options: Parameters<typeof toolOutputs>[0]): string => JSON.stringify(toolOutputs(options));
const stateOf = ({ pause }: ExecutorResult): unknown => stored(pause?.state);

describe.each([
  ["answering", undefined],
  ["streaming", () => {}],
])("a call that a person has to allow, %s", (_how, listener) => {
  const ask = (more: Parameters<typeof request>[0] = {}) =>
    request({ ...more, ...(listener === undefined ? {} : { stream: listener }) });

  it("pauses the run before the tool, and goes on without asking the model again", async () => {
    const model = scripted([
      [
        ["look", { order: 7 }],
        ["refund", { order: 7 }],
      ],
      outputs,
    ]);
    const agent = new Agent({ model, tools: [look, refund] });
    const state: Record<string, unknown> = {};

    const paused = await agent.execute(ask({ sessionState: state }));

    expect(paused).toMatchObject({ status: "PAUSED", content: null, error: null, metrics: { totalTokens: 15 } });
    expect(paused.pause?.requirements).toEqual([{ toolCallId: "call-1", toolName: "refund", toolArgs: { order: 7 } }]);
    expect(paused.pause?.state).toStrictEqual(stored(paused.pause?.state));
    expect(paused.tools.map(({ toolName }) => toolName)).toEqual(["look"]);
    expect(state).toEqual({});

    const resume = { state: stateOf(paused), answers: allow("call-1") };
    const done = await agent.execute(ask({ input: "other", sessionState: state, resume }));

    expect(done).toMatchObject({ status: "COMPLETED", runId: paused.runId, pause: null });
    expect(JSON.parse(done.content as string)).toEqual([
      { type: "text", value: "Order 7" },
      { type: "text", value: "Refunded 7" },
    ]);
    expect(state["refunds"]).toEqual([7]);
    expect(done.metrics).toMatchObject({ totalTokens: 30, details: { model: [{ totalTokens: 30 }] } });
    expect(done.tools.map(({ toolName }) => toolName)).toEqual(["look", "refund"]);
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(2);
    expect(done.messages[0]).toEqual({ role: "user", content: "Refund it" });
  });

  it("tells the model what was not allowed, and why", async () => {
    const model = scripted([
      [
        ["refund", { order: 1 }],
        ["refund", { order: 2 }],
      ],
      outputs,
    ]);
    const agent = new Agent({ model, tools: [refund] });
    const state: Record<string, unknown> = {};
    const paused = await agent.execute(ask({ sessionState: state }));

    const answers = [...allow("call-1"), deny("call-0", "too much")];
    const done = await agent.execute(ask({ sessionState: state, resume: { state: stateOf(paused), answers } }));

    expect(state["refunds"]).toEqual([2]);
    expect(done.content).toContain("A person has not allowed this call: too much");
    expect(done.content).toContain("Refunded 2");
    expect(done.tools.find(({ toolCallError }) => toolCallError)).toMatchObject({
      toolCallId: "call-0",
      result: "A person has not allowed this call: too much",
    });
  });

  it("may pause again and again", async () => {
    const model = scripted([[["refund", { order: 1 }]], [["refund", { order: 1 }]], "Both."]);
    const agent = new Agent({ model, tools: [refund] });
    const state: Record<string, unknown> = {};

    const first = await agent.execute(ask({ sessionState: state }));
    const goOn = { state: stateOf(first), answers: allow("call-0") };
    const second = await agent.execute(ask({ sessionState: state, resume: goOn }));

    expect(second).toMatchObject({ status: "PAUSED", metrics: { totalTokens: 30 } });
    expect(second.pause?.requirements).toMatchObject([{ toolCallId: "call-1" }]);

    const last = { state: stateOf(second), answers: allow("call-1") };
    const done = await agent.execute(ask({ sessionState: state, resume: last }));

    expect(done).toMatchObject({ status: "COMPLETED", content: "Both.", metrics: { totalTokens: 45 } });
    expect(state["refunds"]).toEqual([1, 1]);
    // The same call twice: each has a key of its own, though a pause lies between them.
    expect(new Set(state["keys"] as string[]).size).toBe(2);
  });

  it("does not pause where the rule says that nobody needs to be asked", async () => {
    const pay = tool({
      name: "pay",
      description: "Pay",
      parameters: z.object({ cents: z.number() }),
      requiresConfirmation: async ({ cents }, { sessionState }) => cents > (sessionState["limit"] as number),
      execute: ({ cents }) => `Paid ${cents}`,
    });
    const model = scripted([
      [
        ["pay", { cents: 5 }],
        ["pay", { cents: 50 }],
      ],
      "Paid.",
    ]);

    const paused = await new Agent({ model, tools: [pay] }).execute(ask({ sessionState: { limit: 10 } }));

    expect(paused.pause?.requirements).toMatchObject([{ toolArgs: { cents: 50 } }]);
    expect(paused.tools).toMatchObject([{ result: "Paid 5" }]);
  });

  it("asks where the rule throws, and goes on with the answer", async () => {
    const broken = tool({
      ...refund,
      requiresConfirmation: () => {
        throw new TypeError("no rule");
      },
    });
    const agent = new Agent({ model: scripted([[["refund", { order: 1 }]], "Done."]), tools: [broken] });
    const state = {};

    const paused = await agent.execute(ask({ sessionState: state }));
    const resume = { state: stateOf(paused), answers: allow("call-0") };
    const done = await agent.execute(ask({ sessionState: state, resume }));

    expect([paused.status, done.status]).toEqual(["PAUSED", "COMPLETED"]);
    expect(state).toMatchObject({ refunds: [1] });
  });

  it("ends when no model call is left for what comes after the answer", async () => {
    const model = scripted([[["refund", { order: 1 }]]]);

    const result = await new Agent({ model, tools: [refund], maxSteps: 1 }).execute(ask());

    expect(result).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED", details: { maxSteps: 1 } } });
  });

  it("counts the model calls before the pause", async () => {
    const call = [["refund", { order: 1 }]] as const;
    const agent = new Agent({ model: scripted([call, call, "Never."]), tools: [refund], maxSteps: 2 });
    const paused = await agent.execute(ask());

    const result = await agent.execute(ask({ resume: { state: stateOf(paused), answers: allow("call-0") } }));

    expect(result).toMatchObject({ status: "ERROR", error: { details: { maxSteps: 2 } } });
  });

  it("runs with arguments that its schema has made, also after they were stored", async () => {
    let seen: unknown;
    const book = tool({
      name: "book",
      description: "Book",
      parameters: z.object({ day: z.string().transform((text) => new Date(text)) }),
      requiresConfirmation: true,
      execute: ({ day }) => void (seen = day),
    });
    const agent = new Agent({ model: scripted([[["book", { day: "2026-01-02" }]], "Booked."]), tools: [book] });
    const paused = await agent.execute(ask());

    const done = await agent.execute(ask({ resume: { state: stateOf(paused), answers: allow("call-0") } }));

    expect(done.status).toBe("COMPLETED");
    expect(seen).toEqual(new Date("2026-01-02"));
  });

  it("may be tried again from the same pause, with the same keys", async () => {
    const model = scripted([[["refund", { order: 1 }]], () => Promise.reject(new TypeError("down")), "Done."]);
    const agent = new Agent({ model, tools: [refund], maxRetries: 0 });
    const state: Record<string, unknown> = {};
    const paused = await agent.execute(ask({ sessionState: state }));
    const resume = { state: stateOf(paused), answers: allow("call-0") };

    const failed = await agent.execute(ask({ sessionState: state, resume }));
    const done = await agent.execute(ask({ sessionState: state, resume }));

    expect([failed.status, done.status]).toEqual(["ERROR", "COMPLETED"]);
    expect(failed.metrics.totalTokens).toBe(15);
    expect(new Set(state["keys"] as string[]).size).toBe(1);
  });

  it("is cancelled before a tool runs", async () => {
    const agent = new Agent({ model: scripted([[["refund", { order: 1 }]]]), tools: [refund] });
    const state: Record<string, unknown> = {};
    const paused = await agent.execute(ask({ sessionState: state }));
    const resume = { state: stateOf(paused), answers: allow("call-0") };

    const result = await agent.execute(ask({ sessionState: state, resume, signal: AbortSignal.abort() }));

    expect(result.status).toBe("CANCELLED");
    expect(state).toEqual({});
  });
});

describe("the events of a pause", () => {
  it("show the call as started only when it was allowed", async () => {
    const model = scripted([
      [
        ["look", { order: 1 }],
        ["refund", { order: 1 }],
        ["refund", { order: 2 }],
      ],
      "Done.",
    ]);
    const agent = new Agent({ model, tools: [look, refund] });
    const events: ExecutorEvent[] = [];
    const stream = (event: ExecutorEvent) => void events.push(event);

    const paused = await agent.execute(request({ stream }));

    expect(namesOf(events)).toEqual(["RunStarted", "ToolCallStarted", "ToolCallCompleted", "RunPaused"]);
    expect(events.at(-1)).toMatchObject({ requirements: paused.pause?.requirements, pause: null, sessionState: null });

    events.length = 0;
    const answers = [...allow("call-1"), deny("call-2", null)];
    await agent.execute(request({ stream, resume: { state: stateOf(paused), answers } }));

    expect(namesOf(events)).toEqual([
      "RunContinued",
      "ToolCallStarted",
      "ToolCallCompleted",
      "ToolCallCompleted",
      "RunContent",
      "RunCompleted",
    ]);
    const completed = events.flatMap((event) => (event.event === "ToolCallCompleted" ? event : []));
    expect(completed.toSorted(({ tool }) => (tool.toolCallError ? -1 : 1))).toMatchObject([
      { tool: { toolCallId: "call-2", toolCallError: true, result: "A person has not allowed this call." } },
      { tool: { toolCallId: "call-1", toolCallError: false } },
    ]);
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([paused.runId]));
  });
});

it("tools of the SDK ask in their own way", async () => {
  const wipe = sdkTool({
    description: "Wipe",
    inputSchema: z.object({ disk: z.string() }),
    needsApproval: ({ disk }) => disk !== "tmp",
    execute: ({ disk }) => `Wiped ${disk}`,
  });
  const model = scripted([["tmp", "home"].map((disk) => ["wipe", { disk }] as const), outputs]);
  const agent = new Agent({ model, sdkTools: { wipe } as ToolSet });

  const paused = await agent.execute(request());
  const done = await agent.execute(request({ resume: { state: stateOf(paused), answers: allow("call-1") } }));

  expect(agent.canPause).toBe(true);
  expect(paused.pause?.requirements).toMatchObject([{ toolArgs: { disk: "home" } }]);
  expect(done.content).toContain("Wiped home");
});

describe("canPause", () => {
  it("is true where a tool may need a person", () => {
    const model = scripted([]);

    expect(new Agent({ model, tools: [look] }).canPause).toBe(false);
    expect(new Agent({ model, tools: [look, refund] }).canPause).toBe(true);
  });
});

describe("a resume that does not fit", () => {
  it("names all that is wrong with the answers", async () => {
    const calls = [1, 2].map((order) => ["refund", { order }] as const);
    const agent = new Agent({ model: scripted([calls]), tools: [refund] });
    const paused = await agent.execute(request());
    const answers = [...allow("call-1", "call-1", "call-9")];

    const result = await agent.execute(request({ resume: { state: stateOf(paused), answers } }));

    expect(result).toMatchObject({ status: "ERROR", error: { code: "REQUIREMENT_INVALID", retryable: false } });
    expect(result.error?.details["problems"]).toEqual([
      'The call "call-0" of `refund` has no answer.',
      'There is no open call "call-9".',
      'The call "call-1" has two answers.',
    ]);
  });

  it("is refused when the state is of somebody else, or none", async () => {
    const first = new Agent({ name: "First", model: scripted([[["refund", { order: 1 }]]]), tools: [refund] });
    const paused = await first.execute(request());
    const second = new Agent({ name: "Second", model: scripted([]), tools: [refund] });
    const resumes = [stateOf(paused), { version: 9 }, null].map((state) => ({ state, answers: allow("call-0") }));

    const results = await Promise.all(resumes.map((resume) => second.execute(request({ resume }))));

    expect(results.map(({ error }) => error?.code)).toEqual(Array(3).fill("RUN_NOT_PAUSED"));
    expect(results[0]?.error?.message).toContain('is of "first", not of "second"');
  });
});
