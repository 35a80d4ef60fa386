/** How often a loop runs, what its iterations know, and how it ends. */
import { proveResumable } from "@millrace/testing";
import type { Workflow } from "millrace";
import { describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  type StepFunction,
  Steps,
  stepOutput,
} from "../src/index.js";
import { eventsOf, fails, pipeline, step } from "./support/pipelines.js";

const does = (name: string, executor: StepFunction): Step => new Step({ name, executor });
/** Breaks in the iteration of this number. */
const breaks = (name: string, at = 1): Step =>
  does(name, (_input, { iteration }) => stepOutput({ content: `${name} ${iteration}`, breakLoop: iteration === at }));
const namesOf = (outputs: readonly { readonly stepName: string }[]): string[] =>
  outputs.map(({ stepName }) => stepName);

async function resultOf(steps: PipelineOptions["steps"]) {
  const output = await pipeline(steps).run("in");
  return { output, first: output.stepResults[0] };
}

describe("the number of an iteration", () => {
  it("is known to functions, evaluators, selectors and end conditions, from 0; outside it is null", async () => {
    const seen: (readonly [string, number | null])[] = [];
    const notes = (name: string): Step => does(name, (_input, { iteration }) => void seen.push([name, iteration]));
    await resultOf([
      notes("before"),
      new Loop({
        maxIterations: 2,
        steps: [
          notes("step"),
          new Condition({
            evaluator: (_input, { iteration }) => seen.push(["evaluator", iteration]) > 0,
            steps: [new Steps({ steps: [notes("deep")] })],
          }),
          new Router({
            choices: [notes("never")],
            selector: (_input, { iteration }) => void seen.push(["selector", iteration]),
          }),
        ],
        endCondition: (_outputs, { iteration }) => void seen.push(["end", iteration]),
      }),
      notes("after"),
    ]);

    const turn = (at: number) => ["step", "evaluator", "deep", "selector"].map((name) => [name, at]);
    expect(seen).toEqual([["before", null], ...turn(0), ["end", 0], ...turn(1), ["after", null]]);
  });

  it("is that of the innermost loop, and none in a pipeline inside", async () => {
    const seen: (number | null)[] = [];
    const notes: StepFunction = (_input, { iteration }) => void seen.push(iteration);
    const inner = new Loop({ maxIterations: 3, steps: [notes] });
    await resultOf([new Loop({ maxIterations: 2, steps: [inner, notes, new Step({ executor: pipeline([notes]) })] })]);

    expect(seen).toEqual([0, 1, 2, 0, null, 0, 1, 2, 1, null]);
  });
});

describe("breakLoop", () => {
  it("ends the loop without the rest of the iteration, and the pipeline goes on", async () => {
    const { output, first } = await resultOf([
      new Loop({ maxIterations: 5, steps: [step("a"), breaks("b"), step("c")], endCondition: () => false }),
      does("after", ({ previousStepContent }) => `${previousStepContent}, and on`),
    ]);

    expect(namesOf(first?.steps ?? [])).toEqual(["a", "b", "c", "a", "b"]);
    expect(first).toMatchObject({ stop: false, breakLoop: false, iterations: [{ length: 3 }, { length: 2 }] });
    expect(output).toMatchObject({ status: "COMPLETED", content: "b 1, and on" });
  });

  it.each([
    ["Steps", (inside: Step) => new Steps({ steps: [inside, step("rest")] })],
    ["a Condition", (inside: Step) => new Condition({ steps: [inside, step("rest")] })],
    [
      "a Router",
      (inside: Step) => new Router({ choices: [inside, step("rest")], selector: (_in, _ctx, names) => names }),
    ],
  ])("goes through %s in the loop", async (_, group) => {
    const { first } = await resultOf([new Loop({ maxIterations: 5, steps: [group(breaks("b")), step("c")] })]);

    expect(first?.iterations?.map(namesOf)).toEqual([[expect.any(String), "c"], [expect.any(String)]]);
    expect(namesOf(first?.iterations?.[1]?.[0]?.steps ?? [])).toEqual(["b"]);
  });

  it("waits for the branches beside it", async () => {
    const { first } = await resultOf([
      new Loop({ maxIterations: 5, steps: [new Parallel("both", breaks("b", 0), step("beside")), step("c")] }),
    ]);

    expect(first?.iterations?.map(namesOf)).toEqual([["both"]]);
    expect(namesOf(first?.steps[0]?.steps ?? [])).toEqual(["b", "beside"]);
  });

  it("ends the innermost loop only, also one that turns without a condition", async () => {
    const inner = new Loop({ name: "inner", maxIterations: 9, steps: [breaks("b", 2)] });
    const { first } = await resultOf([new Loop({ maxIterations: 2, steps: [inner, step("c")] })]);

    expect(first?.iterations?.map(namesOf)).toEqual([
      ["inner", "c"],
      ["inner", "c"],
    ]);
    expect(first?.steps[0]?.steps).toHaveLength(3);
  });

  it("asks nobody about the iteration that it ends, and says so", async () => {
    const loop = new Loop({
      maxIterations: 5,
      steps: [breaks("b", 0)],
      humanReview: { requiresIterationReview: true },
    });
    const run = pipeline([loop]).run("in", { streamEvents: true });
    const ended = (await eventsOf(run)).filter(({ event }) => event === "LoopIterationCompleted");

    expect(await run).toMatchObject({ status: "COMPLETED", content: "b 0" });
    expect(ended).toMatchObject([{ iteration: 1, shouldContinue: false }]);
  });

  it("does nothing outside of a loop, also in a pipeline that runs inside one", async () => {
    const nested = pipeline([does("b", () => stepOutput({ content: "b", breakLoop: true })), step("c")]);
    const { output } = await resultOf([
      new Loop({ maxIterations: 2, steps: [new Step({ name: "n", executor: nested })] }),
    ]);

    expect(output.stepResults[0]?.iterations?.map(namesOf)).toEqual([["n"], ["n"]]);
    expect(output.content).toBe("b c");
  });

  it("ends at the same place after a crash at any moment", async () => {
    const make = (): Pipeline =>
      new Pipeline({
        name: "proved",
        steps: [
          new Loop({ maxIterations: 4, steps: [step("a"), new Steps({ steps: [breaks("b"), step("c")] })] }),
          step("d"),
        ],
      });
    const contentOf = ({ result }: { readonly result: unknown }): unknown =>
      (result as { readonly content: unknown }).content;

    const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
      seeds: [1, 2],
      compare: (expected, actual) => contentOf(expected as never) === contentOf(actual as never),
    });

    expect(proof.crashes).toBeGreaterThan(5);
  });
});

describe("a loop ends", () => {
  it("after three iterations where nothing else is said", async () => {
    expect((await resultOf([new Loop({ steps: [step("a")] })])).first?.iterations).toHaveLength(3);
  });

  it("at what is truthy, which is asked about the outputs of one iteration, not after the last", async () => {
    const asked: string[][] = [];
    const endCondition = (outputs: readonly { readonly stepName: string }[]): unknown => {
      asked.push(namesOf(outputs));
      return asked.length === 2 ? "enough" : 0;
    };
    const { first } = await resultOf([
      new Loop({ maxIterations: 9, steps: [step("a"), step("b")], endCondition }),
      new Loop({ maxIterations: 1, steps: [step("c")], endCondition }),
    ]);

    expect(first?.iterations).toHaveLength(2);
    expect(asked).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("as a failure where its condition throws", async () => {
    const output = await pipeline([new Loop({ name: "again", steps: [step("a")], endCondition: fails as never })])
      .run("")
      .output();

    expect(output).toMatchObject({ status: "ERROR", error: { stepName: "again", message: "no" } });
  });

  it("with the pipeline where a step stops it", async () => {
    const stops = does("stops", () => stepOutput({ content: "enough", stop: true, breakLoop: true }));
    const { output } = await resultOf([new Loop({ steps: [stops, step("rest")] }), step("never")]);

    expect(output).toMatchObject({ status: "COMPLETED", content: "enough" });
    expect(output.stepResults).toMatchObject([{ stop: true, steps: [{ stepName: "stops" }] }]);
  });
});
