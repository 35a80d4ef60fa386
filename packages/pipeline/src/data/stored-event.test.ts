import { describe, expect, it } from "vitest";
import { createOutput } from "./step-output.js";
import { fromStoredEvent, saidBy, storedAbout, toStoredEvent } from "./stored-event.js";

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
    ["StepCompleted", { ...about, content: "another", stepResponse: output }],
    ["LoopExecutionCompleted", { ...base, allResults: [[output], []], content: "loop" }],
    ["WorkflowPaused", { ...base, stepResults: [output] }],
    ["RunContent", { ...base, runId: "of the agent", content: { stepOutput: null } }],
    ["Note", { ...base, stepOutput: "a text", stepResults: 7 }],
  ])("%s is read as it was", (event, fields) => {
    const told = { event, ...fields, ...time };

    const { eventIndex: _, ...rest } = told;
    expect(fromStoredEvent(read(toStoredEvent(told, base)) as never, base)).toStrictEqual(rest);
  });

  it.each([
    ["StepOutput", "0", null],
    ["StepCompleted", "0.1", null],
    ["StepOutput", "0", { ...base, runId: "inner", parentStepId: "3" }],
    ["StepOutput", "0.1", { ...base, runId: "inner", parentStepId: "3" }],
  ] as const)("about an output is read with all that it says: %s of %s", (name, stepId, nested) => {
    const about = createOutput({ ...output, stepId, endedAtMs: time.createdAtMs - 2 });
    const { createdAt, createdAtMs } = time;

    const stored = storedAbout(name, about, { createdAtMs, base: nested });

    const whole = { event: name, ...base, ...nested, ...saidBy(name, about), createdAt, createdAtMs };
    expect(fromStoredEvent(read(stored) as never, base)).toStrictEqual(whole);
  });

  it("says once what its output says, and nothing that every event says", () => {
    const { createdAtMs } = time;
    const ended = createOutput({ ...output, endedAtMs: createdAtMs - 2 });

    expect(storedAbout("StepOutput", output, { createdAtMs, base: null })).toEqual({
      output: { function: "a", stepId: "0", content: "text" },
      afterMs: createdAtMs,
    });
    expect(storedAbout("StepCompleted", ended, { createdAtMs, base: null })).toEqual({
      name: "StepCompleted",
      output: { function: "a", stepId: "0", content: "text", endedAtMs: createdAtMs - 2 },
      afterMs: 2,
    });
  });
});
