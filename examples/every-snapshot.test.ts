/** The examples, stopped at everything that happens to them: each snapshot goes on to the same result in a fresh workflow. */
import "./pipelines/support/offline.js";
import { join } from "node:path";
import type { Pipeline, PipelineRunOptions } from "@millrace/pipeline";
import {
  Context,
  type ContextDict,
  type InspectionName,
  type Workflow,
  WorkflowError,
  type WorkflowEvent,
  type WorkflowHandler,
} from "millrace";
import { memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { Collatz } from "./branches-and-loops.js";
import { TripFlow } from "./child-workflows.js";
import { DigestFlow } from "./digest/workflow.js";
import { WordCount } from "./fan-out-fan-in.js";
import { JokeFlow } from "./hello.js";
import { RefundFlow } from "./human-in-the-loop.js";
import { writer } from "./no-decorators.js";
import { client, createContentCreation as createPlan } from "./pipelines/additional-data.js";
import { createPress } from "./pipelines/background.js";
import { createNewsletter } from "./pipelines/container-events.js";
import { createContentCreation } from "./pipelines/content-creation.js";
import { createRivers } from "./pipelines/conversation.js";
import { createArticle } from "./pipelines/fact-check.js";
import { bridge, createMedia } from "./pipelines/media-input.js";
import { createMixed } from "./pipelines/mixed-pipeline.js";
import { createLabel } from "./pipelines/nested.js";
import { createPublishing } from "./pipelines/people.js";
import { createShopping } from "./pipelines/shopping-list.js";
import { createSupport } from "./pipelines/state-in-conditions.js";
import { createReport } from "./pipelines/stored-events.js";
import { createAnalysis } from "./pipelines/structured-steps.js";
import { closedPictures, decide } from "./pipelines/support/editor.js";
import { answerWith, withoutTimes } from "./pipelines/support/prove.js";
import { createAnalysis as createTypedAnalysis } from "./pipelines/typed-agents.js";
import { createStation, ForecastFlow } from "./retries-and-recovery.js";
import { BookingFlow } from "./serverless.js";
import { Bakery } from "./streaming.js";
import { temporaryFolder } from "./test/temporary-folder.js";
import { AtomicCounter } from "./typed-state.js";

const moments: readonly InspectionName[] = [
  "run.started",
  "run.idle",
  "step.started",
  "step.completed",
  "step.failed",
  "step.retrying",
  "step.waiting",
  "event.received",
  "event.streamed",
  "state.edited",
  "timer.fired",
  "child.started",
  "child.finished",
];

interface Case {
  readonly name: string;
  readonly create: () => Workflow;
  readonly input: Record<string, unknown>;
  /** What a person answers to every prompt. */
  readonly answer?: Answer;
}

type Answer = object | ((prompt: WorkflowEvent) => object);

interface PipelineCase extends Pick<Case, "answer"> {
  readonly create: () => Pipeline;
  readonly input: unknown;
  readonly options?: PipelineRunOptions;
}

function pipeline(name: string, { create, input, options, answer = {} }: PipelineCase): Case {
  // Without the words of the models: each of them would be a snapshot.
  const request = create().workflowInput(input, { streamExecutorEvents: false, ...options });
  return { name, create: () => create().workflow, input: request, answer };
}

const digested = new URL("../docs/how-to/hello.md", import.meta.url).pathname;
const cases: readonly Case[] = [
  { name: "hello", create: () => new JokeFlow(), input: { topic: "pirate" } },
  // Not `OpenCounter`: a step that runs again adds to what its own `set` has left. That is what `editState` is for.
  { name: "typed state", create: () => new AtomicCounter(), input: {} },
  { name: "branches and loops", create: () => new Collatz(), input: { value: 6 } },
  {
    name: "fan-out and fan-in",
    create: () => new WordCount(),
    input: { chapters: ["one two", "three", "four five six", "seven"] },
  },
  {
    name: "human in the loop",
    create: () => new RefundFlow(),
    input: { order: "A-17", euros: 80 },
    answer: { approved: true, by: "Ada" },
  },
  { name: "retries and recovery", create: () => new ForecastFlow(createStation()), input: { city: "Bergen" } },
  { name: "streaming", create: () => new Bakery(), input: { loaves: 3 } },
  {
    name: "child workflows",
    create: () => new TripFlow(),
    input: { word: "bread", languages: ["French", "German", "Italian"] },
  },
  { name: "no decorators", create: () => writer, input: { question: "Rain?" } },
  {
    name: "serverless",
    create: () => new BookingFlow(),
    input: { guest: "Ada", nights: 2 },
    answer: { room: "attic" },
  },
  {
    name: "digest",
    create: () => new DigestFlow(join(temporaryFolder("digest-"), "digest.md")),
    input: { files: [digested] },
    answer: { keep: [1] },
  },
  // Not `SummaryFlow`: it sleeps for seconds.
  pipeline("additional data", { create: createPlan, input: "AI trends", options: { additionalData: client } }),
  pipeline("background", { create: createPress, input: { copies: 10, dryingMs: 0 } }),
  pipeline("container events", { create: createNewsletter, input: "Write about rain" }),
  pipeline("content creation", { create: createContentCreation, input: "AI trends in 2024" }),
  pipeline("conversation", { create: createRivers, input: "How long is the Nile?" }),
  pipeline("fact check", { create: createArticle, input: "Recent breakthroughs in quantum computing" }),
  pipeline("media input", { create: createMedia, input: "Analyze this image", options: { images: [bridge] } }),
  pipeline("mixed pipeline", { create: createMixed, input: "Fintech startups" }),
  pipeline("nested", { create: createLabel, input: "bread" }),
  pipeline("people", {
    create: () => createPublishing(memoryStore(), closedPictures),
    input: "rivers",
    answer: answerWith(decide),
  }),
  pipeline("shopping list", { create: createShopping, input: "Please add milk, bread, and eggs." }),
  pipeline("state in conditions", { create: createSupport, input: "Urgent: nothing works." }),
  pipeline("stored events", { create: () => createReport({ storeEvents: true }), input: "Solar power" }),
  pipeline("structured steps", { create: createAnalysis, input: "AI trends" }),
  pipeline("typed agents", { create: createTypedAnalysis, input: "AI trends" }),
];

describe("every snapshot of an example", () => {
  it.each(cases)("$name: goes on to the same result", async ({ create, input, answer = {} }) => {
    const workflow = create();
    const snapshots = new Map<string, ContextDict>();
    const handler: WorkflowHandler = workflow.run(input);
    for (const moment of moments) workflow.on(moment, () => void keep(snapshots, handler));
    const result = await toTheEnd(handler, answer);

    const results = await Promise.all([...snapshots.values()].map((snapshot) => goOn(create(), snapshot, answer)));
    const others = results.filter((one) => one !== hasEnded);

    expect(others.length).toBeGreaterThan(1);
    expect(others.map(withoutTimes)).toEqual(others.map(() => withoutTimes(result)));
  });
});

function keep(snapshots: Map<string, ContextDict>, { context }: WorkflowHandler): void {
  const text = JSON.stringify(context.toDict());
  snapshots.set(text, JSON.parse(text));
}

/** The snapshots of the last moment are of a run that has ended already. */
const hasEnded = Symbol("the run has ended");

async function goOn(workflow: Workflow, snapshot: ContextDict, answer: Answer): Promise<unknown> {
  try {
    return await toTheEnd(workflow.resume(Context.fromDict(workflow, snapshot)), answer);
  } catch (error) {
    if (WorkflowError.is(error, "RUN_FINISHED") && error.details["status"] === "completed") return hasEnded;
    throw error;
  }
}

/** Answers whatever is asked. */
async function toTheEnd(handler: WorkflowHandler, answer: Answer): Promise<unknown> {
  for (;;) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting") return handler;
    for (const { promptId, event } of outcome.prompts) {
      await handler.answer(promptId, typeof answer === "function" ? answer(event) : answer);
    }
  }
}
