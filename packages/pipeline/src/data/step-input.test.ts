import { image, toMediaSet } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { joinParallel } from "./join-parallel.js";
import { StepInput } from "./step-input.js";
import { createOutput } from "./step-output.js";
import type { StepOutput, StepType } from "./step-output.types.js";

const plain = (stepName: string, content?: unknown): StepOutput => createOutput({ stepName, content });
const group = (stepType: StepType, stepName: string, ...steps: StepOutput[]): StepOutput =>
  createOutput({ stepName, stepType, steps, content: `${stepType} ${stepName} completed` });
const parallel = (stepName: string, ...steps: StepOutput[]): StepOutput =>
  createOutput({ stepName, stepType: "Parallel", steps, content: joinParallel(steps) });
const skipped = (stepName: string): StepOutput =>
  createOutput({ stepName, stepType: "Condition", content: `Condition ${stepName} not met`, skipped: true });
const after = (...outputs: StepOutput[]): StepInput => new StepInput({ input: "hello", outputs });

describe("StepInput", () => {
  it("has nothing before the first step", () => {
    const first = new StepInput({ input: "hello" });

    expect(first.previousStepContent).toBeUndefined();
    expect(first.getLastStepContent()).toBeUndefined();
    expect(first.previousStepOutputs.size).toBe(0);
    expect(first.getStepOutput("a")).toBeUndefined();
    expect(first.getStepContent("a")).toBeUndefined();
    expect(first.getAllPreviousContent()).toBe("");
    expect(first.additionalData).toEqual({});
    expect(first.humanInput).toBeUndefined();
    expect([first.images, first.videos, first.audio, first.files]).toEqual([[], [], [], []]);
  });

  it("has the content of the last step that ran, also where that is none, and the outputs when they are asked for", () => {
    const none = createOutput({ stepName: "none" });
    const group = createOutput({ stepName: "all", stepType: "Steps", steps: [createOutput({ content: "b" })] });
    let asked = 0;
    const outputs = (): StepOutput[] => {
      asked++;
      return [group, none];
    };
    const late = new StepInput({ input: "hello", outputs, last: group });

    expect(after(skipped("x"), group, skipped("y")).previousStepContent).toBe("b");
    expect(after(skipped("x")).previousStepContent).toBeUndefined();
    expect(after(group, none).previousStepContent).toBeUndefined();
    expect(new StepInput({ input: "hello", outputs, last: null }).previousStepContent).toBeUndefined();
    expect([late.previousStepContent, asked]).toEqual(["b", 0]);
    expect([...late.previousStepOutputs.keys(), ...late.previousStepOutputs.keys()]).toHaveLength(4);
    expect(asked).toBe(1);
  });

  it("passes input, additional data, media and human input through as they are", () => {
    const fields = {
      input: { topic: "AI" },
      additionalData: { priority: "high" },
      humanInput: { userInput: { tone: "formal" } },
      media: toMediaSet({ images: [{ filepath: "a" }], files: [{ filepath: "b" }] }),
    };

    const given = new StepInput(fields);

    expect(given.input).toBe(fields.input);
    expect(given.additionalData).toBe(fields.additionalData);
    expect(given.humanInput).toBe(fields.humanInput);
    expect(given.images).toEqual([image({ filepath: "a" })]);
    expect(given.files).toHaveLength(1);
  });

  it("returns the input as text", () => {
    expect(new StepInput({ input: "hello" }).getInputAsString()).toBe("hello");
    expect(new StepInput({ input: ["a"] }).getInputAsString()).toBe('[\n  "a"\n]');
    expect(new StepInput({ input: { a: 1, b: undefined } }).getInputAsString()).toBe('{\n  "a": 1\n}');
    expect(new StepInput({ input: undefined }).getInputAsString()).toBeUndefined();
  });
});

describe("StepInput: previous content", () => {
  it("keeps the type of structured content", () => {
    const content = { topic: "AI" };

    expect(after(plain("a", content)).previousStepContent).toBe(content);
  });

  it("is that of the last step inside groups", () => {
    const input = after(plain("a", "1"), group("Loop", "l", group("Steps", "s", plain("b", "2"), plain("c", "3"))));

    expect(input.previousStepContent).toBe("3");
    expect(input.getLastStepContent()).toBe("3");
  });

  it("is all of a Parallel, joined", () => {
    const input = after(parallel("p", plain("a", "1"), plain("b", "2")));

    expect(input.previousStepContent).toBe("## a\n\n1\n\n## b\n\n2");
  });

  it("is that of the step before a skipped one", () => {
    expect(after(plain("a", "1"), skipped("c")).previousStepContent).toBe("1");
    expect(after(plain("a", "1"), group("Router", "r")).previousStepContent).toBe("1");
  });

  it("follows the order of completion when a name comes again", () => {
    const input = after(plain("A", "1"), plain("B", "2"), plain("A", "3"));

    expect(input.previousStepContent).toBe("3");
    expect([...input.previousStepOutputs.keys()]).toEqual(["B", "A"]);
    expect(input.getStepContent("A")).toBe("3");
    expect(input.getStepOutputs("A").map(({ content }) => content)).toEqual(["1", "3"]);
  });
});

describe("StepInput: lookups", () => {
  it("finds a step at any depth, the first match first", () => {
    const input = after(
      group("Steps", "outer", group("Condition", "inner", plain("deep", "1"))),
      group("Loop", "loop", plain("deep", "2")),
    );

    expect(input.getStepOutput("deep")?.content).toBe("1");
    expect(input.getStepOutput("inner")?.stepType).toBe("Condition");
    expect(input.getStepOutput("nowhere")).toBeUndefined();
  });

  it("prefers a step before this one to one inside a group", () => {
    const input = after(group("Steps", "s", plain("a", "inside")), plain("a", "beside"));

    expect(input.getStepOutput("a")?.content).toBe("beside");
  });

  it("finds steps of a nested pipeline", () => {
    const nested = createOutput({
      stepName: "research",
      stepType: "Workflow",
      content: "report",
      steps: [plain("search", "hits")],
    });

    expect(after(nested).getStepContent("search")).toBe("hits");
    expect(after(nested).getStepContent("research")).toBe("report");
  });

  it("finds every iteration of a loop", () => {
    const loop = group("Loop", "loop", plain("draft", "v1"), plain("draft", "v2"));

    expect(
      after(loop)
        .getStepOutputs("draft")
        .map(({ content }) => content),
    ).toEqual(["v1", "v2"]);
    expect(after(loop).getStepContent("loop")).toBe("v2");
  });

  it("finds a skipped step by its name, without content, and only when no other has it", () => {
    expect(after(skipped("c")).getStepOutput("c")?.skipped).toBe(true);
    expect(after(skipped("c")).getStepContent("c")).toBeUndefined();
    expect(after(skipped("c")).previousStepOutputs.has("c")).toBe(false);
    expect(after(plain("c", "1"), skipped("c")).getStepContent("c")).toBe("1");
    expect(after(group("Steps", "s", skipped("c"), plain("c", "2"))).getStepContent("c")).toBe("2");
  });

  it("returns plain content with its type", () => {
    const content = [1, 2];

    expect(after(plain("a", content)).getStepContent("a")).toBe(content);
  });
});

describe("StepInput: content of a Parallel", () => {
  it("has the text of each branch by its name", () => {
    const input = after(parallel("p", plain("a", "1"), plain("b", { n: 2 })));

    expect(input.getStepContent("p")).toEqual({ a: "1", b: '{\n  "n": 2\n}' });
  });

  it("leaves out branches without content", () => {
    expect(after(parallel("p", plain("a", "1"), plain("b", ""), skipped("c"))).getStepContent("p")).toEqual({ a: "1" });
  });

  it("has the steps of a group instead of the group", () => {
    const steps = group("Steps", "s", plain("x", "1"), group("Router", "r", plain("y", "2")));

    expect(after(parallel("p", steps, plain("b", "3"))).getStepContent("p")).toEqual({ x: "1", r: "2", b: "3" });
  });

  it("is the Parallel's text when no branch has content", () => {
    expect(after(parallel("p", plain("a"))).getStepContent("p")).toBe("## a\n\n*(No content)*");
  });

  it("is nothing when no branch ran", () => {
    expect(after(parallel("p", skipped("c"))).getStepContent("p")).toBeUndefined();
  });

  it("takes any name for a branch", () => {
    const content = after(parallel("p", plain("__proto__", "1"))).getStepContent("p");

    expect(Object.entries(content as object)).toEqual([["__proto__", "1"]]);
  });
});

describe("StepInput: all content", () => {
  it("has what each step ended with below its name", () => {
    const input = after(
      plain("a", "1"),
      group("Steps", "s", plain("b", "2"), plain("c", { n: 3 })),
      skipped("k"),
      plain("empty"),
      parallel("p", plain("x", "4")),
    );

    expect(input.getAllPreviousContent()).toBe('=== a ===\n1\n\n=== s ===\n{\n  "n": 3\n}\n\n=== p ===\n## x\n\n4');
  });

  it("has both of two steps with one name", () => {
    expect(after(plain("A", "1"), plain("A", "2")).getAllPreviousContent()).toBe("=== A ===\n1\n\n=== A ===\n2");
  });
});

describe("StepInput: history", () => {
  const history = [
    { input: "q1", content: "a1" },
    { input: { q: 2 }, content: { a: 2 } },
  ];
  const input = new StepInput({ input: "now", history });

  it("returns pairs of texts, the oldest first", () => {
    expect(input.getWorkflowHistory()).toEqual([
      ["q1", "a1"],
      ['{\n  "q": 2\n}', '{\n  "a": 2\n}'],
    ]);
  });

  it("returns the newest ones", () => {
    expect(input.getWorkflowHistory(1)).toHaveLength(1);
    expect(input.getWorkflowHistory(0)).toEqual([]);
    expect(input.getWorkflowHistoryContext(1)).toMatch(/^<workflow_history_context>\n\[run-1\]\ninput: \{/);
  });

  it("returns no text where there is no history", () => {
    expect(new StepInput({ input: "now" }).getWorkflowHistory()).toEqual([]);
    expect(new StepInput({ input: "now" }).getWorkflowHistoryContext()).toBeUndefined();
    expect(input.getWorkflowHistoryContext(0)).toBeUndefined();
  });
});

it("StepInput: methods work when they are taken out of it", () => {
  const { getInputAsString, getStepContent, getWorkflowHistory } = new StepInput({
    input: { a: 1 },
    outputs: [plain("A", "text")],
    history: [{ input: "q", content: "a" }],
  });

  expect(getInputAsString()).toBe('{\n  "a": 1\n}');
  expect(getStepContent("A")).toBe("text");
  expect(getWorkflowHistory()).toEqual([["q", "a"]]);
});
