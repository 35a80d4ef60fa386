import { emptyMetrics } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { executionsOf, runMetrics } from "../data/metrics.js";
import type { StepExecutionData } from "../data/metrics.types.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { PipelineRunOutput } from "./run-output.types.js";
import { markResult, storedResult } from "./stored-result.js";

const named = (stepName: string, content: unknown): StepOutput =>
  createOutput({
    stepName,
    stepId: "0",
    executorType: "function",
    executorName: stepName,
    content,
    endedAtMs: 5,
    metrics: { ...emptyMetrics, duration: 2 },
  });
const [first, second] = [named("first", 1), named("second", { found: true })];
const agent: StepExecutionData = {
  stepName: "agent",
  executorType: "agent",
  executorName: "agent",
  metrics: { ...emptyMetrics, inputTokens: 3 },
  success: true,
  steps: [],
};

function result(fields: Partial<PipelineRunOutput> = {}): PipelineRunOutput {
  const { stepResults = [first, second] } = fields;
  return markResult({
    runId: "run",
    pipelineId: "tested",
    pipelineName: "Tested",
    sessionId: "session",
    userId: null,
    status: "COMPLETED",
    stepResults,
    hasFailures: false,
    error: null,
    cancelReason: null,
    metadata: {},
    sessionState: {},
    images: [],
    videos: [],
    audio: [],
    files: [],
    metrics: runMetrics(executionsOf(stepResults), 1.5),
    stepExecutorRuns: [],
    events: [],
    agentRun: null,
    requirements: [],
    answered: [],
    createdAt: 7,
    endedAtMs: 9,
    input: "in",
    content: stepResults.at(-1)?.content,
    ...fields,
  });
}

const short = (output: PipelineRunOutput): unknown => storedResult.encode(output as never);

/** As another process reads it. */
const read = (output: PipelineRunOutput): unknown =>
  storedResult.decode(JSON.parse(JSON.stringify(short(output))) as never);

const group = createOutput({ stepName: "all", stepType: "Steps", content: "2 steps", steps: [first, second] });
const failure = { stepName: "second", message: "no", name: "Error", code: null, retryable: null };
const agentRun = { runId: "a", agentName: "agent", query: "q", content: "c", metrics: agent.metrics };

describe("a stored result", () => {
  it.each<[string, PipelineRunOutput]>([
    ["a plain run", result()],
    ["a run of a group, with the content of its last step", result({ stepResults: [group], content: second.content })],
    ["a run whose content is another one", result({ content: { found: true } })],
    ["a run without steps", result({ stepResults: [], content: "No steps executed" })],
    ["a failed run", result({ status: "ERROR", error: failure, hasFailures: true, content: "failed" })],
    ["a cancelled run", result({ status: "CANCELLED", cancelReason: "enough", userId: "ada" })],
    ["a run with state and metadata", result({ sessionState: { list: [1, null] }, metadata: { of: "test" } })],
    ["a run of an agent", result({ agentRun, metrics: runMetrics([agent, ...executionsOf([first, second])], 2) })],
    ["a step that was tried twice", result({ metrics: runMetrics([...executionsOf([first, second]), agent], 2) })],
    ["an output whose attempts are not in the metrics", result({ metrics: runMetrics(executionsOf([first]), 2) })],
  ])("of %s is read as it was", (_, output) => {
    const { content, ...rest } = output;

    expect(read(output)).toStrictEqual(content === undefined ? rest : output);
  });

  it("without content is read without it", () => {
    const { content: _, ...output } = result();

    expect(read(markResult(output as PipelineRunOutput))).toStrictEqual(output);
  });

  it("has what differs from the defaults, and nothing that its outputs say", () => {
    expect(short(result())).toEqual({
      runId: "run",
      pipelineId: "tested",
      pipelineName: "Tested",
      sessionId: "session",
      createdAt: 7,
      endedAtMs: 9,
      input: "in",
      hasContentOfSteps: true,
      steps: [
        { function: "first", stepId: "0", content: 1, endedAtMs: 5, duration: 2 },
        { function: "second", stepId: "0", content: { found: true }, endedAtMs: 5, duration: 2 },
      ],
      metrics: { duration: 1.5 },
    });
  });

  it("keeps the order of the metrics where an agent was first", () => {
    const metrics = runMetrics([agent, ...executionsOf([first, second])], 2);
    const back = read(result({ agentRun, metrics })) as PipelineRunOutput;

    expect(Object.keys(back.metrics.steps)).toEqual(["agent", "first", "second"]);
  });

  it("is frozen, and is stored short again", () => {
    const back = read(result()) as PipelineRunOutput;

    expect(Object.isFrozen(back)).toBe(true);
    expect(storedResult.is(back)).toBe(true);
    expect(short(back)).toEqual(short(result()));
  });

  it("is no copy of the marked one, and nothing else", () => {
    expect([{ ...result() }, {}, [], null, "text"].map((value) => storedResult.is(value))).toEqual(
      Array(5).fill(false),
    );
  });

  it("that is none is refused", () => {
    expect(() => storedResult.decode({ runId: "run" } as never)).toThrow(TypeError);
  });
});
