/** What people are asked, at any depth, and where the run goes on with what they say. */
import { afterEach, describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  type PipelineRunOutput,
  Router,
  Step,
  type StepFunction,
  type StepRequirement,
  Steps,
} from "../src/index.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): Pipeline {
  const made = new Pipeline({ name: "Asked", steps, ...options });
  open.push(made);
  return made;
}

const add =
  (name: string): StepFunction =>
  (input) =>
    `${input.previousStepContent ?? input.input} ${name}`;

function step(name: string, options: Partial<ConstructorParameters<typeof Step>[0]> = {}): Step {
  return new Step({ name, executor: add(name), ...options });
}

/** Answers every question of the paused run in the same way, until it asks no more. */
async function throughout(
  asked: Pipeline,
  say: (requirement: StepRequirement) => void,
): Promise<{ readonly output: PipelineRunOutput; readonly kinds: readonly string[] }> {
  let output = await asked.run("in");
  const kinds: string[] = [];
  while (output.status === "PAUSED") {
    for (const requirement of output.requirements) {
      kinds.push(`${requirement.kind} ${requirement.stepName}`);
      say(requirement);
    }
    output = await asked.continueRun(output);
  }
  return { output, kinds };
}

const confirm = (requirement: StepRequirement): void => requirement.confirm();

describe("a confirmation", () => {
  const confirmed = (onReject?: "skip" | "cancel" | "retry") =>
    pipeline([
      step("a"),
      step("b", { humanReview: { requiresConfirmation: true, ...(onReject && { onReject }) } }),
      step("c"),
    ]);

  it("pauses the run before the step, with what was done, and lets it run", async () => {
    const asked = confirmed();
    const paused = await asked.run("in");

    expect(paused).toMatchObject({ status: "PAUSED", content: "in a", stepResults: [{ stepName: "a" }] });
    expect(paused.requirements).toMatchObject([
      { kind: "confirmation", stepName: "b", message: "Execute step 'b'?", isResolved: false },
    ]);
    paused.requirements[0]?.confirm();
    const done = await asked.continueRun(paused);

    expect(done).toMatchObject({
      status: "COMPLETED",
      runId: paused.runId,
      content: "in a b c",
      requirements: [],
      answered: [{ kind: "confirmation", stepName: "b", decision: "confirm" }],
    });
  });

  it("that is refused goes on behind it, ends the run, or runs it with the feedback", async () => {
    const reject = (requirement: StepRequirement): void => requirement.reject("not now");
    const skipped = await throughout(confirmed(), reject);
    const cancelled = await throughout(confirmed("cancel"), reject);

    expect(skipped.output).toMatchObject({ status: "COMPLETED", content: "in a c" });
    expect(skipped.output.stepResults[1]).toMatchObject({ skipped: true, success: true });
    expect(skipped.output.answered[0]).toMatchObject({ decision: "reject", feedback: "not now" });
    expect(cancelled.output).toMatchObject({
      status: "CANCELLED",
      content: "Pipeline cancelled: Step 'b' was rejected",
      error: null,
    });
    const told = pipeline([
      new Step({
        name: "told",
        executor: (input) => input.humanInput?.retryFeedback?.feedback,
        humanReview: { requiresConfirmation: true, onReject: "retry" },
      }),
    ]);
    expect((await throughout(told, reject)).output.content).toBe("not now");
  });

  it("is asked of every kind of group, at any depth, also inside a Parallel in a Loop", async () => {
    const humanReview = { requiresConfirmation: true };
    const asked = pipeline([
      new Loop({
        name: "loop",
        maxIterations: 2,
        humanReview,
        steps: [
          new Parallel({
            name: "both",
            humanReview,
            steps: [new Steps({ name: "group", humanReview, steps: [step("p", { humanReview })] }), step("q")],
          }),
        ],
      }),
      new Router({ name: "route", humanReview, choices: [step("x")], selector: () => "x" }),
      new Condition({ name: "if", humanReview, steps: [step("yes")], elseSteps: [step("no")] }),
    ]);
    const { output, kinds } = await throughout(asked, confirm);

    expect(kinds).toEqual(
      ["loop", "both", "group", "p", "both", "group", "p", "route", "if"].map((name) => `confirmation ${name}`),
    );
    expect(output).toMatchObject({ status: "COMPLETED" });
    expect(String(output.content)).toMatch(/x yes$/);
  });

  it("of a condition that is refused takes the other branch", async () => {
    const asked = pipeline([
      new Condition({
        name: "if",
        humanReview: { requiresConfirmation: true },
        evaluator: () => true,
        steps: [step("yes")],
        elseSteps: [step("no")],
      }),
    ]);

    expect((await throughout(asked, (requirement) => requirement.reject())).output.content).toBe("in no");
  });
});

describe("fields and routes", () => {
  const fields = [
    { name: "tone", type: "string", allowedValues: ["calm", "loud"] },
    { name: "words", type: "integer", required: false },
  ] as const;

  it("are checked, all at once, and reach the step", async () => {
    const asked = pipeline([
      new Step({
        name: "write",
        executor: (input) => input.humanInput?.userInput,
        humanReview: { requiresUserInput: true, userInputSchema: fields },
      }),
    ]);
    const paused = await asked.run("in");
    const [requirement] = paused.requirements;
    const wrong = { tone: "angry", words: 1.5, color: "red" };

    expect(() => requirement?.setUserInput(wrong)).toThrow(
      expect.objectContaining({
        code: "REQUIREMENT_INVALID",
        details: expect.objectContaining({ problems: [expect.any(String), expect.any(String), expect.any(String)] }),
      }),
    );
    expect(requirement?.isResolved).toBe(false);
    requirement?.setUserInput({ tone: "calm" });
    expect((await asked.continueRun(paused)).content).toEqual({ tone: "calm" });
  });

  it("are what somebody picks among the choices of a router", async () => {
    const asked = (allowMultipleSelections: boolean) =>
      pipeline([
        new Router({
          name: "route",
          choices: [step("x"), step("y"), step("z")],
          humanReview: { requiresUserInput: true, allowMultipleSelections },
        }),
      ]);
    const one = await asked(false).run("in");

    expect(one.requirements[0]?.data).toMatchObject({ kind: "route", choices: ["x", "y", "z"] });
    expect(() => one.requirements[0]?.select("x", "y")).toThrow(/2 choices/);
    expect(() => one.requirements[0]?.select("w")).toThrow(/no choice "w"/);
    const several = await throughout(asked(true), (requirement) => requirement.select("z", "x"));
    expect(several.output.content).toBe("in z x");
  });
});

describe("a review", () => {
  it("keeps an output, edits it, leaves it out, or has it made again with the feedback", async () => {
    const write: StepFunction = (input) => {
      const { previousOutput, feedback } = input.humanInput?.retryFeedback ?? {};
      return feedback === undefined ? "draft" : `${previousOutput}, ${feedback}`;
    };
    const asked = (onReject: "skip" | "retry", maxRetries = 3) =>
      pipeline([
        new Step({ name: "write", executor: write, humanReview: { requiresOutputReview: true, onReject, maxRetries } }),
        (input) => `[${input.previousStepContent ?? "nothing"}]`,
      ]);
    let rounds = 0;
    const twice = (requirement: StepRequirement): void =>
      ++rounds < 3 ? requirement.reject(`v${rounds}`) : requirement.confirm();

    expect((await throughout(asked("skip"), confirm)).output.content).toBe("[draft]");
    expect((await throughout(asked("skip"), (one) => one.edit("better"))).output.content).toBe("[better]");
    expect((await throughout(asked("skip"), (one) => one.reject())).output.content).toBe("[nothing]");
    const again = await throughout(asked("retry"), twice);
    expect(again.output.content).toBe("[draft, v1, v2]");
    expect(again.output.metrics.steps["write"]?.executions).toHaveLength(3);
    expect((await throughout(asked("retry", 1), (one) => one.reject("no"))).output).toMatchObject({
      status: "CANCELLED",
      content: "Pipeline cancelled: Max retries (1) reached for step 'write'",
    });
  });

  it.each([
    ["a confirmation", { requiresConfirmation: true }],
    ["fields", { requiresUserInput: true, userInputSchema: [{ name: "tone", type: "string" }] }],
  ] as const)(
    "counts the times that a step runs again, and not its first one after %s was refused",
    async (_what, before) => {
      const humanReview = { ...before, requiresOutputReview: true, onReject: "retry", maxRetries: 1 } as const;
      let runs = 0;
      const asked = pipeline([step("a", { executor: () => ++runs, humanReview })]);

      const { output, kinds } = await throughout(asked, (requirement) => requirement.reject("no"));

      expect(kinds.slice(1)).toEqual(["outputReview a", "outputReview a"]);
      expect(runs).toBe(2);
      expect(output.content).toBe("Pipeline cancelled: Max retries (1) reached for step 'a'");
    },
  );

  it("is asked for only where the predicate says so, and of what a router gave", async () => {
    const long = { requiresOutputReview: ({ content }: { content: unknown }) => String(content).length > 4 };
    const asked = pipeline([
      step("short", { executor: () => "ok", humanReview: long }),
      new Router({
        name: "route",
        choices: [step("x")],
        selector: () => "x",
        humanReview: { requiresOutputReview: true },
      }),
      step("last"),
    ]);
    const { output, kinds } = await throughout(asked, confirm);

    expect(kinds).toEqual(["outputReview route"]);
    expect(output.content).toBe("ok x last");
  });

  it("of an iteration ends a loop that is good enough, and never asks after the last one", async () => {
    const asked = (onReject: "retry" | "skip") =>
      pipeline([
        step("a"),
        new Loop({
          name: "loop",
          maxIterations: 3,
          forwardIterationOutput: true,
          steps: [step("x")],
          humanReview: { requiresIterationReview: true, onReject },
        }),
        step("b"),
      ]);
    let rounds = 0;
    const second = (requirement: StepRequirement): void =>
      ++rounds === 2 ? requirement.confirm() : requirement.reject();

    expect((await throughout(asked("retry"), second)).output.content).toBe("in a x x b");
    const never = await throughout(asked("retry"), (one) => one.reject());
    expect(never.kinds).toHaveLength(2);
    expect(never.output.content).toBe("in a x x x b");
    expect((await throughout(asked("skip"), (one) => one.reject())).output.content).toBe("in a b");
  });
});

describe("a step that has failed", () => {
  it("is tried again or left out, as people say, at any depth", async () => {
    let calls = 0;
    const flaky: StepFunction = (input) => {
      if (++calls < 3) throw new Error(`no ${calls}`);
      return `${input.previousStepContent} done`;
    };
    const asked = () =>
      pipeline([
        step("a"),
        new Parallel("both", new Step({ name: "flaky", executor: flaky, onError: "pause" }), step("q")),
        step("b"),
      ]);
    const { output, kinds } = await throughout(asked(), (requirement) => requirement.retry());

    expect(kinds).toEqual(["error flaky", "error flaky"]);
    expect(output.stepResults[1]?.steps.map(({ content }) => content)).toEqual(["in a done", "in a q"]);
    calls = 0;
    const skipped = await throughout(asked(), (requirement) => requirement.skip());
    expect(skipped.output).toMatchObject({ status: "COMPLETED", hasFailures: true });
    expect(skipped.output.stepResults[1]?.steps[0]).toMatchObject({ success: false, error: "no 1", skipped: true });
  });

  it("is asked about where the group around it says so", async () => {
    let calls = 0;
    const flaky: StepFunction = () => {
      if (++calls === 1) throw new Error("no");
      return "done";
    };
    const group = new Steps({ name: "group", onError: "pause", steps: [step("x"), flaky] });
    const { output, kinds } = await throughout(pipeline([group]), (requirement) => requirement.retry());

    expect(kinds).toEqual(["error group"]);
    expect(output.stepResults[0]?.steps.map(({ content }) => content)).toEqual(["in x", "done"]);
  });
});

describe("a nested pipeline", () => {
  const humanReview = { requiresConfirmation: true, onReject: "cancel" } as const;

  it("asks through the run around it", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [step("i", { humanReview })] });
    const asked = pipeline([step("a"), inner, step("b")]);

    const { output, kinds } = await throughout(asked, confirm);
    expect(kinds).toEqual(["confirmation i"]);
    expect(output.content).toBe("in a i b");
    expect((await throughout(asked, (one) => one.reject())).output).toMatchObject({ status: "CANCELLED" });
  });
});
