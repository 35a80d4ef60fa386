/** Which steps run, in which order, and what each is given. */
import { afterEach, describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  type RouterOptions,
  Step,
  type StepFunction,
  Steps,
  stepOutput,
} from "../src/index.js";
import { answerAll } from "./support/pipelines.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): Pipeline {
  const made = new Pipeline({ name: "Test Pipeline", steps, ...options });
  open.push(made);
  return made;
}

/** A step that adds its name to what came before. */
function add(name: string): Step {
  return new Step({ name, executor: (input) => `${input.previousStepContent ?? input.input} ${name}` });
}

describe("steps one after the other", () => {
  it("each get what the one before gave, the first the input", async () => {
    const output = await pipeline([add("a"), add("b"), add("c")]).run("in");

    expect(output).toMatchObject({ status: "COMPLETED", content: "in a b c", input: "in" });
    expect(output.stepResults.map(({ stepName, content }) => [stepName, content])).toEqual([
      ["a", "in a"],
      ["b", "in a b"],
      ["c", "in a b c"],
    ]);
  });

  it("keep structured content as it is", async () => {
    const output = await pipeline([
      () => ({ n: 1 }),
      (input) => (input.previousStepContent as { n: number }).n + 1,
    ]).run("x");

    expect(output.content).toBe(2);
  });

  it("end early when one of them says so, at any depth", async () => {
    const stops: StepFunction = () => stepOutput({ content: "enough", stop: true });
    const output = await pipeline([new Steps({ name: "group", steps: [stops, add("b")] }), add("c")]).run("in");

    expect(output).toMatchObject({ status: "COMPLETED", content: "enough" });
    expect(output.stepResults).toHaveLength(1);
  });

  it("may be none at all", async () => {
    expect(await pipeline([]).run("in")).toMatchObject({ status: "COMPLETED", content: "No steps executed" });
  });

  it("may be none in a choice of a router, in a branch, and in a turn of a loop", async () => {
    const nothing = () => new Steps({ name: "nothing", steps: [new Steps({ name: "in it", steps: [] })] });
    const output = await pipeline([
      new Router({ name: "route", choices: [add("a"), []], selector: () => "steps_group_1" }),
      new Parallel("both", nothing(), add("b")),
      new Loop({
        name: "turns",
        maxIterations: 2,
        steps: [nothing(), new Router({ choices: [[]], selector: () => [] })],
      }),
      add("c"),
    ]).run("in");

    expect(output).toMatchObject({ status: "COMPLETED", content: expect.stringMatching(/ c$/) });
    expect(output.stepResults).toHaveLength(4);
  });

  it("may be in groups, which nobody sees from outside", async () => {
    const output = await pipeline([
      add("a"),
      new Steps({ name: "one", steps: [add("b"), new Steps({ name: "two", steps: [add("c")] })] }),
      (input) => `${input.getStepContent("one")} | ${input.getStepContent("c")}`,
    ]).run("in");

    expect(output.content).toBe("in a b c | in a b c");
  });
});

describe("a Parallel", () => {
  it("runs all branches at once, on the same input, and joins them in the order of declaration", async () => {
    const slow: StepFunction = async (input) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return `slow after ${input.previousStepContent}`;
    };
    const quick: StepFunction = (input) => `quick after ${input.previousStepContent}`;
    const output = await pipeline([
      add("a"),
      new Parallel("both", slow, quick),
      (input) => input.previousStepContent,
    ]).run("in");

    expect(output.stepResults[1]?.steps.map(({ content }) => content)).toEqual(["slow after in a", "quick after in a"]);
    expect(output.content).toContain("slow after in a");
    expect(output.content).toContain("quick after in a");
  });

  it("gives the content of every branch by its name, with a number where others have it too", async () => {
    const both = new Parallel("both", add("a"), add("a"), add("b"), add("a"));

    expect((await pipeline([both, (input) => input.getStepContent("both")]).run("in")).content).toEqual({
      a: "in a",
      "a 2": "in a",
      b: "in b",
      "a 3": "in a",
    });
  });

  it("waits for all of its branches where a group in one of them was given up", async () => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const fails: StepFunction = async () => {
      await wait(5);
      throw new Error("no");
    };
    const slow = (name: string, ms: number) => new Step({ name, executor: () => wait(ms).then(() => name) });
    const givenUp = (name: string) =>
      new Parallel({
        name,
        onError: "skip",
        steps: [slow(`${name} works`, 15), new Step({ name: "bad", executor: fails })],
      });
    const output = await pipeline([
      new Parallel({
        name: "outer",
        steps: [
          new Parallel({ name: "both", steps: [slow("a", 40), givenUp("first"), givenUp("second")] }),
          new Loop({ name: "turns", maxIterations: 2, steps: [givenUp("third"), slow("b", 1)] }),
          slow("c", 30),
        ],
      }),
      new Step({ name: "last", executor: (input) => Object.keys(Object(input.getStepContent("outer"))) }),
    ]).run("in");

    const [both, turns, c] = output.stepResults[0]?.steps ?? [];
    expect(both?.steps.map(({ stepName, skipped }) => [stepName, skipped])).toEqual([
      ["a", false],
      ["first", true],
      ["second", true],
    ]);
    expect(turns?.iterations?.map((turn) => turn.map(({ stepName }) => stepName))).toEqual([
      ["third", "b"],
      ["third", "b"],
    ]);
    expect(c?.content).toBe("c");
    expect(output.content).toEqual(["a", "b", "c"]);
    for (const name of ["a", "b", "c", "last"]) expect(output.metrics.steps).toHaveProperty(name);
  });

  it("of groups, conditions and parallels goes on when all of it is done", async () => {
    const inner = new Parallel({
      name: "inner",
      steps: [add("x"), new Steps({ name: "more", steps: [add("y"), add("z")] })],
    });
    const output = await pipeline([
      new Parallel({
        name: "outer",
        steps: [new Steps({ name: "left", steps: [add("l"), inner, add("m")] }), add("r")],
      }),
      (input) => input.getStepContent("z"),
    ]).run("in");

    expect(output.content).toBe("in l y z");
    expect(output.stepResults[0]?.steps.map(({ stepName }) => stepName)).toEqual(["left", "r"]);
  });

  it("without branches is passed over", async () => {
    const output = await pipeline([add("a"), new Parallel({ steps: [] }), add("b")]).run("in");

    expect(output.content).toBe("in a b");
    expect(output.stepResults[1]).toMatchObject({ stepType: "Parallel", skipped: true });
  });
});

describe("a Loop", () => {
  it("runs until its condition holds, and each iteration begins with what the loop began with", async () => {
    const seen: unknown[] = [];
    const note: StepFunction = (input) => {
      seen.push(input.previousStepContent);
      return seen.length;
    };
    const output = await pipeline([
      add("a"),
      new Loop({ name: "again", steps: [note], maxIterations: 5, endCondition: ([first]) => first?.content === 3 }),
    ]).run("in");

    expect(seen).toEqual(["in a", "in a", "in a"]);
    expect(output.stepResults[1]).toMatchObject({
      stepType: "Loop",
      iterations: [{}, {}, {}].map(() => [expect.anything()]),
    });
    expect(output.content).toBe(3);
  });

  it("forwards what an iteration gave where it is told to, and stops at its limit", async () => {
    const output = await pipeline([
      new Loop({ steps: [add("x")], maxIterations: 3, forwardIterationOutput: true }),
    ]).run("in");

    expect(output.content).toBe("in x x x");
  });

  it("has iterations with parallels and groups in them", async () => {
    const output = await pipeline([
      new Loop({ name: "twice", maxIterations: 2, steps: [new Parallel("both", add("p"), add("q")), add("end")] }),
    ]).run("in");

    expect(output.stepResults[0]?.iterations?.map((steps) => steps.map(({ stepName }) => stepName))).toEqual([
      ["both", "end"],
      ["both", "end"],
    ]);
  });
});

describe("a Condition and a Router", () => {
  it("take the branch that holds; what was not taken is nobody's previous step", async () => {
    const when = (holds: boolean) =>
      pipeline([
        add("a"),
        new Condition({ name: "if", evaluator: () => holds, steps: [add("yes")], elseSteps: [add("no")] }),
        add("b"),
      ]).run("in");

    expect((await when(true)).content).toBe("in a yes b");
    expect((await when(false)).content).toBe("in a no b");
    const skipped = await pipeline([add("a"), new Condition({ evaluator: false, steps: [add("yes")] }), add("b")]).run(
      "in",
    );
    expect(skipped.content).toBe("in a b");
    expect(skipped.stepResults[1]).toMatchObject({ stepType: "Condition", skipped: true, success: true });
  });

  it("run a list of steps that is named as it was listed, alone and among others", async () => {
    const [list, other] = [[add("p"), add("q")], add("z")];
    const routed = (selector: RouterOptions["selector"]) =>
      pipeline([new Router({ choices: [add("y"), list, other], ...(selector && { selector }) })]).run("in");

    expect((await routed(() => list)).content).toBe("in p q");
    expect((await routed(() => [list])).content).toBe("in p q");
    expect((await routed(() => [other, list, "y"])).content).toBe("in z p q y");
  });

  it("are told apart by their names: no two choices have one", () => {
    const choices = [add("y"), add("z"), add("y")];

    expect(() => pipeline([new Router({ name: "route", choices, selector: () => "y" })])).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: 'The router "route" cannot be made: two of its `choices` have the name "y".',
      }),
    );
  });

  it("run what the selector names, one after the other", async () => {
    const first = add("first");
    const select = (selection: unknown) =>
      pipeline([
        new Router({
          name: "route",
          choices: [first, [add("s"), add("t")], add("last")],
          selector: () => selection as never,
        }),
      ]).run("in");

    expect((await select("last")).content).toBe("in last");
    expect((await select([first, "last"])).content).toBe("in first last");
    expect((await select("steps_group_1")).content).toBe("in s t");
    expect((await select(null)).stepResults[0]).toMatchObject({ skipped: true });
    await expect(select("nothing")).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
    await expect(select(true)).rejects.toMatchObject({ code: "PIPELINE_FAILED" });
  });
});

describe("a step that fails", () => {
  const fails: StepFunction = () => {
    throw new Error("no");
  };

  it("fails the run, whose output has what was done before", async () => {
    const run = pipeline([add("a"), new Step({ name: "bad", executor: fails }), add("c")]).run("in");

    await expect(run).rejects.toMatchObject({ code: "PIPELINE_FAILED", message: expect.stringContaining('"bad": no') });
    const output = await run.output();
    expect(output).toMatchObject({ status: "ERROR", error: { stepName: "bad", message: "no" } });
    expect(output.hasFailures).toBe(true);
    expect(output.stepResults).toMatchObject([
      { stepName: "a", success: true },
      { stepName: "bad", success: false, error: "no", skipped: false },
    ]);
  });

  it("is listed where it is, and the groups around it have failed with it", async () => {
    const bad = new Step({ name: "bad", executor: fails });
    const run = pipeline([
      new Loop({
        name: "loop",
        steps: [new Parallel("both", add("a"), new Steps({ name: "in", steps: [add("b"), bad] }))],
      }),
    ]).run("in");

    const { stepResults, metrics } = await run.output();

    const failed = { success: false, error: "no" };
    expect(stepResults).toMatchObject([
      {
        stepName: "loop",
        ...failed,
        steps: [
          {
            stepName: "both",
            ...failed,
            steps: [
              { stepName: "a", success: true },
              { stepName: "in", ...failed, steps: [{ stepName: "b" }, { stepName: "bad", ...failed }] },
            ],
          },
        ],
      },
    ]);
    expect(Object.values(metrics.steps).map(({ stepName, executions }) => [stepName, executions.length])).toEqual([
      ["a", 1],
      ["b", 1],
      ["bad", 1],
    ]);
  });

  it("leaves a group that is skipped what was done in it, each once", async () => {
    for (const [onError, answer] of [
      ["skip", 0],
      ["pause", 1],
    ] as const) {
      const bad = new Step({ name: "bad", executor: fails });
      const group = new Steps({
        name: "group",
        onError,
        steps: [add("a"), new Steps({ name: "in", steps: [add("b"), bad] })],
      });
      const tried = pipeline([group, (input) => `${input.getStepContent("b")}, ${input.previousStepContent}`]);
      const paused = await tried.run("in");
      const output = await answerAll(tried, paused, (requirement) => requirement.skip());

      expect(paused.requirements).toHaveLength(answer);
      expect(output).toMatchObject({ status: "COMPLETED", hasFailures: true, content: "in a b, undefined" });
      expect(output.stepResults[0]).toMatchObject({
        skipped: true,
        error: "no",
        steps: [{ stepName: "a" }, { stepName: "in", success: false, steps: [{ stepName: "b" }, { stepName: "bad" }] }],
      });
      expect(output.metrics.steps["b"]?.executions).toHaveLength(1);
      expect(output.metrics.steps["bad"]?.executions).toHaveLength(1);
    }
  });

  it("is retried as often as it says, and skipped where it says so", async () => {
    let calls = 0;
    const flaky: StepFunction = () => {
      if (++calls < 3) throw new Error("not yet");
      return "done";
    };
    const output = await pipeline([new Step({ name: "flaky", executor: flaky, maxRetries: 2 })]).run("in");
    const skipped = await pipeline([
      add("a"),
      new Step({ name: "bad", executor: fails, onError: "skip" }),
      add("c"),
    ]).run("in");

    expect(output.content).toBe("done");
    expect(skipped).toMatchObject({ status: "COMPLETED", content: "in a c", hasFailures: true });
    expect(skipped.stepResults[1]).toMatchObject({ success: false, error: "no", skipped: true });
  });

  it("is honoured at every depth: by the step, else by the group around it", async () => {
    const bad = new Step({ name: "bad", executor: fails });
    const group = new Steps({
      name: "group",
      onError: "skip",
      steps: [add("b"), new Loop({ steps: [bad] }), add("never")],
    });
    const branch = new Parallel({
      name: "both",
      steps: [new Step({ name: "bad", executor: fails, onError: "skip" }), add("good")],
    });

    expect((await pipeline([add("a"), group, add("c")]).run("in")).content).toBe("in a c");
    expect((await pipeline([branch]).run("in")).stepResults[0]?.steps.map(({ success }) => success)).toEqual([
      false,
      true,
    ]);
    await expect(pipeline([new Parallel("both", bad, add("good"))]).run("in")).rejects.toMatchObject({
      code: "PIPELINE_FAILED",
    });
  });
});
