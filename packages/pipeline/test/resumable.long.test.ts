/** A pipeline that dies at any tick goes on to the same end. */

import { proveResumable } from "@millrace/testing";
import type { Workflow } from "millrace";
import { expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  type StepFunction,
  type StepOptions,
} from "../src/index.js";

/** Each permutes concurrent work in its own way. */
const seeds = [1, 2, 3, 4, 5].slice(0, casesOf(5));

const count =
  (name: string): StepFunction =>
  async (input, context) => {
    await context.editState((state) => {
      state["steps"] = ((state["steps"] as number | undefined) ?? 0) + 1;
    });
    context.sessionState[name] = input.previousStepContent ?? input.input;
    return `${input.previousStepContent ?? input.input} ${name}`;
  };

/** What has failed is in the state: it is the third attempt of the run that ends well, whatever process that is in. */
const failsTwice: StepFunction = async (input, { editState }) => {
  const failures = await editState((state) => {
    state["failures"] = ((state["failures"] as number | undefined) ?? 0) + 1;
    return state["failures"] as number;
  });
  if (failures < 3) throw new Error(`failure ${failures}`);
  return String(input.previousStepContent);
};

const fails: StepFunction = () => {
  throw new Error("no");
};

const adds: StepFunction = ({ previousStepContent }) => Number(previousStepContent ?? 0) + 1;

const nest = (name: string, steps: PipelineOptions["steps"], options: Partial<StepOptions> = {}): Step =>
  new Step({ name, executor: new Pipeline({ name, steps }), ...options });

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
  "nested pipelines at once, one of them twice nested": [
    count("a"),
    new Parallel("both", nest("inner", [count("i"), nest("innermost", [count("j")])]), nest("other", [count("o")])),
    count("after"),
  ],
  "nested pipelines in isolated branches": [
    new Parallel({
      name: "both",
      state: "isolated",
      steps: [nest("inner", [count("i")]), nest("other", [count("o")])],
    }),
  ],
  "a nested pipeline that fails and is tried again": [
    nest("inner", [count("i"), failsTwice], { maxRetries: 3 }),
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
  "a Parallel in a branch that is given up": [
    new Parallel("both", count("p"), new Parallel({ name: "inner", onError: "skip", steps: [fails] })),
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

/** They have many moments to die at. */
const longer: typeof pipelines = {
  "a Loop of more iterations than a page of its outputs has": [
    new Loop({ name: "again", maxIterations: 66, forwardIterationOutput: true, steps: [adds] }),
    count("after"),
  ],
  "a Parallel of more branches than a page of its outputs has": [
    new Parallel({
      name: "all",
      steps: Array.from({ length: 66 }, (_, at) => new Step({ name: `b${at}`, executor: adds })),
    }),
    count("after"),
  ],
};

it.each([
  ...Object.entries(pipelines).map(([name, steps]) => ({ name, steps, orders: seeds })),
  ...Object.entries(longer).map(([name, steps]) => ({ name, steps, orders: seeds.slice(0, 1) })),
])("$name", async ({ steps, orders }) => {
  const make = (): Pipeline => new Pipeline({ name: "proved", steps, storeEvents: true });
  const input = make().workflowInput("in", { streamEvents: true, sessionId: "s" });

  const proof = await proveResumable((): Workflow => make().workflow, input as never, {
    compare: sameButTimes,
    seeds: orders,
  });

  expect(proof.crashes).toBeGreaterThan(10);
});

const asked = new Step({ name: "asked", executor: count("asked"), humanReview: { requiresConfirmation: true } });

it.each([
  ["a question", asked],
  ["a nested pipeline", nest("nested", [count("i"), nest("innermost", [count("j")]), count("k")])],
])("%s in a branch that is given up", async (_name, branch) => {
  const inner = new Parallel({ name: "inner", onError: "skip", steps: [branch, fails] });
  const make = (): Pipeline =>
    new Pipeline({ name: "proved", steps: [new Parallel("both", count("p"), inner), count("z")] });

  const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
    seeds: seeds.slice(0, 2),
    compare: (expected, actual) => content(expected.result) === content(actual.result),
  });

  expect(proof.crashes).toBeGreaterThan(10);
});

const content = (result: unknown): unknown => (result as { readonly content: unknown }).content;

/** How long a step took, and when, is another number every time; events of branches, and nested runs, come in any order. */
function sameButTimes(expected: object, actual: object): boolean {
  return plain(expected) === plain(actual);
}

const times = new Set([
  "duration",
  "createdAt",
  "createdAtMs",
  "eventIndex",
  "endedAtMs",
  "startedAtMs",
  "visits",
  "runId",
  "parentRunId",
]);
const unordered = new Set(["events", "executorRuns", "stepExecutorRuns"]);

const plainTexts = new WeakMap<object, string>();

/** As text, in one order; each value once, because the end after every crash is compared with the same few. */
function plain(value: object): string {
  const known = plainTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(canonical(JSON.parse(JSON.stringify(value))));
  plainTexts.set(value, text);
  return text;
}

function canonical(value: unknown, isUnordered = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item));
    if (!isUnordered) return items;
    const sorted = items.map((item) => ({ item, text: JSON.stringify(item) ?? "" }));
    return sorted.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text))).map(({ item }) => item);
  }
  if (typeof value !== "object" || value === null) return value;
  // Fields of the session state come in the order in which they were set first.
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    fields.map(([key, part]) => [key, times.has(key) ? 0 : canonical(part, unordered.has(key))]),
  );
}
