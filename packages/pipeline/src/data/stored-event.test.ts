import { describe, expect, it } from "vitest";
import { createOutput } from "./step-output.js";
import { fromStoredEvent, saidBy, saidByGroup, storedAbout, toStoredEvent } from "./stored-event.js";

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
    ["WorkflowCompleted", { ...base, content: "text", stepResults: [output] }],
    ["WorkflowCompleted", { ...base, content: "of an agent", stepResults: [output] }],
    ["RunContent", { ...base, runId: "of the agent", content: { stepOutput: null } }],
    ["Note", { ...base, stepOutput: "a text", stepResults: 7 }],
  ])("%s is read as it was", (event, fields) => {
    const emitted = { event, ...fields, ...time };

    const { eventIndex: _, ...rest } = emitted;
    expect(fromStoredEvent(read(toStoredEvent(emitted, base)) as never, base)).toStrictEqual(rest);
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

  it.each([
    ["Parallel", "1", { parallelStepCount: 1 }],
    ["Condition", "0.2", { conditionResult: true, branch: "if" }],
    ["Loop", "0", { maxIterations: 3 }],
  ] as const)(
    "about the output of a %s is read with all that it says, and has the outputs in it once",
    (type, id, own) => {
      const iterations = type === "Loop" ? [[output]] : null;
      const group = createOutput({
        stepName: "g",
        stepId: id,
        stepType: type,
        content: "g",
        steps: [output],
        iterations,
      });
      const { eventIndex: _, ...at } = time;
      const emitted = { event: `${type}ExecutionCompleted`, ...base, ...own, ...saidByGroup(group), ...at };

      const stored = toStoredEvent(emitted, base, group);

      expect(fromStoredEvent(read(stored) as never, base)).toStrictEqual(emitted);
      expect(JSON.stringify(stored).match(/"text"/g)).toHaveLength(1);
    },
  );

  it("about the output of the event before it is read with that", () => {
    const ended = createOutput({ ...output, endedAtMs: time.createdAtMs - 2 });
    const { createdAt, createdAtMs } = time;
    const [first, again] = (["StepOutput", "StepCompleted"] as const).map((name) =>
      read(storedAbout(name, ended, { createdAtMs, base: null, again: name === "StepCompleted" })),
    );

    const whole = { event: "StepCompleted", ...base, ...saidBy("StepCompleted", ended), createdAt, createdAtMs };
    expect(again).toEqual({ name: "StepCompleted", output: "before", afterMs: 2 });
    expect(fromStoredEvent(again as never, base, first as never)).toStrictEqual(whole);
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
