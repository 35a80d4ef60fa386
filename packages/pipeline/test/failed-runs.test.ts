/** A pipeline that fails is a run that failed, and its output says what was done. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { WorkflowError } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { Parallel, Pipeline, Step, Steps, stepOutput } from "../src/index.js";
import { temporaryDirectory } from "./support/files.js";
import { eventsOf, fails, namesOf, pipeline, step } from "./support/pipelines.js";

const bad = (options = {}): Step => step("bad", { executor: fails, ...options });

describe("a run that fails", () => {
  it("is listed as failed, with the error of its step", async () => {
    const flow = pipeline([step("a"), bad()], { sessionId: "s" });

    const output = await flow.run("in", { runId: "one" }).output();

    expect(output).toMatchObject({ status: "ERROR", error: { stepName: "bad", message: "no" }, hasFailures: true });
    expect((await flow.runs()).runs).toMatchObject([{ runId: "one", status: "failed" }]);
    expect((await flow.runs({ status: "completed" })).runs).toEqual([]);
    expect((await flow.sessions.get("s"))?.runs).toMatchObject([{ runId: "one", status: "ERROR" }]);
    expect(await flow.getRun("one")).toStrictEqual(output);
  });

  it("rejects as a workflow of a runtime, with the stored error as its cause", async () => {
    const flow = pipeline([bad()]);
    const runtime = createRuntime({ workflows: { tested: flow.workflow } }) as unknown as Runtime;
    onTestFinished(() => runtime.stop());
    const run = runtime.run("tested", flow.workflowInput("in") as never);

    const error = await run.then(null, (thrown: unknown) => thrown);

    expect(WorkflowError.is(error, "PIPELINE_FAILED") && error.details).toMatchObject({ stepName: "bad" });
    expect(error).toMatchObject({ cause: { message: "no" } });
    expect((await run.idle()).status).toBe("failed");
  });

  it("is grouped by the step that somebody wrote, also in nested pipelines, and found by the step that contains those", async () => {
    const failing = (name: string): Step =>
      step(name, {
        executor: ({ input }) => {
          if (input === name) throw new TypeError(`no ${name}`);
          return input;
        },
      });
    const innermost = pipeline([failing("deepest")], { name: "Innermost" });
    const inner = pipeline([failing("deep"), new Step({ name: "more", executor: innermost })], { name: "Inner" });
    const flow = pipeline([failing("title"), failing("body"), new Step({ name: "inner", executor: inner })]);
    const runtime = createRuntime({ workflows: { tested: flow.workflow } }) as unknown as Runtime;
    onTestFinished(() => runtime.stop());

    for (const name of ["title", "body", "body", "deep", "deepest"])
      await runtime.run("tested", flow.workflowInput(name) as never).then(null, () => {});

    const { groups } = await runtime.statistics.failures({ after: 0 });
    expect(groups.map(({ step: at, message, count }) => [at, message, count]).sort()).toEqual([
      ["body", "no body", 2],
      ["deep", "no deep", 1],
      ["deepest", "no deepest", 1],
      ["title", "no title", 1],
    ]);
    expect((await runtime.runs({ failedStep: "body" })).runs).toHaveLength(2);
    expect((await runtime.runs({ failedStep: "inner" })).runs).toHaveLength(2);
    expect((await runtime.runs({ failedStep: "caught" })).runs).toEqual([]);
  });

  it("keeps the details, the causes and the errors of the error of its step, without stacks", async () => {
    const refused = new AggregateError([new RangeError("ipv6")], "connect", { cause: new Error("ECONNREFUSED") });
    const details = { event: "Order", issues: ["no total"] };
    const typed = new WorkflowError({ code: "EVENT_INVALID", message: "no order", hint: "Send a total.", details });
    const thrown = [new TypeError("fetch failed", { cause: refused }), typed];
    const flow = pipeline([step("bad", { executor: ({ input }) => Promise.reject(thrown[Number(input)]) })]);
    const failing = async (input: string) => {
      const run = flow.run(input);
      const error = await run.then(null, (caught: unknown) => (caught as Error).cause);
      return { stored: (await run.output()).error, error };
    };

    const native = await failing("0");
    const own = await failing("1");

    expect(native.stored).toEqual({
      ...{ stepName: "bad", message: "fetch failed", name: "TypeError", code: null, retryable: null },
      cause: {
        ...{ name: "AggregateError", message: "connect", cause: { name: "Error", message: "ECONNREFUSED" } },
        errors: [{ name: "RangeError", message: "ipv6" }],
      },
    });
    expect(native.error).toBeInstanceOf(TypeError);
    expect(native.error).toMatchObject({ cause: { message: "connect", cause: { message: "ECONNREFUSED" } } });
    expect(own.stored).toMatchObject({ code: "EVENT_INVALID", hint: "Send a total.", details });
    expect(WorkflowError.is(own.error, "EVENT_INVALID") && own.error.details).toEqual(details);
  });

  it("saves its session, and is the same for readers in another process, with its events", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const open = (): Pipeline =>
      new Pipeline({
        name: "Tested",
        store: sqliteStore(path, { durability: "process" }),
        storeEvents: true,
        steps: [step("a", { executor: (_, { sessionState }) => (sessionState["count"] = 1) }), bad()],
      });
    const first = open();
    const run = first.run("in", { runId: "one", sessionId: "s", streamEvents: true });
    const output = await run.output();
    const events = await eventsOf(run);
    await first.close();

    const second = open();
    onTestFinished(() => second.close());

    expect(await second.getRun("one")).toStrictEqual(output);
    expect(await second.getSessionState("s")).toEqual({ count: 1 });
    expect(await eventsOf(second.handle("one"))).toEqual(events);
    expect(namesOf(events).slice(-2)).toEqual(["StepError bad", "WorkflowError bad"]);
    expect(namesOf(output.events)).toEqual(namesOf(events));
  });

  it("says so when its content does not fit the output schema", async () => {
    const schema = {
      "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "never" }] }) },
    };
    const flow = pipeline([step("a")], { outputSchema: schema as never });

    await flow.run("in", { runId: "one" }).output();

    expect((await flow.runs()).runs).toMatchObject([{ status: "failed" }]);
    expect(await flow.getRun("one")).toMatchObject({ status: "ERROR", error: { code: "OUTPUT_INVALID" } });
  });

  it("was not failed if somebody has skipped the step, or has cancelled", async () => {
    const flow = pipeline([bad({ onError: "skip" })]);

    await flow.run("in");

    expect((await flow.runs()).runs).toMatchObject([{ status: "completed" }]);
  });
});

describe("a step that fails", () => {
  const spends: ConstructorParameters<typeof Step>[0]["executor"] = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new Error("no");
  };
  const spending = (options = {}): Step => new Step({ name: "bad", executor: spends, ...options });

  it.each([
    { what: "fails its run", options: {}, attempts: 1 },
    { what: "is skipped", options: { onError: "skip" }, attempts: 1 },
    { what: "is tried again first", options: { maxRetries: 2 }, attempts: 3 },
  ])("has an end and metrics when it $what", async ({ options, attempts }) => {
    const output = await pipeline([spending(options)])
      .run("in")
      .output();
    const [failed] = output.stepResults;

    expect(failed).toMatchObject({ success: false, error: "no" });
    expect(failed?.endedAtMs).toBeGreaterThan(0);
    expect(failed?.metrics?.duration).toBeGreaterThan(0);
    const { executions } = output.metrics.steps["bad"] as { executions: readonly unknown[] };
    expect(executions).toHaveLength(attempts);
    expect(executions.at(-1)).toMatchObject({ metrics: failed?.metrics, success: false });
  });

  it("has them in a group that skips it, in a Parallel, and when somebody has skipped it", async () => {
    const flow = pipeline([
      new Steps({ name: "group", steps: [step("a"), spending()], onError: "skip" }),
      new Parallel("both", spending({ name: "left", onError: "skip" }), step("right")),
      spending({ name: "asked", onError: "pause" }),
    ]);
    const paused = await flow.run("in");
    paused.requirements[0]?.skip();
    const output = await flow.continueRun(paused);
    const [group, both, asked] = output.stepResults;

    for (const failed of [group?.steps[1], both?.steps[0], asked]) {
      expect(failed).toMatchObject({ success: false, error: "no", endedAtMs: expect.any(Number) });
      expect(failed?.metrics?.duration).toBeGreaterThan(0);
    }
    expect(Object.values(output.metrics.steps).map(({ executions }) => executions.length)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe("a nested pipeline that fails", () => {
  const inner = (): Pipeline =>
    pipeline([step("first"), new Parallel("both", step("left"), bad({ maxRetries: 1 }))], { name: "Inner" });

  it.each([{ onError: "fail" }, { onError: "skip" }] as const)("keeps its steps: $onError", async ({ onError }) => {
    const flow = pipeline([new Step({ name: "nested", executor: inner(), onError })]);

    const output = await flow.run("in").output();
    const [nested] = output.stepResults;

    expect(nested).toMatchObject({ success: false, endedAtMs: expect.any(Number) });
    expect(nested?.steps).toMatchObject([
      { stepName: "first", content: "in first", success: true },
      { stepName: "both", success: false, steps: [{ stepName: "left" }, { stepName: "bad", error: "no" }] },
    ]);
    const inside = output.metrics.steps["nested"]?.steps ?? {};
    expect(
      Object.entries(inside)
        .map(([name, { executions }]) => `${name} ${executions.length}`)
        .sort(),
    ).toEqual([...["bad 2", "first 1", "left 1"]]);
  });

  it("keeps them when its time is up", async () => {
    const stuck = step("stuck", { executor: (_, { signal }) => new Promise((_r, no) => (signal.onabort = no)) });
    const timed = pipeline([step("first"), stuck], { name: "Inner" });
    const flow = pipeline([new Step({ name: "nested", executor: timed, timeout: 500, onError: "skip" })]);

    const { stepResults } = await flow.run("in");

    expect(stepResults[0]?.steps).toMatchObject([{ stepName: "first", success: true }]);
  });

  it("gives nothing of an earlier attempt to the next one", async () => {
    let attempts = 0;
    const once = step("once", {
      executor: () => {
        attempts++;
        if (attempts === 1) throw new Error("no");
        return stepOutput({ content: "done" });
      },
    });
    const flow = pipeline([
      new Step({ name: "nested", executor: pipeline([step("first"), once], { name: "Inner" }), maxRetries: 1 }),
    ]);

    const output = await flow.run("in");

    expect(output.stepResults[0]?.steps.map(({ stepName }) => stepName)).toEqual(["first", "once"]);
    expect(output.metrics.steps["nested"]?.executions.map(({ success }) => success)).toEqual([false, true]);
  });
});
