import { expectTypeOf } from "vitest";
import * as z from "zod";
import {
  Pipeline,
  type PipelineEvent,
  type PipelineEventOf,
  type PipelineRunOutput,
  type RunContext,
  type SessionState,
  type StepOutput,
} from "../src/index.js";

const free = new Pipeline({ name: "free", steps: [] });
const typed = new Pipeline({
  name: "typed",
  steps: [],
  inputSchema: z.object({ topic: z.string(), depth: z.number().default(1) }),
});

export async function events(): Promise<void> {
  for await (const event of free.run("").events()) {
    expectTypeOf(event.runId).toEqualTypeOf<string>();
    switch (event.event) {
      case "StepCompleted":
        expectTypeOf(event.stepResponse).toEqualTypeOf<StepOutput>();
        expectTypeOf(event.stepName).toEqualTypeOf<string>();
        // @ts-expect-error [2339] -- a step has no iterations
        event.totalIterations;
        break;
      case "LoopIterationCompleted":
        expectTypeOf(event.shouldContinue).toEqualTypeOf<boolean>();
        break;
      case "RunContent":
      case "TeamRunContent":
        expectTypeOf(event.content).toEqualTypeOf<string>();
        break;
      case "WorkflowError":
        expectTypeOf(event.stepName).toEqualTypeOf<string | null>();
        break;
      case "CustomEvent":
        expectTypeOf(event["anything"]).toEqualTypeOf<unknown>();
        break;
      // @ts-expect-error [2678] -- no event has this name
      case "StepComplete":
        break;
    }
  }
  expectTypeOf<PipelineEventOf<"WorkflowStarted">["event"]>().toEqualTypeOf<"WorkflowStarted">();
  expectTypeOf<PipelineEvent>().toExtend<{ readonly event: string; readonly [field: string]: unknown }>();
}

export async function ownEvents(): Promise<void> {
  for await (const event of free.run("").events<{ readonly event: "Progress"; readonly percent: number }>())
    if (event.event === "Progress") {
      expectTypeOf(event.percent).toEqualTypeOf<number>();
      expectTypeOf(event.stepId).toEqualTypeOf<string>();
    }
}

export async function inputs(): Promise<void> {
  const output = await typed.run({ topic: "rivers" });
  expectTypeOf(output.input).toEqualTypeOf<{ topic: string; depth: number }>();
  expectTypeOf((await typed.continueRun(output).look()).input).toEqualTypeOf<{ topic: string; depth: number }>();
  await typed.run('{ "topic": "rivers" }', { sessionId: "one" });
  // @ts-expect-error [2345] -- the schema has another field
  await typed.run({ subject: "rivers" });
  // @ts-expect-error [2554] -- the schema asks for input
  await typed.run();
  expectTypeOf((await free.run()).input).toEqualTypeOf<unknown>();
  const anyPipeline: Pipeline = typed; // for code that takes every pipeline
  const anyOutput: PipelineRunOutput = output;
  await Promise.all([anyPipeline, anyOutput]);
}

export async function states(context: RunContext): Promise<void> {
  expectTypeOf(context.sessionState).toEqualTypeOf<SessionState>();
  expectTypeOf(await free.getSessionState()).toEqualTypeOf<SessionState>();
  expectTypeOf((await free.run()).sessionState).toEqualTypeOf<Readonly<SessionState>>();
}
