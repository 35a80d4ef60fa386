/** A pipeline with every kind of question, also in groups and in another pipeline, that says at its end what it was given. */
import type { RunStore } from "millrace/runtime";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineRunOptions,
  Router,
  Step,
  type StepFunction,
  type StepRequirement,
  Steps,
  stepOutput,
} from "../../src/index.js";
import { pausingAgent } from "./fake-executor.js";
import { add, fails, step } from "./pipelines.js";

const humanReview = { requiresConfirmation: true };

const told: StepFunction = (input, { dependencies, metadata, sessionState, userId, sessionId }) => {
  const { additionalData, images, files } = input;
  const media = [...images, ...files].map(({ id }) => id);
  return {
    input: input.input,
    additionalData,
    media,
    dependencies,
    metadata,
    userId,
    sessionId,
    state: { ...sessionState },
  };
};

export function reviewed(store: RunStore): Pipeline {
  return new Pipeline({
    name: "Reviewed",
    store,
    dependencies: { of: "pipeline" },
    steps: [
      step("begin", {
        executor: (_input, { sessionState }) => {
          sessionState["begun"] = ["before the first question"];
          return stepOutput({ content: "begun", files: [{ id: "made" }] });
        },
      }),
      step("confirmed", { humanReview }),
      new Step({
        name: "fields",
        executor: (input) => input.humanInput?.userInput,
        humanReview: { requiresUserInput: true, userInputSchema: [{ name: "tone", type: "string" }] },
      }),
      new Router({ name: "route", choices: [step("x"), step("y")], humanReview: { requiresUserInput: true } }),
      step("looked at", { executor: () => "draft", humanReview: { requiresOutputReview: true } }),
      new Loop({
        name: "loop",
        maxIterations: 2,
        humanReview: { requiresIterationReview: true, onReject: "retry" },
        steps: [
          new Parallel("both", new Steps({ name: "group", humanReview, steps: [step("p")] }), pausingAgent("agent")),
        ],
      }),
      new Condition({ name: "if", humanReview, steps: [step("yes")], elseSteps: [step("no")] }),
      step("bad", { executor: fails, onError: "pause" }),
      new Pipeline({ name: "Inner", steps: [step("inner", { executor: add("inner"), humanReview })] }),
      new Step({ name: "told", executor: told }),
    ],
  });
}

export const given = {
  runId: "reviewed",
  sessionId: "s",
  userId: "ada",
  additionalData: { order: { id: 17 } },
  dependencies: { database: { name: "main" } },
  metadata: { source: "test" },
  images: [{ id: "picture", url: "https://example.com/a.png" }],
  sessionState: { given: true },
} satisfies PipelineRunOptions;

/** What it comes to. */
export const expected = {
  status: "COMPLETED",
  hasFailures: true,
  content: {
    input: { topic: "rivers" },
    additionalData: given.additionalData,
    media: ["picture", "made"],
    dependencies: { of: "pipeline", database: { name: "main" } },
    metadata: given.metadata,
    userId: "ada",
    sessionId: "s",
    state: { given: true, begun: ["before the first question"] },
  },
};

export const questions: readonly string[] = [
  "confirmation confirmed",
  "userInput fields",
  "route route",
  "outputReview looked at",
  "confirmation group, executor agent",
  "iterationReview loop",
  "confirmation group, executor agent",
  "confirmation if",
  "error bad",
  "confirmation inner",
];

export function asked(requirements: readonly StepRequirement[]): string {
  return requirements
    .map(({ kind, stepName }) => `${kind} ${stepName}`)
    .sort()
    .join(", ");
}

/** As somebody would who wants it to go on; the loop once more. */
export function answer(requirement: StepRequirement): void {
  switch (requirement.kind) {
    case "userInput":
      return requirement.setUserInput({ tone: "calm" });
    case "route":
      return requirement.select("y");
    case "error":
      return requirement.skip();
    case "iterationReview":
      return requirement.reject("once more");
    default:
      return requirement.confirm();
  }
}
