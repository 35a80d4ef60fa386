import { emptyMetrics } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { joinParallel } from "./join-parallel.js";
import { createOutput } from "./step-output.js";
import { fromStored, type StoredOutput, toStored } from "./stored-output.js";

/** As another process reads it. */
const read = (short: StoredOutput): StoredOutput => JSON.parse(JSON.stringify(short));

const plain = createOutput({ stepName: "a", stepId: "0", content: "text", metrics: { ...emptyMetrics, duration: 2 } });
const image = { id: "i", url: "https://example.org/i.png" } as never;
const failed = createOutput({ stepName: "b", success: false, error: "no", skipped: true, stop: true, images: [image] });
const loop = createOutput({
  stepType: "Loop",
  content: [],
  steps: [plain, failed],
  iterations: [[plain], [], [failed]],
});

describe("a stored output", () => {
  it.each([
    ["a plain one", plain],
    ["a failed one", failed],
    ["a function", createOutput({ stepName: "f", executorType: "function", executorName: "f" })],
    ["a function of another name", createOutput({ stepName: "f", executorType: "function", executorName: "g" })],
    [
      "an agent",
      createOutput({
        stepName: "a",
        executorType: "agent",
        executorName: "a",
        metrics: { ...emptyMetrics, inputTokens: 3 },
      }),
    ],
    ["a group", loop],
    ["a Parallel", createOutput({ stepType: "Parallel", content: joinParallel([plain]), steps: [plain] })],
    ["a nested pipeline", createOutput({ stepType: "Workflow", content: "text", steps: [plain] })],
    [
      "a nested pipeline that answers otherwise",
      createOutput({ stepType: "Workflow", content: "else", steps: [plain] }),
    ],
    ["a nested pipeline that returns nothing", createOutput({ stepType: "Workflow", steps: [createOutput({})] })],
    ["a Parallel that somebody has edited", createOutput({ stepType: "Parallel", content: "edited", steps: [plain] })],
    ["one without content", createOutput({ breakLoop: true, iterations: [] })],
    ["one that has failed without an error", createOutput({ success: false, content: null })],
    ["one that has an error and is a success", createOutput({ success: true, error: "late" })],
  ])("of %s is read as it was", (_, output) => {
    expect(fromStored(read(toStored(output)))).toStrictEqual(output);
  });

  it("has what differs from the defaults alone, at any depth", () => {
    expect(toStored(createOutput({ stepName: "all", steps: [plain] }))).toEqual({
      stepName: "all",
      steps: [{ stepName: "a", stepId: "0", content: "text", duration: 2 }],
    });
  });

  it("of a nested pipeline has the text of its last step once", () => {
    expect(toStored(createOutput({ stepType: "Workflow", content: "text", steps: [plain] }))).toEqual({
      stepType: "Workflow",
      inside: true,
      steps: [{ stepName: "a", stepId: "0", content: "text", duration: 2 }],
    });
  });

  it("of a loop or a Parallel has no output and no text twice", () => {
    const both = createOutput({ stepType: "Parallel", content: joinParallel([plain, failed]), steps: [plain, failed] });

    const text = JSON.stringify(toStored(createOutput({ ...loop, steps: [both], iterations: [[both]] })));

    expect(text.match(/"text"/g)).toHaveLength(1);
    expect(text).not.toContain("##");
  });
});
