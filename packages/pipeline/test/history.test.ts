/** What later runs of a session know of earlier ones. */
import { describe, expect, it } from "vitest";
import {
  Condition,
  type ExecutorRequest,
  Loop,
  Parallel,
  type Pipeline,
  type PipelineOptions,
  Router,
  Step,
  type StepOptions,
  Steps,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { fails, pipeline, step } from "./support/pipelines.js";

/** An agent that answers with a number, and keeps what it was told. */
function listener(options: Partial<StepOptions> = {}) {
  const told: unknown[] = [];
  const executor = fakeAgent("listener", ({ input }: ExecutorRequest) => {
    told.push(input);
    return { content: `answer ${told.length}` };
  });
  return { told, step: new Step({ name: "listener", executor, ...options }) };
}

async function ask(made: Pipeline, questions: readonly string[], sessionId = "s"): Promise<void> {
  for (const question of questions) await made.run(question, { sessionId }).output();
}

describe("history in front of a message", () => {
  it("has this very form", async () => {
    const { told, step: listens } = listener();
    await ask(pipeline([listens], { addWorkflowHistoryToSteps: true }), ["one", "two", "three"]);

    expect(told[0]).toBe("one");
    expect(told[2]).toBe(`<workflow_history_context>
[run-1]
input: one
response: answer 1

[run-2]
input: two
response: answer 2
</workflow_history_context>

three`);
  });

  const levels: readonly (readonly [boolean | undefined, boolean | undefined, boolean])[] = [
    [true, undefined, true],
    [true, false, true],
    [true, true, true],
    [false, undefined, false],
    [false, true, false],
    [undefined, true, true],
    [undefined, false, false],
    [undefined, undefined, false],
  ];

  it.each(levels)("of a step that says %s in a pipeline that says %s: %s", async (ofStep, ofPipeline, isAdded) => {
    const { told, step: listens } = listener(ofStep === undefined ? {} : { addWorkflowHistory: ofStep });
    const options = ofPipeline === undefined ? {} : { addWorkflowHistoryToSteps: ofPipeline };
    await ask(pipeline([listens], options), ["one", "two"]);

    expect(String(told[1]).includes("<workflow_history_context>")).toBe(isAdded);
  });

  const numbers: readonly (readonly [number | undefined, number | undefined, readonly string[]])[] = [
    [undefined, undefined, ["one", "two", "three", "four"]],
    [undefined, 2, ["three", "four"]],
    [1, 3, ["four"]],
    [3, 1, ["two", "three", "four"]],
    [3, undefined, ["two", "three", "four"]],
  ];

  it.each(numbers)("of a step that wants %s in a pipeline that wants %s has %j", async (ofStep, ofPipeline, runs) => {
    const { told, step: listens } = listener(ofStep === undefined ? {} : { numHistoryRuns: ofStep });
    const options: Partial<PipelineOptions> = ofPipeline === undefined ? {} : { numHistoryRuns: ofPipeline };
    await ask(pipeline([listens], { addWorkflowHistoryToSteps: true, ...options }), [
      "one",
      "two",
      "three",
      "four",
      "five",
    ]);

    expect(
      [...String(told[4]).matchAll(/\[run-(\d)\]\ninput: (\w+)/g)].map(([, number, input]) => [number, input]),
    ).toEqual(runs.map((input, index) => [String(index + 1), input]));
  });

  it("is in front of what the step is told, which is the output before it, at any depth", async () => {
    const { told, step: listens } = listener();
    const made = pipeline(
      [
        step("a"),
        new Loop({
          name: "loop",
          maxIterations: 1,
          steps: [
            new Condition({
              name: "if",
              steps: [
                new Router({
                  name: "r",
                  selector: () => "p",
                  choices: [new Parallel("p", new Steps({ name: "g", steps: [listens] }))],
                }),
              ],
            }),
          ],
        }),
      ],
      { addWorkflowHistoryToSteps: true },
    );
    await ask(made, ["one", "two"]);

    expect(told[1]).toMatch(
      /^<workflow_history_context>\n\[run-1\]\ninput: one\n[\s\S]*<\/workflow_history_context>\n\ntwo a$/,
    );
  });

  it("is that of the session, of the runs that ended well, and not of the run itself", async () => {
    const { told, step: listens } = listener();
    const made = pipeline(
      [
        listens,
        step("perhaps", {
          executor: (input, context) => (input.input === "bad" ? fails(input, context) : input.previousStepContent),
          humanReview: { requiresOutputReview: ({ content }) => content === "answer 4", onReject: "cancel" },
        }),
      ],
      { addWorkflowHistoryToSteps: true },
    );
    await ask(made, ["one", "bad"]);
    await ask(made, ["elsewhere"], "another");
    const paused = await made.run("refused", { sessionId: "s" });
    paused.requirements[0]?.reject();
    const cancelled = await made.continueRun(paused);
    await ask(made, ["two", "three"]);

    expect(cancelled.status).toBe("CANCELLED");
    expect([...String(told.at(-1)).matchAll(/input: (\w+)/g)].map(([, input]) => input)).toEqual(["one", "two"]);
    expect(String(told.at(-1)).endsWith("three")).toBe(true);
  });

  it("shows structured input and output as JSON, and leaves out what is empty", async () => {
    const { told, step: listens } = listener();
    const made = pipeline([listens, step("last", { executor: () => ({ title: "T" }) })], {
      addWorkflowHistoryToSteps: true,
    });
    await made.run({ topic: "rivers" }, { sessionId: "s" });
    await made.run(undefined, { sessionId: "s" });
    await made.run("now", { sessionId: "s" });

    expect(told[2]).toContain('[run-1]\ninput: {\n  "topic": "rivers"\n}\nresponse: {\n  "title": "T"\n}');
    expect(told[2]).toContain("[run-2]\nresponse: {");
  });
});

describe("functions", () => {
  it("get no history in front of anything, and ask for it with helpers", async () => {
    const made = pipeline(
      [
        (input) => ({
          all: input.getWorkflowHistory(),
          newest: input.getWorkflowHistory(1),
          none: input.getWorkflowHistory(0),
          text: input.getWorkflowHistoryContext(1) ?? null,
          input: input.getInputAsString(),
        }),
        (input) => (input.previousStepContent as { input: string }).input,
      ],
      { addWorkflowHistoryToSteps: true },
    );
    await ask(made, ["one", "two"]);
    const { stepResults } = await made.run("three", { sessionId: "s" });

    expect(stepResults[0]?.content).toEqual({
      all: [
        ["one", "one"],
        ["two", "two"],
      ],
      newest: [["two", "two"]],
      none: [],
      text: "<workflow_history_context>\n[run-1]\ninput: two\nresponse: two\n</workflow_history_context>",
      input: "three",
    });
  });

  it("have nothing to ask for in the first run, and an error where nothing was loaded", async () => {
    const steps = [
      (input: { getWorkflowHistoryContext(): string | undefined }) => input.getWorkflowHistoryContext() ?? "nothing",
    ];
    const loads = pipeline(steps, { numHistoryRuns: 3 });
    const loadsNothing = pipeline(steps);

    expect(await loads.run("one")).toMatchObject({ content: "nothing" });
    await expect(loadsNothing.run("one")).rejects.toMatchObject({
      code: "PIPELINE_FAILED",
      cause: { code: "OPTION_INVALID" },
    });
  });

  it("see the same history after a pause", async () => {
    const made = pipeline(
      [step("a", { humanReview: { requiresConfirmation: true } }), (input) => input.getWorkflowHistory().length],
      { numHistoryRuns: 5 },
    );
    const first = await made.run("one", { sessionId: "s" });
    const second = await made.run("two", { sessionId: "s" });
    for (const paused of [first, second]) paused.requirements[0]?.confirm();

    expect((await made.continueRun(first)).content).toBe(0);
    expect((await made.continueRun(second)).content).toBe(0);
  });
});
