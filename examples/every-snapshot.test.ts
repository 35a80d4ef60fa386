/** The examples, stopped at everything that happens to them: each snapshot goes on to the same result in a fresh workflow. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Context,
  type ContextDict,
  type InspectionName,
  type Workflow,
  WorkflowError,
  type WorkflowHandler,
} from "millrace";
import { describe, expect, it } from "vitest";
import { Collatz } from "./branches-and-loops.js";
import { TripFlow } from "./child-workflows.js";
import { DigestFlow } from "./digest/workflow.js";
import { WordCount } from "./fan-out-fan-in.js";
import { JokeFlow } from "./hello.js";
import { RefundFlow } from "./human-in-the-loop.js";
import { writer } from "./no-decorators.js";
import { createStation, ForecastFlow } from "./retries-and-recovery.js";
import { BookingFlow } from "./serverless.js";
import { Bakery } from "./streaming.js";
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
  readonly answer?: Record<string, unknown>;
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
    create: () => new DigestFlow(join(mkdtempSync(join(tmpdir(), "digest-")), "digest.md")),
    input: { files: [digested] },
    answer: { keep: [1] },
  },
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
    expect(others).toEqual(others.map(() => result));
  });
});

function keep(snapshots: Map<string, ContextDict>, { context }: WorkflowHandler): void {
  const text = JSON.stringify(context.toDict());
  snapshots.set(text, JSON.parse(text));
}

/** The snapshots of the last moment are of a run that has ended already. */
const hasEnded = Symbol("the run has ended");

async function goOn(workflow: Workflow, snapshot: ContextDict, answer: Record<string, unknown>): Promise<unknown> {
  try {
    return await toTheEnd(workflow.resume(Context.fromDict(workflow, snapshot)), answer);
  } catch (error) {
    if (WorkflowError.is(error, "RUN_FINISHED") && error.details["status"] === "completed") return hasEnded;
    throw error;
  }
}

/** Answers whatever is asked. */
async function toTheEnd(handler: WorkflowHandler, answer: Record<string, unknown>): Promise<unknown> {
  for (;;) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting") return handler;
    for (const { promptId } of outcome.prompts) await handler.answer(promptId, answer);
  }
}
