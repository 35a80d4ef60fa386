import { image } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { createOutput, isStepOutput, stepOutput } from "./step-output.js";

describe("createOutput", () => {
  it("fills in everything", () => {
    expect(createOutput({ stepName: "a", content: "x" })).toStrictEqual({
      stepName: "a",
      stepId: "",
      stepType: "Step",
      executorType: null,
      executorName: null,
      content: "x",
      stepRunId: null,
      metrics: null,
      success: true,
      error: null,
      stop: false,
      breakLoop: false,
      skipped: false,
      images: [],
      videos: [],
      audio: [],
      files: [],
      steps: [],
      iterations: null,
    });
  });

  it("is plain JSON, also without content", () => {
    const output = createOutput({
      steps: [createOutput({ content: { k: [1, null] } })],
      iterations: [[createOutput({})]],
      images: [image({ filepath: "a" })],
    });

    expect(JSON.parse(JSON.stringify(output))).toStrictEqual(output);
  });

  it("is frozen and shares no list with the caller", () => {
    const steps = [createOutput({})];

    const output = createOutput({ steps, iterations: [steps] });
    steps.push(createOutput({}));

    expect(output.steps).toHaveLength(1);
    expect(output.iterations).toEqual([[createOutput({})]]);
    expect(Object.isFrozen(output)).toBe(true);
  });

  it("keeps the content's identity", () => {
    const content = { found: true };

    expect(createOutput({ content }).content).toBe(content);
  });
});

describe("stepOutput", () => {
  it("is a success without `error`, and a failure with one", () => {
    expect(stepOutput({ content: "x" })).toMatchObject({ content: "x", success: true, error: null, stop: false });
    expect(stepOutput({ error: "no" })).toMatchObject({ success: false, error: "no" });
    expect(stepOutput({ error: "a warning", success: true })).toMatchObject({ success: true, error: "a warning" });
  });

  it("takes media as they are or as fields", () => {
    const { images, files } = stepOutput({ images: [image({ filepath: "a" })], files: [{ filepath: "b" }] });

    expect([...images, ...files]).toMatchObject([
      { kind: "image", filepath: "a" },
      { kind: "file", filepath: "b" },
    ]);
  });

  it("refuses wrong media", () => {
    expect(() => stepOutput({ images: [{}] })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("isStepOutput", () => {
  it("knows an output that was stored, or spread into another", () => {
    const output = stepOutput({ content: "x", stop: true });

    expect(isStepOutput(output)).toBe(true);
    expect(isStepOutput(JSON.parse(JSON.stringify(output)))).toBe(true);
    expect(isStepOutput({ ...output, content: "y" })).toBe(true);
  });

  it.each([[null], ["x"], [{}], [{ content: "x", stop: true }], [{ stepName: "a", content: "x", success: true }]])(
    "takes %o for plain content",
    (value) => {
      expect(isStepOutput(value)).toBe(false);
    },
  );
});
