/** A pipeline that dies at any tick goes on to the same end. */
import { proveResumable } from "@millrace/testing";
import type { Workflow } from "millrace";
import { expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  type StepFunction,
} from "../src/index.js";

const count =
  (name: string): StepFunction =>
  async (input, context) => {
    await context.editState((state) => {
      state["steps"] = ((state["steps"] as number | undefined) ?? 0) + 1;
    });
    context.sessionState[name] = input.previousStepContent ?? input.input;
    return `${input.previousStepContent ?? input.input} ${name}`;
  };

const pipelines: Record<string, PipelineOptions["steps"]> = {
  "steps one after the other": [count("a"), count("b"), count("c")],
  "a Parallel inside a Loop": [
    new Loop({
      name: "again",
      maxIterations: 2,
      forwardIterationOutput: true,
      steps: [
        new Parallel(
          "both",
          new Step({ name: "p", executor: count("p") }),
          new Step({ name: "q", executor: count("q") }),
        ),
        count("end"),
      ],
    }),
    count("after"),
  ],
  "isolated branches inside a Loop": [
    new Loop({
      name: "again",
      maxIterations: 2,
      steps: [
        new Parallel({ name: "both", state: "isolated", steps: [count("p"), [count("q"), count("r")]] as never }),
        count("end"),
      ],
    }),
  ],
  "isolated branches that a function merges": [
    new Parallel({
      name: "both",
      state: "isolated",
      steps: [count("p"), count("q")],
      merge: (_base, branches) => ({ steps: branches.length, all: branches.map((branch) => branch) }),
    }),
    count("after"),
  ],
  "conditions and routers that look at the state": [
    count("a"),
    new Condition({
      name: "if",
      evaluator: (_input, { sessionState }) => sessionState["steps"] === 1,
      steps: [count("yes")],
      elseSteps: [count("no")],
    }),
    new Router({
      name: "route",
      choices: [count("x"), new Step({ name: "y", executor: count("y") })],
      selector: () => "y",
    }),
  ],
};

it.each(Object.entries(pipelines))("%s", { timeout: 60_000 }, async (_name, steps) => {
  const make = (): Pipeline => new Pipeline({ name: "proved", steps, storeEvents: true });
  const input = make().workflowInput("in", { streamEvents: true, sessionId: "s" });

  const proof = await proveResumable((): Workflow => make().workflow, input as never, { compare: sameButTimes });

  expect(proof.crashes).toBeGreaterThan(10);
});

/** How long a step took, and when, is another number every time; events of branches come in any order. */
function sameButTimes(expected: unknown, actual: unknown): boolean {
  return plain(expected) === plain(actual);
}

const times = new Set(["duration", "createdAt", "startedAtMs", "visits"]);

function plain(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (times.has(key)) return 0;
    return key === "events" && Array.isArray(part) ? part.map(plain).sort() : part;
  });
}
