/** Pipelines and core workflows as steps. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { afterEach, expect, it } from "vitest";
import { Parallel, Pipeline, type PipelineOptions, Step } from "../src/index.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(name: string, steps: PipelineOptions["steps"]): Pipeline {
  const made = new Pipeline({ name, steps });
  open.push(made);
  return made;
}

it("a workflow of the core is a step: it gets the message, and its result is the content", async () => {
  const shout = defineWorkflow("shout")
    .step("shout", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: `${ev.get("input")}!` }))
    .build();

  const output = await pipeline("Outer", [
    (input) => `say ${input.input}`,
    new Step({ name: "shout", executor: shout }),
  ]).run("hello");

  expect(output).toMatchObject({ content: "say hello!" });
  expect(output.stepResults[1]).toMatchObject({ stepType: "Workflow", executorType: "workflow" });
});

it("a pipeline is a step: with what came before as its input, also in a Parallel; its stop is its own", async () => {
  const inner = pipeline("Inner", [
    (input) => `${input.input} inside`,
    new Step({ name: "end", executor: (input) => `${input.previousStepContent} end` }),
  ]);

  const output = await pipeline("Outer", [
    () => "first",
    new Parallel("both", new Step({ name: "nested", executor: inner }), () => "beside"),
    (input) => input.getStepContent("end"),
  ]).run("in");

  expect(output.content).toBe("first inside end");
});

it("a pipeline inside another shares its session state, both ways", async () => {
  const inner = pipeline("Inner", [
    (_input, { sessionState }) => {
      sessionState["inner"] = `saw ${sessionState["outer"]}`;
    },
  ]);
  const outer = pipeline("Outer", [
    (_input, { sessionState }) => {
      sessionState["outer"] = 1;
    },
    inner,
    (_input, { sessionState }) => sessionState["inner"],
  ]);

  const output = await outer.run("", { sessionId: "s" });

  expect(output).toMatchObject({ content: "saw 1", sessionState: { outer: 1, inner: "saw 1" } });
  expect(await outer.sessions.getSessionState("s")).toEqual({ outer: 1, inner: "saw 1" });
});

it("a pipeline inside another that fails is tried again as a whole, and then fails its step", async () => {
  let calls = 0;
  const inner = pipeline("Inner", [
    () => {
      calls++;
      throw new Error("deep down");
    },
  ]);
  const run = pipeline("Outer", [new Step({ name: "nested", executor: inner, maxRetries: 1 })]).run("in");

  await expect(run).rejects.toMatchObject({ code: "PIPELINE_FAILED", message: expect.stringContaining("deep down") });
  expect(calls).toBe(2);
});
