import { describe, expect, it } from "vitest";
import { createOutput } from "./step-output.js";
import { fromStoredEvent, toStoredEvent } from "./stored-event.js";

const base = { runId: "r", pipelineRunId: "r", pipelineId: "p", pipelineName: "P", sessionId: "s", nestedDepth: 0 };
const time = { createdAt: 1_795_354_028, createdAtMs: 1_795_354_028_127, eventIndex: 2 };
const output = createOutput({
  stepName: "a",
  stepId: "0",
  executorType: "function",
  executorName: "a",
  content: "text",
});
const about = { ...base, stepName: "a", stepId: "0", stepIndex: [0], content: "text", success: true };

const read = (event: object): object => JSON.parse(JSON.stringify(event));

describe("a stored event", () => {
  it.each([
    ["StepOutput", { ...about, error: null, stop: false, stepOutput: output }],
    ["StepOutput", { ...about, stepOutput: output }],
    ["StepOutput", { ...about, stepId: "0.1", stepIndex: [0, 1], stepOutput: { ...output, stepId: "0.1" } }],
    ["StepCompleted", { ...about, content: "another", stepResponse: output }],
    ["LoopExecutionCompleted", { ...base, allResults: [[output], []], content: "loop" }],
    ["WorkflowPaused", { ...base, stepResults: [output] }],
    ["RunContent", { ...base, runId: "of the agent", content: { stepOutput: null } }],
    ["Note", { ...base, stepOutput: "a text", stepResults: 7 }],
  ])("%s is read as it was", (event, fields) => {
    const told = { event, ...fields, ...time };

    const { eventIndex: _, ...rest } = told;
    expect(fromStoredEvent(read(toStoredEvent(told, base)) as never, base)).toStrictEqual(rest);
    expect(fromStoredEvent({ name: event, data: read(told) as never }, base)).toStrictEqual(told);
  });

  it("says once what its output says, and nothing that every event says", () => {
    const event = { event: "StepOutput", ...about, error: null, stop: false, stepOutput: output, ...time };

    expect(toStoredEvent(event, base)).toEqual({
      output: { function: "a", stepId: "0", content: "text" },
      afterMs: time.createdAtMs,
    });
    const endedAtMs = time.createdAtMs - 2;
    expect(toStoredEvent({ ...event, stepOutput: { ...output, endedAtMs } }, base)).toEqual({
      output: { function: "a", stepId: "0", content: "text", endedAtMs },
      afterMs: 2,
    });
  });
});
