/** The agent that stands in front of a pipeline. */
import { type DecideRequest, emptyMedia } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { PipelineAgent } from "../src/index.js";
import { deciding } from "./support/in-step.js";
import { scripted, systemTexts, userTexts } from "./support/models.js";
import { chunks, openaiServer, status } from "./support/openai-server.js";

const history = "<workflow_history_context>\n[run-1]\ninput: rivers\nresponse: The Nile.\n</workflow_history_context>";

type Request = Omit<DecideRequest, "ctx" | "callContext">;

function request(more: Partial<Request> = {}): Request {
  return {
    input: "Which is the longest river?",
    ...emptyMedia,
    sessionId: "s1",
    userId: null,
    sessionState: {},
    runContext: {} as DecideRequest["runContext"], // it has nothing to do with it
    signal: new AbortController().signal,
    idempotencyKey: "run-1",
    pipelineDescription: null,
    history: null,
    ...more,
  };
}

describe.each([
  ["answering", undefined],
  ["streaming", () => {}],
])("decide, %s", (_how, listener) => {
  const ask = (more: Partial<Request> = {}) =>
    request({ ...more, ...(listener === undefined ? {} : { stream: listener }) });

  it("gives the query of the first call, and calls the model once", async () => {
    const model = scripted([
      [
        ["run_workflow", { query: "longest river" }],
        ["run_workflow", { query: "second" }],
      ],
    ]);

    const decided = await deciding(new PipelineAgent({ model })).decide(ask());

    expect(decided).toMatchObject({ query: "longest river", content: null, status: "COMPLETED", error: null });
    expect(decided.metrics).toMatchObject({ totalTokens: 15, duration: expect.any(Number) });
    expect(decided.runId).toEqual(expect.any(String));
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(1);
  });

  it("gives the answer when it needs no run", async () => {
    const decided = await deciding(new PipelineAgent({ model: scripted(["The Nile."]) })).decide(ask({ history }));

    expect(decided).toMatchObject({ query: null, content: "The Nile.", status: "COMPLETED" });
  });

  it.each([
    ["an empty query", [["run_workflow", { query: "" }]] as const],
    ["no query", [["run_workflow", {}]] as const],
    ["another tool", [["delete_all", { query: "x" }]] as const],
    ["nothing", ""],
  ])("is an error for a model that answers with %s", async (_what, turn) => {
    const decided = await deciding(new PipelineAgent({ name: "Front", model: scripted([turn]) })).decide(ask());

    expect(decided).toMatchObject({ status: "ERROR", query: null, content: null });
    expect(decided.error).toMatchObject({ code: "AGENT_OUTPUT_INVALID", details: { executor: "Front" } });
    expect(decided.metrics?.totalTokens).toBe(15);
  });

  it("is an error when the model fails, and cancelled when the signal says so", async () => {
    const agent = new PipelineAgent({ model: scripted([]), maxRetries: 0 });

    expect(await deciding(agent).decide(ask())).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED" } });
    expect(await deciding(agent).decide(ask({ signal: AbortSignal.abort() }))).toMatchObject({
      status: "CANCELLED",
      error: { code: "RUN_CANCELLED" },
    });
  });
});

describe("what the model is told", () => {
  const systemOf = async (options: object, more: Partial<DecideRequest>) => {
    const model = scripted(["Fine."]);
    await deciding(new PipelineAgent({ model, ...options })).decide(request(more));
    return systemTexts(model)[0] ?? "";
  };

  it("has the usual instructions, the description and the history", async () => {
    const text = await systemOf({}, { history, pipelineDescription: "Answers about rivers" });

    expect(text).toContain("call `run_workflow` once, with a concise query");
    expect(text.endsWith(`The workflow: Answers about rivers\n\n${history}`)).toBe(true);
  });

  it("says when there are no earlier runs, or none are shown", async () => {
    expect(await systemOf({}, {})).toContain("There are no earlier runs in this session.");
    expect(await systemOf({ addHistory: false }, {})).toContain("No history of earlier runs is available.");
  });

  it("puts the context into instructions of your own, or at their end", async () => {
    expect(await systemOf({ instructions: "Be kind." }, { history })).toBe(`Be kind.\n\n${history}`);
    expect(await systemOf({ instructions: "Know: {workflow_context} {other}" }, { history })).toBe(
      `Know: ${history} {other}`,
    );
  });

  it("has the input and its media", async () => {
    const model = scripted(["A bridge."]);
    const images = [{ kind: "image", id: "1", content: "AAAA", mimeType: "image/png" }] as const;

    await deciding(new PipelineAgent({ model })).decide(request({ input: { about: "this" }, images }));

    const [call] = model.doGenerateCalls;
    expect(call && userTexts(call)).toEqual(['{\n  "about": "this"\n}']);
    expect(call?.prompt.at(-1)?.content).toMatchObject([{ type: "text" }, { type: "file", mediaType: "image/png" }]);
    expect(call?.tools).toMatchObject([{ type: "function", name: "run_workflow" }]);
  });
});

it("shows what it says as it comes, marked as the agent's", async () => {
  const events: object[] = [];
  const model = scripted(["The Nile."]);

  const { runId } = await deciding(new PipelineAgent({ name: "Front", model })).decide(
    request({ stream: (event) => void events.push(event) }),
  );

  const facts = { event: "RunContent", runId, sessionId: "s1", agentName: "Front", workflowAgent: true };
  expect(events).toMatchObject([
    { ...facts, content: "The " },
    { ...facts, content: "Nile." },
  ]);
});

it("has the options that a pipeline asks for", () => {
  const model = scripted([]);

  expect(new PipelineAgent({ model })).toMatchObject({
    kind: "pipeline-agent",
    name: "pipeline-agent",
    addHistory: true,
    numHistoryRuns: 5,
  });
  expect(new PipelineAgent({ model, numHistoryRuns: null }).numHistoryRuns).toBeNull();
  const refused = expect.objectContaining({
    code: "OPTION_INVALID",
    message: expect.stringContaining("from 0 to 1,000"),
  });
  expect(() => new PipelineAgent({ model, numHistoryRuns: -1 })).toThrow(refused);
  expect(() => new PipelineAgent({ model, numHistoryRuns: 1_001 })).toThrow(refused);
});

describe("over HTTP", () => {
  it("does not take half an answer for a whole one", async () => {
    const half = chunks([{ content: "The N" }], (response) => void response.end());
    await using server = await openaiServer([half]);

    const decided = await deciding(new PipelineAgent({ model: server.model })).decide(request({ stream: () => {} }));

    expect(decided).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED" } });
  });

  it("says how long to wait once it gives up", async () => {
    await using server = await openaiServer([status(429, "slow down", { "retry-after": "7" })]);

    const decided = await deciding(new PipelineAgent({ model: server.model, maxRetries: 0 })).decide(request());

    expect(decided).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED", retryAfterMs: 7000 } });
  });
});
