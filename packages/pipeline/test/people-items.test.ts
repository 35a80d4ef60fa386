/** How often a step comes up in the history of its run, where people are asked about it: as often as it runs. */
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  type StepRequirement,
  Steps,
} from "../src/index.js";
import { answerAll, pipeline, step } from "./support/pipelines.js";

const humanReview = { requiresConfirmation: true };
const asked = (name: string) => step(name, { humanReview });

/** Work items by core step, of the run and of those nested in it. */
async function itemsOf(made: Pipeline, store: RunStore, runId: string): Promise<Record<string, number>> {
  const runtime = createRuntime({ workflows: { [made.id]: made.workflow }, store });
  onTestFinished(() => runtime.stop());
  const items = new Map<string, Set<string>>();
  for await (const { step, runId: of, item } of runtime.attempts(runId))
    items.set(step, (items.get(step) ?? new Set()).add(`${of} ${item}`));
  return Object.fromEntries([...items].map(([step, { size }]) => [step, size]));
}

function answer(requirement: StepRequirement): void {
  if (requirement.kind === "route") requirement.select("a");
  else if (requirement.kind === "userInput") requirement.setUserInput({ tone: "warm" });
  else requirement.confirm();
}

interface Case {
  readonly steps: () => PipelineOptions["steps"];
  readonly items: Readonly<Record<string, number>>;
}

const cases: Readonly<Record<string, Case>> = {
  "a step": { steps: () => [step("first"), asked("a")], items: { first: 1, a: 1, "a: ask": 1 } },
  "the first step": { steps: () => [asked("a")], items: { a: 1, "a: ask": 1 } },
  "a step that wants fields": {
    steps: () => [
      step("a", { humanReview: { requiresUserInput: true, userInputSchema: [{ name: "tone", type: "string" }] } }),
    ],
    items: { a: 1, "a: ask": 1 },
  },
  "branches of a Parallel": {
    steps: () => [new Parallel("both", asked("a"), step("b"), asked("c"))],
    items: { both: 1, a: 1, "a: ask": 1, b: 1, c: 1, "c: ask": 1, "both: gather": 1 },
  },
  "a step of a Loop": {
    steps: () => [new Loop({ name: "loop", maxIterations: 3, steps: [asked("a"), step("b")] })],
    items: { loop: 1, a: 3, "a: ask": 3, b: 3 },
  },
  "a step of a Loop that decides": {
    steps: () => [new Loop({ name: "loop", maxIterations: 2, endCondition: () => false, steps: [asked("a")] })],
    items: { loop: 1, "loop: again": 2, a: 2, "a: ask": 2 },
  },
  "a choice of a Router": {
    steps: () => [new Router({ name: "pick", selector: () => "a", choices: [asked("a"), asked("b")] })],
    items: { pick: 1, a: 1, "a: ask": 1 },
  },
  "a Router that is confirmed, and whose choice somebody picks": {
    steps: () => [
      new Router({
        name: "pick",
        humanReview: { requiresConfirmation: true, requiresUserInput: true },
        choices: [asked("a"), step("b")],
      }),
    ],
    items: { pick: 1, "pick: ask": 2, a: 1, "a: ask": 1 },
  },
  groups: {
    steps: () => [
      new Steps({ name: "group", humanReview, steps: [asked("a")] }),
      new Condition({ name: "if", humanReview, evaluator: true, steps: [asked("b")] }),
      new Loop({ name: "loop", humanReview, maxIterations: 1, steps: [step("c")] }),
      new Parallel("both", step("d")),
    ],
    items: { group: 1, a: 1, if: 1, b: 1, loop: 1, c: 1, both: 1, d: 1 },
  },
  "a step of a nested pipeline": {
    steps: () => [new Pipeline({ name: "Inner", steps: [asked("a"), new Parallel("both", asked("b"))] })],
    items: { Inner: 1, a: 1, "a: ask": 1, both: 1, b: 1, "b: ask": 1 },
  },
};

it.each(Object.entries(cases))(
  "what people are asked about is one item for each time it runs: %s",
  async (_name, given) => {
    const store = memoryStore();
    const made = pipeline(given.steps(), { store });

    const { runId, status } = await answerAll(made, await made.run("in"), answer);

    expect(status).toBe("COMPLETED");
    expect(await itemsOf(made, store, runId)).toMatchObject(given.items);
  },
);

it.each(Object.entries(cases))(
  "it is that also where each answer is given to another process: %s",
  async (_name, given) => {
    const store = memoryStore();
    const open = () => pipeline(given.steps(), { store });
    let made = open();
    let output = await made.run("in").output();
    while (output.status === "PAUSED") {
      await made.close();
      made = open();
      for (const requirement of output.requirements) answer(requirement);
      output = await made.continueRun(output).output();
    }

    expect(output.status).toBe("COMPLETED");
    expect(await itemsOf(made, store, output.runId)).toMatchObject(given.items);
  },
);

it("a step that people want to have made again is an item for each time", async () => {
  const store = memoryStore();
  const review = step("a", {
    humanReview: { requiresConfirmation: true, requiresOutputReview: true, onReject: "retry" },
  });
  const made = pipeline([review], { store });
  let reviews = 0;

  const { runId, status } = await answerAll(made, await made.run("in"), (requirement) => {
    if (requirement.kind === "outputReview" && reviews++ === 0) requirement.reject("again");
    else requirement.confirm();
  });

  expect(status).toBe("COMPLETED");
  expect(await itemsOf(made, store, runId)).toMatchObject({ a: 2, "a: ask": 3 });
});
