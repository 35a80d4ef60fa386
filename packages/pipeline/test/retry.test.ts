/** A failed run is retried: the failed step runs again, with what the run had then. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  type PipelineRunOutput,
  Step,
  type StepFunction,
  Steps,
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { Gate } from "./support/gate.js";
import { namesOf, pipeline, step } from "./support/pipelines.js";

/** Calls of steps, by name. A step named in `failing` fails as often as it says. */
class Calls {
  readonly counts: Record<string, number> = {};
  readonly failing: Readonly<Record<string, number>>;

  constructor(failing: Readonly<Record<string, number>> = {}) {
    this.failing = failing;
  }

  call(name: string): string {
    const count = (this.counts[name] ?? 0) + 1;
    this.counts[name] = count;
    if (count <= (this.failing[name] ?? 0)) throw new Error(`${name} cannot`);
    return `${name} ${count}`;
  }

  step(name: string): Step {
    return step(name, { executor: () => this.call(name) });
  }
}

function open(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}) {
  const store: RunStore = options.store ?? memoryStore();
  const flow = pipeline(steps, { ...options, id: "tested", store });
  const runtime = createRuntime({ workflows: { tested: flow.workflow }, store }) as unknown as Runtime;
  onTestFinished(() => runtime.stop());
  const start = (input: unknown, given = {}) =>
    runtime.run("tested", flow.workflowInput(input, given) as never, { runId: "one" }).then(null, () => {});
  const retry = () => runtime.retry<PipelineRunOutput>("one");
  return { flow, runtime, start, retry };
}

describe("a retried run", () => {
  it("runs the failed step again, and none that has a result", async () => {
    const calls = new Calls({ b: 1 });
    const { flow, start, retry } = open([calls.step("a"), calls.step("b"), calls.step("c")]);
    await start("in");
    const failed = await flow.getRun("one");

    const output = await retry();

    expect(failed).toMatchObject({ status: "ERROR", stepResults: [{ stepName: "a" }, { error: "b cannot" }] });
    expect(output).toMatchObject({ status: "COMPLETED", error: null, content: "c 1" });
    expect(output.stepResults.map(({ content }) => content)).toEqual(["a 1", "b 2", "c 1"]);
    expect(calls.counts).toEqual({ a: 1, b: 2, c: 1 });
    expect(output.metrics.steps["b"]?.executions.map(({ success }) => success)).toEqual([false, true]);
    await expect.poll(async () => (await flow.runs()).runs[0]?.status).toBe("completed");
  });

  it("is retried by its pipeline, with its dependencies", async () => {
    const calls = new Calls({ a: 1 });
    const reads = step("reads", { executor: (_input, { dependencies }) => dependencies["key"] });
    const flow = pipeline([calls.step("a"), reads]);
    await flow.run("in", { runId: "one" }).output();

    const output = await flow.retryRun("one", { dependencies: { key: "new" } });

    expect(output).toMatchObject({ status: "COMPLETED", content: "new" });
    expect(calls.counts).toEqual({ a: 2 });
    await expect(flow.retryRun("one")).rejects.toMatchObject({ code: "RUN_NOT_RETRYABLE" });
    await expect(flow.retryRun("two")).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("fails again with the new error, and can be retried again", async () => {
    const calls = new Calls({ a: 2 });
    const { start, retry } = open([calls.step("a")]);
    await start("in");

    const again = await retry().then(null, (error: unknown) => error);
    const output = await retry();

    expect(again).toMatchObject({ code: "PIPELINE_FAILED" });
    expect(output).toMatchObject({ status: "COMPLETED", content: "a 3" });
    expect(output.metrics.steps["a"]?.executions).toHaveLength(3);
  });

  it("runs failed branches again, also several, and those that were at work", async () => {
    const calls = new Calls({ a: 1, b: 1 });
    const begun = new Gate();
    const waits: StepFunction = (_input, { signal }) => {
      if (calls.counts["waits"] !== undefined) return calls.call("waits");
      calls.counts["waits"] = 1;
      begun.pass();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const failing = (name: string) => step(name, { executor: () => begun.passed.then(() => calls.call(name)) });
    const both = new Parallel("both", failing("a"), failing("b"), step("waits", { executor: waits }), calls.step("d"));
    const { start, retry } = open([both, calls.step("after")]);
    await start("in");

    const output = await retry();

    expect(output).toMatchObject({ status: "COMPLETED", content: "after 1" });
    expect(output.stepResults[0]?.steps.map(({ content }) => content)).toEqual(["a 2", "b 2", "waits 2", "d 1"]);
    expect(calls.counts).toEqual({ a: 2, b: 2, waits: 2, d: 1, after: 1 });
  });

  it("asks a condition, a loop and a merge again that have failed", async () => {
    const calls = new Calls({ holds: 1, ends: 1, merges: 1 });
    const steps = [
      new Condition({ name: "if", evaluator: () => calls.call("holds") !== "", steps: [calls.step("a")] }),
      new Loop({
        name: "loop",
        maxIterations: 2,
        endCondition: () => calls.call("ends") === "",
        steps: [calls.step("b")],
      }),
      new Parallel({
        name: "both",
        state: "isolated",
        merge: (base) => ({ ...base, merged: calls.call("merges") }),
        steps: [calls.step("c"), calls.step("d")],
      }),
    ];
    const { start, retry } = open(steps);
    await start("in");
    for (const failed of ["holds", "ends"])
      expect([failed, await retry().then(null, (error: unknown) => error)]).toMatchObject([
        failed,
        { code: "PIPELINE_FAILED" },
      ]);

    const output = await retry();

    expect(output).toMatchObject({ status: "COMPLETED", sessionState: { merged: "merges 2" } });
    // The branches of a Parallel whose end has failed run again.
    expect(calls.counts).toEqual({ holds: 2, a: 1, ends: 2, b: 2, c: 2, d: 2, merges: 2 });
  });

  it("starts a nested pipeline again, and keeps what the failed one took", async () => {
    const calls = new Calls({ inner: 1 });
    const inner = new Pipeline({ name: "Inner", steps: [calls.step("first"), calls.step("inner")] });
    const { start, retry } = open([
      new Steps({ name: "group", steps: [new Step({ name: "nested", executor: inner })] }),
    ]);
    await start("in");

    const output = await retry();

    expect(output).toMatchObject({ status: "COMPLETED", content: "inner 2" });
    expect(calls.counts).toEqual({ first: 2, inner: 2 });
    expect(output.metrics.steps["nested"]?.executions).toHaveLength(2);
  });

  it("changes its session once, and its metrics count once", async () => {
    const calls = new Calls({ fails: 1 });
    const counts = step("counts", {
      executor: async (_input, { editState }) => {
        await editState((state) => {
          state["count"] = Number(state["count"]) + 1;
          (state["list"] as string[]).push("item");
        });
      },
    });
    const agent = new Step({ name: "agent", executor: fakeAgent("agent") });
    const { flow, start, retry } = open([counts, agent, calls.step("fails"), counts], {
      sessionState: { count: 0, list: [] },
    });
    await start("in", { sessionId: "s" });
    const before = await flow.sessions.get("s");

    const output = await retry();

    expect(before).toMatchObject({ state: { count: 1, list: ["item"] }, runs: [{ status: "ERROR" }] });
    expect(output.sessionState).toEqual({ count: 2, list: ["item", "item"] });
    expect(await flow.sessions.get("s")).toMatchObject({
      state: output.sessionState,
      metrics: { totalTokens: output.metrics.steps["agent"]?.metrics.totalTokens },
      runs: [{ runId: "one", status: "COMPLETED" }],
    });
  });

  it("looks at its output again when that did not fit its schema", async () => {
    let fits = false;
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => (fits ? { value } : { issues: [{ message: "never" }] }),
      },
    };
    const calls = new Calls();
    const { start, retry } = open([calls.step("a")], { outputSchema: schema as never });
    await start("in");
    fits = true;

    expect(await retry()).toMatchObject({ status: "COMPLETED", content: "a 1" });
    expect(calls.counts).toEqual({ a: 1 });
  });

  it("keeps all of its events", async () => {
    const calls = new Calls({ b: 1 });
    const { start, retry } = open([calls.step("a"), calls.step("b")], { storeEvents: true });
    await start("in", { streamEvents: true });

    const { events } = await retry();

    expect(namesOf(events)).toEqual([
      "WorkflowStarted",
      "StepStarted a",
      "StepOutput a",
      "StepCompleted a",
      "StepStarted b",
      "StepError b",
      "WorkflowError b",
      "StepStarted b",
      "StepOutput b",
      "StepCompleted b",
      "WorkflowCompleted",
    ]);
  });

  it("is retried by another process, from a file", async () => {
    const calls = new Calls({ b: 1 });
    const path = join(temporaryDirectory(), "runs.db");
    const first = open([calls.step("a"), calls.step("b")], { store: sqliteStore(path) });
    await first.start("in");
    await first.runtime.stop();

    const output = await open([calls.step("a"), calls.step("b")], { store: sqliteStore(path) }).retry();

    expect(output).toMatchObject({ status: "COMPLETED", content: "b 2" });
    expect(calls.counts).toEqual({ a: 1, b: 2 });
  });
});

describe("a retried run that does not end at once", () => {
  it("continues in the process after the one that has retried it", async () => {
    const calls = new Calls({ b: 1 });
    const path = join(temporaryDirectory(), "runs.db");
    const begun = new Gate();
    const waits: StepFunction = (_input, { signal }) => {
      if ((calls.counts["waits"] ?? 0) > 0) return calls.call("waits");
      calls.call("waits");
      begun.pass();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const steps = () => [calls.step("a"), calls.step("b"), step("waits", { executor: waits })];
    const first = open(steps(), { store: sqliteStore(path) });
    await first.start("in");
    first.retry().catch(() => {}); // the process ends before the run
    await begun.passed;
    await first.runtime.stop({ drainMs: 0 });

    const second = open(steps(), { store: sqliteStore(path) });
    await second.runtime.start();
    const output = await second.runtime.handle<PipelineRunOutput>("one");

    expect(output).toMatchObject({ status: "COMPLETED", content: "waits 2" });
    expect(calls.counts).toEqual({ a: 1, b: 2, waits: 2 });
  });

  it("asks again what people had not answered when it failed", async () => {
    const calls = new Calls({ bad: 1 });
    const asks = step("asks", { humanReview: { requiresConfirmation: true } });
    const flow = pipeline([new Parallel("both", asks, calls.step("bad"))]);
    const failed = await flow.run("in", { runId: "one" }).output();

    const paused = await flow.retryRun("one");
    for (const requirement of paused.requirements) requirement.confirm();
    const output = await flow.continueRun(paused);

    expect(failed).toMatchObject({ status: "ERROR", requirements: [] });
    expect(paused).toMatchObject({ status: "PAUSED", requirements: [{ stepName: "asks" }] });
    expect(output).toMatchObject({ status: "COMPLETED", content: "## asks\n\nin asks\n\n## bad\n\nbad 2" });
  });
});

describe("a resumed run that was cancelled", () => {
  it("runs the step again that was cut off", async () => {
    const begun = new Gate();
    let calls = 0;
    const waits: StepFunction = (_input, { signal }) => {
      if (calls++ > 0) return "done";
      begun.pass();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const { flow, runtime } = open([step("a"), step("waits", { executor: waits })]);
    const run = runtime.run("tested", flow.workflowInput("in") as never, { runId: "one" });
    run.catch(() => {});
    await begun.passed;
    const cancelled = await flow.handle("one").cancel("enough");
    const { status } = await runtime.handle("one").summary();

    await runtime.resume("one").accepted;

    expect(cancelled).toMatchObject({ status: "CANCELLED", cancelReason: "enough" });
    expect(status).toBe("cancelled");
    const done = { status: "COMPLETED", content: "done", cancelReason: null };
    await expect.poll(() => flow.getRun("one")).toMatchObject(done);
    expect(calls).toBe(2);
  });
});
