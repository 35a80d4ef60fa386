import { describe, expect, it } from "vitest";
import { deepestContent, hasRun } from "./deepest-content.js";
import { createOutput } from "./step-output.js";
import type { StepOutput, StepType } from "./step-output.types.js";

const plain = (content: unknown): StepOutput => createOutput({ content });
const skipped: StepOutput = createOutput({ content: "Condition c not met - skipped 1 steps", skipped: true });
const group = (stepType: StepType, ...steps: StepOutput[]): StepOutput =>
  createOutput({ stepType, steps, content: `a sentence about ${stepType}` });

describe("deepestContent", () => {
  it("is the content of a plain output, with its type", () => {
    const content = { topic: "AI" };

    expect(deepestContent(plain(content))).toBe(content);
  });

  it.each(["Steps", "Loop", "Condition", "Router"] as const)(
    "is that of the last step of a %s, at every level",
    (type) => {
      const output = group(type, plain("a"), group("Steps", plain("b"), plain("c")));

      expect(deepestContent(output)).toBe("c");
    },
  );

  it("is the joined content of a Parallel, wherever it is", () => {
    const parallel = group("Parallel", plain("a"), plain("b"));

    expect(deepestContent(group("Loop", plain("x"), parallel))).toBe("a sentence about Parallel");
  });

  it("is the result of a nested pipeline, not that of its last step", () => {
    expect(deepestContent(group("Workflow", plain("inner")))).toBe("a sentence about Workflow");
  });

  it("passes over what was skipped", () => {
    expect(deepestContent(group("Steps", plain("a"), skipped, group("Condition")))).toBe("a");
    expect(deepestContent(skipped)).toBeUndefined();
  });

  it.each(["Steps", "Loop", "Condition", "Router", "Parallel"] as const)(
    "is nothing for a %s in which nothing ran",
    (type) => {
      expect(deepestContent(group(type, skipped))).toBeUndefined();
      expect(hasRun(group(type))).toBe(false);
    },
  );
});
