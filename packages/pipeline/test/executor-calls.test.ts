/** What an executor does with the context of its step: recorded calls, and questions of its own. */
import { setTimeout as sleep } from "node:timers/promises";
import { proveResumable } from "@millrace/testing";
import type { Workflow } from "millrace";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Parallel, Pipeline, type PipelineRunOutput, Step, type StepRequirement, Steps } from "../src/index.js";
import { askAbout, fakeAgent, pausingAgent, tokens, toolCall } from "./support/fake-executor.js";
import { pipeline, step } from "./support/pipelines.js";

describe("a call of an executor", () => {
  it("is made once over retries of its step, and what was used before counts once", async () => {
    const made: string[] = [];
    let attempts = 0;
    const agent = fakeAgent("agent", async ({ ctx, report }) => {
      const first = await ctx.run("first", () => made.push("first"));
      report?.(tokens(10));
      if (attempts++ === 0) throw new Error("down");
      await ctx.scope("more").run("second", () => made.push("second"));
      return { content: first, metrics: tokens(25) };
    });

    const output = await pipeline([new Step({ name: "agent", executor: agent, maxRetries: 1 })]).run("in");

    expect(made).toEqual(["first", "second"]);
    expect(output.metrics.steps["agent"]?.metrics.totalTokens).toBe(25);
    expect(output.metrics.steps["agent"]?.executions).toHaveLength(2);
  });

  it("keeps what it changes in the session state, at every moment of a crash", async () => {
    const counts = (times: number) =>
      fakeAgent("counts", async ({ ctx, callContext }) => {
        for (let time = 0; time < times; time++)
          await ctx.run(`call ${time}`, async (call) => {
            const { sessionState } = callContext(call);
            const list = (sessionState["list"] ??= []) as number[];
            list.push(time);
            await callContext(call).editState((state) => void (state["edits"] = Number(state["edits"] ?? 0) + 1));
          });
        return { content: "done" };
      });
    const make = () =>
      new Pipeline({ name: "proved", steps: [new Parallel("both", counts(3), step("other")), counts(2)] });

    const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
      seeds: [1, 2],
      compare: (expected, actual) =>
        JSON.stringify((expected.result as PipelineRunOutput).sessionState) ===
        JSON.stringify((actual.result as PipelineRunOutput).sessionState),
    });
    const { sessionState } = await pipeline([counts(3), counts(2)]).run("in");

    expect(proof.crashes).toBeGreaterThan(10);
    expect(sessionState).toEqual({ list: [0, 1, 2, 0, 1], edits: 5 });
  });

  it("cannot edit the state of the run itself, and its context ends with it", async () => {
    let late: (() => unknown) | undefined;
    const agent = fakeAgent("agent", async ({ ctx, callContext }) => {
      await ctx.run("late", (call) => {
        const own = callContext(call);
        late = () => (own.sessionState["late"] = true);
      });
      return ctx.run("ends", (call) => call.finish(() => null)).then(() => ({}));
    });

    const output = await pipeline([new Step({ executor: agent, onError: "skip" })]).run("in");

    expect(output.stepResults[0]?.error).toMatch(/cannot end with `call.finish`/);
    expect(() => late?.()).toThrow(expect.objectContaining({ code: "ATTEMPT_ENDED" }));
  });
});

describe("a question of an executor", () => {
  const asking = (schema = z.object({ city: z.string() })) =>
    fakeAgent("guide", async ({ ctx }) => ({ content: await ctx.ask({ title: "Where to?", schema }) }));

  it("has fields of its own, which the answer gives", async () => {
    const asked = pipeline([asking()]);

    const paused = await asked.run("in");
    const [requirement] = paused.requirements;
    const run = asked.handle(paused.runId);
    const id = requirement?.requirementId as string;
    const decision = (values: object) => ({ requirementId: id, decision: { decision: "confirm", values } });
    await expect(run.answer(decision({ town: 1 }))).rejects.toMatchObject({ code: "EVENT_INVALID" });
    requirement?.setUserInput({ city: "Rome" });
    const done = await asked.continueRun(paused);

    expect(requirement?.data).toMatchObject({ kind: "executor", stepName: "guide", message: "Where to?" });
    expect(done).toMatchObject({ content: { city: "Rome" }, answered: [{ kind: "executor", decision: "confirm" }] });
  });

  it.each([
    ["cancel", { status: "CANCELLED", content: "Pipeline cancelled: Step 'agent' was not answered in time" }],
    ["skip", { status: "COMPLETED", content: "in c" }],
    ["approve", { status: "COMPLETED" }],
  ] as const)("that nobody answers in time does what `onTimeout` says: %s", async (onTimeout, ended) => {
    const agent = new Step({
      name: "agent",
      executor: pausingAgent("agent"),
      humanReview: { timeout: 40, onTimeout },
    });
    const asked = pipeline([agent, step("c")]);
    const run = asked.run("in");
    await run.output();
    while ((await run.look()).status === "PAUSED") await sleep(10);
    const output = await run.output();

    expect(output).toMatchObject(ended);
    expect(output.answered).toMatchObject([{ stepName: "agent", decision: "timeout" }]);
    expect(output.metrics.steps["agent"]?.metrics.totalTokens).toBe(onTimeout === "approve" ? 25 : 10);
  });

  it("does not count in the time of its step", async () => {
    const asked = pipeline([new Step({ name: "agent", executor: pausingAgent("agent"), timeout: 500, maxRetries: 0 })]);
    const paused = await asked.run("in");
    await sleep(600);
    paused.requirements[0]?.confirm();
    const done = await asked.continueRun(paused);

    expect(done).toMatchObject({ status: "COMPLETED" });
    expect(done.metrics.steps["agent"]?.metrics.duration).toBeLessThan(0.6);
  });

  it("is answered while another branch is at work", async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const asked = pipeline([new Parallel("both", pausingAgent("agent"), () => gate)]);
    const run = asked.run("in");
    let { status, requirements } = await run.look();
    while (requirements.length === 0) ({ status, requirements } = await run.look());
    requirements[0]?.reject("no");
    await run.answer(requirements[0] as StepRequirement);
    open();
    const output = await run;

    expect(status).toBe("RUNNING");
    expect(output.stepResults[0]?.steps[0]?.content).toMatchObject({ answers: [{ approved: false, note: "no" }] });
  });

  it("is withdrawn with the group that it is in, and the run goes on", async () => {
    let tell: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => (tell = resolve));
    const bad = step("bad", {
      executor: () => isAsked.then(() => sleep(20)).then(() => Promise.reject(new Error("no"))),
    });
    const agent = fakeAgent("agent", async ({ ctx, report }) => {
      report?.(tokens(10));
      setTimeout(tell, 10);
      await askAbout(ctx, toolCall("agent", 1));
      return {};
    });
    const asked = pipeline([
      new Steps({
        name: "group",
        onError: "skip",
        steps: [new Parallel("both", bad, new Step({ name: "agent", executor: agent }))],
      }),
      step("c", { humanReview: { requiresConfirmation: true } }),
    ]);

    const paused = await asked.run("in");
    const prompts = await asked.handle(paused.runId).requirements();
    prompts[0]?.confirm();
    const done = await asked.continueRun(paused.runId, { requirements: prompts });

    expect(prompts.map(({ kind, stepName }) => [kind, stepName])).toEqual([["confirmation", "c"]]);
    expect(done).toMatchObject({ status: "COMPLETED", content: "in c" });
    expect(done.metrics.steps["agent"]?.metrics.totalTokens).toBe(10);
  });
});
