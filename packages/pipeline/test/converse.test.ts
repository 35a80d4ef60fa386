/** A pipeline behind an agent, which answers by itself or has it run. */
import { describe, expect, it } from "vitest";
import type { ConversationalAgent, DecideRequest, DecideResult, PipelineOptions, StepFunction } from "../src/index.js";
import { tokens } from "./support/fake-executor.js";
import { answerAll, eventsOf, fails, namesOf, pipeline, step } from "./support/pipelines.js";

interface Agent extends ConversationalAgent {
  readonly requests: DecideRequest[];
}

/** Answers what it knows, and asks the pipeline for the rest. */
function agent(known: Readonly<Record<string, string>> = {}, options: Partial<ConversationalAgent> = {}): Agent {
  const requests: DecideRequest[] = [];
  return {
    kind: "pipeline-agent",
    name: "helper",
    addHistory: true,
    numHistoryRuns: null,
    requests,
    async decide(request) {
      requests.push(request);
      const text = String(request.input);
      request.stream?.({ event: "RunContent", content: "hm" } as never);
      const answer = known[text];
      const base = {
        runId: `decision ${requests.length}`,
        metrics: tokens(5),
        status: "COMPLETED",
        error: null,
      } as const;
      return answer === undefined
        ? { ...base, content: null, query: `about ${text}` }
        : { ...base, content: answer, query: null };
    },
    ...options,
  };
}

const conversing = (
  made: ConversationalAgent,
  steps: PipelineOptions["steps"],
  options: Partial<PipelineOptions> = {},
) => pipeline(steps, { agent: made, storeEvents: true, description: "Writes articles.", ...options });

const look: StepFunction = ({ input, previousStepContent, additionalData, images }) => ({
  input,
  previousStepContent: previousStepContent ?? null,
  additionalData,
  images: images.map(({ id }) => id),
});

describe("an agent that answers by itself", () => {
  it("has a run with its text, without steps, that is stored like any other", async () => {
    let calls = 0;
    const talking = conversing(agent({ hello: "Hello!" }), [() => ++calls]);
    const output = await talking.run("hello", { sessionId: "s" });

    expect(output).toMatchObject({
      status: "COMPLETED",
      input: "hello",
      content: "Hello!",
      stepResults: [],
      agentRun: {
        runId: "decision 1",
        agentName: "helper",
        query: null,
        content: "Hello!",
        metrics: { totalTokens: 5 },
      },
    });
    expect(calls).toBe(0);
    expect((await talking.sessions.get("s"))?.runs).toMatchObject([{ runId: output.runId, status: "COMPLETED" }]);
    expect(await talking.getSessionMetrics("s")).toMatchObject({ totalTokens: 5, duration: 1 });
  });

  it("shows that it has begun and ended, and nothing of steps", async () => {
    const run = conversing(agent({ hello: "Hello!" }), [step("a")]).run("hello", { streamEvents: true });
    const events = await eventsOf(run);

    expect(namesOf(events)).toEqual([
      "WorkflowAgentStarted",
      "RunContent",
      "WorkflowAgentCompleted",
      "WorkflowCompleted",
    ]);
    expect(events[2]).toMatchObject({ agentName: "helper", content: "Hello!" });
    expect(events[3]).toMatchObject({ status: "COMPLETED", content: "Hello!" });
    expect(namesOf((await run).events)).toEqual(namesOf(events));
  });
});

describe("an agent that has the pipeline run", () => {
  it("gives it a query as the input, and keeps what the user said; data and media are passed on", async () => {
    const talking = conversing(agent(), [
      look,
      step("b", { executor: (input) => [input.input, input.previousStepContent] }),
    ]);
    const output = await talking.run("rivers", {
      sessionId: "s",
      additionalData: { order: 17 },
      images: [{ id: "picture", url: "https://example.com/a.png" }],
    });
    const seen = {
      input: "about rivers",
      previousStepContent: null,
      additionalData: { order: 17 },
      images: ["picture"],
    };

    expect(output).toMatchObject({
      status: "COMPLETED",
      input: "rivers",
      content: ["about rivers", seen],
      agentRun: { query: "about rivers" },
      metrics: { steps: { helper: { metrics: { totalTokens: 5 } } } },
    });
    expect(output.stepResults).toHaveLength(2);
    expect((await talking.sessions.get("s"))?.runs).toHaveLength(1);
    expect((await talking.runs({ sessionId: "s" })).runs).toHaveLength(1);
  });

  it("frames the events of the run", async () => {
    const run = conversing(agent(), [step("a")]).run("rivers", { streamEvents: true });
    const events = await eventsOf(run);

    expect(namesOf(events)).toEqual([
      "WorkflowAgentStarted",
      "RunContent",
      "WorkflowStarted",
      "StepStarted a",
      "StepOutput a",
      "StepCompleted a",
      "WorkflowAgentCompleted",
      "WorkflowCompleted",
    ]);
    expect(events.at(-2)).toMatchObject({ content: "about rivers a" });
    expect(namesOf((await run).events)).toEqual(namesOf(events));
  });

  it("decides once, also where people are asked later", async () => {
    const made = agent();
    const talking = conversing(made, [step("a", { humanReview: { requiresConfirmation: true } })]);
    const done = await answerAll(talking, await talking.run("rivers"));

    expect(done).toMatchObject({ status: "COMPLETED", input: "rivers", content: "about rivers a" });
    expect(made.requests).toHaveLength(1);
  });
});

describe("what the agent is told", () => {
  it("is the description, the session's earlier runs as the users said them, and who asks", async () => {
    const made = agent({ hello: "Hello!" });
    const talking = conversing(made, [step("a")]);
    const options = { sessionId: "s", userId: "ada", additionalData: { order: 17 } };
    for (const text of ["hello", "rivers", "lakes"]) await talking.run(text, options);
    await talking.run("hello", { sessionId: "another" });
    const [first, , third, fourth] = made.requests as [DecideRequest, DecideRequest, DecideRequest, DecideRequest];

    expect(first).toMatchObject({ input: "hello", pipelineDescription: "Writes articles.", history: null });
    expect(third).toMatchObject({ sessionId: "s", userId: "ada" });
    expect(third.history).toBe(
      [
        "<workflow_history_context>",
        "[run-1]\ninput: hello\nresponse: Hello!",
        "",
        "[run-2]\ninput: rivers\nresponse: about rivers a",
        "</workflow_history_context>",
      ].join("\n"),
    );
    expect(fourth.history).toBeNull();
  });

  it("is as much history as it wants", async () => {
    const newest = agent({ a: "1", b: "2", c: "3" }, { numHistoryRuns: 1 });
    const none = agent({ a: "1", b: "2", c: "3" }, { addHistory: false });
    for (const made of [newest, none]) {
      const talking = conversing(made, []);
      for (const text of ["a", "b", "c"]) await talking.run(text, { sessionId: "s" });
    }

    expect(newest.requests.at(-1)?.history).toContain("[run-1]\ninput: b\nresponse: 2");
    expect(newest.requests.at(-1)?.history).not.toContain("input: a");
    expect(none.requests.at(-1)?.history).toBeNull();
  });

  it("is the session state, which it may change", async () => {
    const made = agent(
      {},
      {
        async decide({ sessionState, input }): Promise<DecideResult> {
          sessionState["topic"] = input;
          return { runId: "r", content: null, query: "q", metrics: null, status: "COMPLETED", error: null };
        },
      },
    );
    const talking = conversing(made, [(_input, { sessionState }) => sessionState["topic"]]);

    expect(await talking.run("rivers")).toMatchObject({ content: "rivers", sessionState: { topic: "rivers" } });
  });
});

describe("an agent that fails", () => {
  const failure = { runId: "r", content: "no model", query: null, metrics: null, status: "ERROR" } as const;

  it.each([
    ["by what it gives", async () => ({ ...failure, error: null })],
    ["by its error", async () => ({ ...failure, error: new Error("no model") })],
    ["by throwing", () => Promise.reject(new Error("no model"))],
  ])("%s fails the run, which is stored once", async (_name, decide) => {
    const talking = conversing(agent({}, { decide: decide as ConversationalAgent["decide"] }), [step("a")]);
    const run = talking.run("rivers", { sessionId: "s" });

    await expect(run).rejects.toMatchObject({ code: "PIPELINE_FAILED", message: expect.stringContaining("no model") });
    expect(await run.output()).toMatchObject({ status: "ERROR", input: "rivers", stepResults: [] });
    expect((await talking.sessions.get("s"))?.runs).toMatchObject([{ status: "ERROR" }]);
    expect(namesOf(await eventsOf(run)).at(-1)).toMatch(/^WorkflowError/);
  });

  it("is not what a failed step is: the agent has ended well, and the run has failed", async () => {
    const run = conversing(agent(), [step("bad", { executor: fails })]).run("rivers", { streamEvents: true });

    expect(await run.output()).toMatchObject({ status: "ERROR", agentRun: { query: "about rivers" } });
    expect(namesOf(await eventsOf(run)).slice(-2)).toEqual(["StepError bad", "WorkflowError bad"]);
  });
});

it("a pipeline with an agent that is a step of another one runs without its agent", async () => {
  const made = agent();
  const inner = conversing(made, [step("i")]);

  expect(await pipeline([inner]).run("in")).toMatchObject({ content: "in i" });
  expect(made.requests).toEqual([]);
});
