/** What a run took: each execution once, whatever became of it. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { proveResumable } from "@millrace/testing";
import { QuestionEvent, type Workflow } from "millrace";
import { describe, expect, it } from "vitest";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  type PipelineRunOutput,
  Step,
  type StepFunction,
  type StepOptions,
  Steps,
  stepOutput,
} from "../src/index.js";
import { askAbout, fakeAgent, pausingAgent, tokens, toolCall } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { Gate } from "./support/gate.js";
import { answerAll, fails, pipeline, step } from "./support/pipelines.js";
import { settle } from "./support/settle.js";

const agent = (name: string): Step => new Step({ name, executor: fakeAgent(name) });

/** Takes 30 ms by the clock that steps are measured with: a timer may be a millisecond early by that one. */
const slow = step("slow", {
  executor: async () => {
    const beganAtMs = Date.now();
    while (Date.now() < beganAtMs + 30) await sleep(5);
    return "done";
  },
});

/** An agent that has used its tokens when it fails, the first times. */
function flakyAgent(name: string, failures: number): Step {
  let calls = 0;
  const executor = fakeAgent(name, () => (++calls <= failures ? { status: "ERROR", error: new Error("no") } : {}));
  return new Step({ name, executor, maxRetries: 3 });
}

function tokensOf({ metrics }: Pick<PipelineRunOutput, "metrics">): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics.steps).map(([name, one]) => [name, one.metrics.totalTokens]));
}

function executionsOf({ metrics }: Pick<PipelineRunOutput, "metrics">): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics.steps).map(([name, one]) => [name, one.executions.length]));
}

describe("metrics that are wrong", () => {
  const wrong = {
    "without a sum and a duration": [{ inputTokens: 5, outputTokens: 2 }, 7],
    "with numbers that are none": [
      { inputTokens: Number.NaN, outputTokens: 2, totalTokens: 3n, cost: "1", duration: null },
      2,
    ],
    "with details that are none": [
      { ...tokens(4), details: { model: 5, other: [null, { id: "m", totalTokens: "x" }] } },
      4,
    ],
    "that are no object": [5, 0],
  } as const;

  it.each(Object.entries(wrong))(
    "do not spoil the sums of a run and its session: %s",
    async (_what, [metrics, total]) => {
      const agentOf = () => fakeAgent("agent", () => ({ metrics: metrics as never }));
      const knows: StepFunction = () => stepOutput({ content: "x", metrics: metrics as never });
      const made = pipeline([step("same", { executor: knows }), new Step({ name: "same", executor: agentOf() })]);

      const output = await made.run("in", { sessionId: "s" });

      const sum = { inputTokens: expect.any(Number), outputTokens: expect.any(Number), totalTokens: 2 * total };
      expect(output.metrics.steps["same"]?.metrics).toMatchObject({ ...sum, duration: expect.any(Number) });
      expect(await made.getSessionMetrics("s")).toMatchObject(sum);
      expect(JSON.stringify(await made.getSessionMetrics("s"))).not.toContain("null");
    },
  );
});

describe("metrics of a run", () => {
  it("have an entry for every step, functions too, with what the step took", async () => {
    const knows = step("knows", { executor: () => stepOutput({ content: "x", metrics: tokens(7) }) });
    const { metrics } = await pipeline([slow, agent("agent"), knows]).run("in");

    expect(Object.keys(metrics.steps)).toEqual(["slow", "agent", "knows"]);
    expect(metrics.steps["slow"]).toMatchObject({ executorType: "function", metrics: { totalTokens: 0 } });
    expect(metrics.steps["slow"]?.metrics.duration).toBeGreaterThanOrEqual(0.03);
    expect(metrics.steps["agent"]).toMatchObject({
      executorType: "agent",
      executorName: "agent",
      metrics: { totalTokens: 10, duration: 1 },
    });
    expect(metrics.steps["knows"]?.metrics.totalTokens).toBe(7);
    expect(metrics.duration).toBeGreaterThanOrEqual(metrics.steps["slow"]?.metrics.duration as number);
  });

  it("add up iterations and repeated names, and list each execution", async () => {
    const output = await pipeline([
      new Loop({ name: "loop", maxIterations: 3, steps: [agent("same")] }),
      agent("same"),
    ]).run("in");

    expect(tokensOf(output)).toEqual({ same: 40 });
    expect(output.metrics.steps["same"]?.executions.map(({ metrics }) => metrics.totalTokens)).toEqual([
      10, 10, 10, 10,
    ]);
    expect(output.metrics.steps["same"]?.metrics.duration).toBe(4);
  });

  it("count a Parallel once, and nothing of what was skipped", async () => {
    const output = await pipeline([
      new Parallel("both", agent("a"), new Steps({ name: "group", steps: [agent("b")] })),
      new Condition({ name: "if", evaluator: false, steps: [agent("never")] }),
      step("bad", { executor: fails, onError: "skip" }),
    ]).run("in");

    expect(tokensOf(output)).toEqual({ a: 10, b: 10, bad: 0 });
    expect(executionsOf(output)).toEqual({ a: 1, b: 1, bad: 1 });
  });

  it("count failed attempts", async () => {
    const output = await pipeline([flakyAgent("flaky", 2)]).run("in");

    expect(tokensOf(output)).toEqual({ flaky: 30 });
    expect(output.metrics.steps["flaky"]?.executions.map(({ success }) => success).sort()).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("count what was done in a group that was given up, in each iteration", async () => {
    const group = new Steps({ name: "group", onError: "skip", steps: [agent("a"), step("bad", { executor: fails })] });
    const output = await pipeline([new Loop({ name: "loop", maxIterations: 3, steps: [group] })]).run("in");

    expect(output).toMatchObject({ status: "COMPLETED", hasFailures: true });
    expect(tokensOf(output)).toEqual({ a: 30, bad: 0 });
    expect(executionsOf(output)).toEqual({ a: 3, bad: 3 });
  });

  it("count what was done in a group that people have begin anew", async () => {
    let calls = 0;
    const flaky = step("flaky", {
      executor: () => {
        if (++calls < 3) throw new Error("no");
        return "done";
      },
    });
    const asked = pipeline([new Steps({ name: "group", onError: "pause", steps: [agent("a"), flaky] })]);
    const output = await answerAll(asked, await asked.run("in"), (requirement) => requirement.retry());

    expect(tokensOf(output)).toEqual({ a: 30, flaky: 0 });
    expect(executionsOf(output)).toEqual({ a: 3, flaky: 3 });
  });

  it("count branches of a Parallel that was given up while they were at work", async () => {
    const [begun, ended] = [new Gate(), new Gate()];
    const late = fakeAgent("slow", async () => {
      await begun.passed;
      ended.pass();
      return {};
    });
    const both = new Parallel({
      name: "both",
      onError: "skip",
      steps: [step("bad", { executor: fails }), new Step({ name: "slow", executor: late })],
    });
    const later = step("later", {
      executor: async () => {
        begun.pass();
        await ended.passed;
        await settle(); // the agent's end is stored meanwhile
        return "later";
      },
    });
    const output = await pipeline([both, later]).run("in");

    expect(output).toMatchObject({ status: "COMPLETED", content: "later" });
    expect(tokensOf(output)).toEqual({ bad: 0, slow: 10, later: 0 });
  });

  it("count outputs that people have refused, and iterations that they left out", async () => {
    const asked = pipeline([
      new Step({
        name: "agent",
        executor: fakeAgent("agent"),
        humanReview: { requiresOutputReview: true, onReject: "retry" },
      }),
      new Loop({
        name: "loop",
        maxIterations: 3,
        steps: [agent("x")],
        humanReview: { requiresIterationReview: true, onReject: "skip" },
      }),
    ]);
    let rounds = 0;
    const output = await answerAll(asked, await asked.run("in"), (requirement) =>
      requirement.kind === "outputReview" && ++rounds === 3 ? requirement.confirm() : requirement.reject(),
    );

    expect(tokensOf(output)).toEqual({ agent: 30, x: 10 });
    expect(executionsOf(output)).toEqual({ agent: 3, x: 1 });
  });

  it("have what an agent took until it paused at once, and once only when it has gone on", async () => {
    const asked = pipeline([new Parallel("both", new Step({ executor: pausingAgent("one") }), agent("other"))]);

    const paused = await asked.run("in");
    const done = await answerAll(asked, paused);

    expect(tokensOf(paused)).toEqual({ one: 10, other: 10 });
    expect(tokensOf(await asked.getRun(paused.runId))).toEqual(tokensOf(done));
    expect(tokensOf(done)).toEqual({ one: 25, other: 10 });
    expect(executionsOf(done)).toEqual({ one: 1, other: 1 });
  });

  it("keep what an agent took until it paused where it comes to no result", async () => {
    const lost = (options: Partial<StepOptions> = {}): Promise<PipelineRunOutput> => {
      const once = fakeAgent("lost", async ({ ctx, report }) => {
        report?.(tokens(10));
        await askAbout(ctx, toolCall("lost", 1));
        return { status: "ERROR", error: new Error("no"), metrics: tokens(13) };
      });
      const asked = pipeline([new Step({ executor: once, maxRetries: 1, ...options })]);
      return asked.run("in").then((paused) => answered(asked, paused));
    };
    const answered = async (asked: Pipeline, paused: PipelineRunOutput): Promise<PipelineRunOutput> => {
      for (const requirement of paused.requirements) requirement.confirm();
      return asked.continueRun(paused).output();
    };

    expect(tokensOf(await lost())).toEqual({ lost: 10 + 3 + 3 });
    expect(tokensOf(await lost({ onError: "skip" }))).toEqual({ lost: 10 + 3 + 3 });
    expect(tokensOf(await lost({ onError: "pause" }))).toEqual({ lost: 10 + 3 + 3 });
  });

  it("have what was cancelled while it was paused", async () => {
    const asked = pipeline([new Step({ executor: pausingAgent("one") })]);
    const { runId } = await asked.run("in");

    expect(tokensOf(await asked.handle(runId).cancel())).toEqual({ one: 10 });
  });

  it("have an output that somebody is looking at, once", async () => {
    const humanReview = { requiresOutputReview: true };
    const asked = pipeline([new Step({ executor: fakeAgent("seen"), humanReview })]);

    const paused = await asked.run("in");

    expect(tokensOf(paused)).toEqual({ seen: 10 });
    expect(tokensOf(await answerAll(asked, paused))).toEqual({ seen: 10 });
  });

  it("count a step once over its pauses, also where its agent has paused", async () => {
    const asked = pipeline([
      agent("before"),
      new Step({ name: "pauses", executor: pausingAgent("pauses"), humanReview: { requiresConfirmation: true } }),
    ]);
    const output = await answerAll(asked, await asked.run("in"));

    expect(tokensOf(output)).toEqual({ before: 10, pauses: 25 });
    expect(executionsOf(output)).toEqual({ before: 1, pauses: 1 });
  });

  it("have a nested pipeline with its sum and its steps, each counted once", async () => {
    const inner = new Pipeline({
      name: "Inner",
      steps: [flakyAgent("x", 1), new Parallel("both", agent("y"), agent("z"))],
    });
    const outer = new Pipeline({ name: "Outer", steps: [inner, agent("o")] });
    const output = await pipeline([new Step({ name: "nested", executor: outer }), agent("top")]).run("in");

    expect(tokensOf(output)).toEqual({ nested: 50, top: 10 });
    expect(Object.keys(output.metrics.steps["nested"]?.steps ?? {})).toEqual(["Inner", "o"]);
    expect(output.metrics.steps["nested"]?.steps?.["Inner"]?.metrics.totalTokens).toBe(40);
  });

  it("count the attempts of a nested pipeline that has failed, with all that they took", async () => {
    let calls = 0;
    const flaky = step("flaky", {
      executor: () => {
        if (++calls < 3) throw new Error("no");
        return "done";
      },
    });
    const inner = new Pipeline({ name: "Inner", steps: [agent("x"), flaky] });
    const output = await pipeline([new Step({ name: "nested", executor: inner, maxRetries: 2 })]).run("in", {
      sessionId: "s",
    });
    const { nested } = output.metrics.steps;

    expect(tokensOf(output)).toEqual({ nested: 30 });
    expect(nested?.executions.map(({ metrics }) => metrics.totalTokens)).toEqual([10, 10, 10]);
    expect(nested?.steps?.["x"]?.executions).toHaveLength(3);
    expect(output.stepExecutorRuns.map(({ stepName, status }) => `${stepName} ${status}`)).toEqual([
      ...["x COMPLETED", "nested ERROR", "x COMPLETED", "nested ERROR", "x COMPLETED", "nested COMPLETED"],
    ]);
  });

  it("list each execution inside a nested pipeline that succeeds once, whatever became of it, also when it is read again", async () => {
    const once = { requiresOutputReview: true, onReject: "retry" } as const;
    const inner = new Pipeline({
      name: "Inner",
      steps: [
        flakyAgent("flaky", 2),
        step("bad", { executor: fails, onError: "skip" }),
        new Step({ name: "refused", executor: fakeAgent("refused"), humanReview: once }),
      ],
    });
    const outer = new Pipeline({ name: "Outer", steps: [inner] });
    const file = join(temporaryDirectory(), "runs.db");
    const open = (): Pipeline =>
      pipeline([new Step({ name: "nested", executor: outer })], { store: sqliteStore(file) });
    const asked = open();
    let rounds = 0;
    const output = await answerAll(asked, await asked.run("in", { sessionId: "s" }), (requirement) =>
      ++rounds === 2 ? requirement.confirm() : requirement.reject(),
    );
    const inside = output.metrics.steps["nested"]?.steps?.["Inner"]?.steps ?? {};

    expect(executionsOf({ metrics: { duration: 0, steps: inside } })).toEqual({ flaky: 3, bad: 1, refused: 2 });
    expect(tokensOf(output)).toEqual({ nested: 50 });
    expect((await open().getRun(output.runId)).metrics).toEqual(output.metrics);
    expect(await asked.getSessionMetrics("s")).toMatchObject({ totalTokens: 50, duration: 5 });
  });

  it("are there for a failed run, and for a cancelled one", async () => {
    const failed = await pipeline([
      agent("a"),
      new Steps({ name: "g", steps: [agent("b"), step("bad", { executor: fails })] }),
    ])
      .run("in")
      .output();

    expect(failed.status).toBe("ERROR");
    expect(tokensOf(failed)).toEqual({ a: 10, b: 10, bad: 0 });
  });
});

describe("metrics of a session", () => {
  it("add up its runs: tokens of all steps, time of agents alone", async () => {
    const inner = new Pipeline({ name: "Inner", steps: [slow, agent("inside")] });
    const knows = step("knows", { executor: () => stepOutput({ content: "x", metrics: tokens(7) }) });
    const counted = pipeline([slow, agent("agent"), inner, knows]);
    for (const run of [1, 2]) await counted.run(`run ${run}`, { sessionId: "s" });

    expect(await counted.getSessionMetrics("s")).toMatchObject({
      totalTokens: 2 * 27,
      inputTokens: 2 * 27,
      duration: 2 * 2,
    });
    expect(await counted.getSessionMetrics("another")).toBeNull();
  });

  it("count a run once that was paused, and one that has failed", async () => {
    const humanReview = { requiresConfirmation: true };
    const asked = pipeline([agent("a"), step("b", { humanReview }), step("c", { humanReview, onError: "fail" })]);
    await answerAll(asked, await asked.run("in", { sessionId: "s" }));
    const failing = pipeline([agent("a"), step("bad", { executor: fails })]);
    await failing.run("in", { sessionId: "s" }).output();

    expect(await asked.getSessionMetrics("s")).toMatchObject({ totalTokens: 10, duration: 1 });
    expect(await failing.getSessionMetrics("s")).toMatchObject({ totalTokens: 10, duration: 1 });
  });
});

describe("metrics of a run that crashes at any moment", () => {
  const trees: Record<string, () => PipelineOptions["steps"]> = {
    "loops, branches and failures": () => [
      new Loop({
        name: "loop",
        maxIterations: 2,
        steps: [
          new Parallel("both", agent("a"), step("bad", { executor: fails, maxRetries: 1, onError: "skip" })),
          new Steps({ name: "group", onError: "skip", steps: [agent("b"), step("worse", { executor: fails })] }),
        ],
      }),
    ],
    "a nested pipeline that fails": () => [
      new Step({
        name: "nested",
        executor: new Pipeline({ name: "Inner", steps: [agent("x"), step("bad", { executor: fails })] }),
        maxRetries: 1,
        onError: "skip",
      }),
    ],
    "an agent that pauses": () => [agent("a"), new Step({ name: "pauses", executor: pausingAgent("pauses") })],
  };

  it.each(Object.entries(trees))("are the same as without the crash: %s", async (_name, steps) => {
    const make = (): Pipeline => new Pipeline({ name: "proved", steps: steps() });
    const taken = (ending: { readonly result: unknown }) => {
      const output = ending.result as PipelineRunOutput;
      return JSON.stringify([Object.entries(tokensOf(output)).sort(), Object.entries(executionsOf(output)).sort()]);
    };

    const proof = await proveResumable((): Workflow => make().workflow, make().workflowInput("in") as never, {
      seeds: [1, 2],
      answers: { [QuestionEvent.type]: { approved: true } },
      compare: (expected, actual) => taken(expected) === taken(actual),
    });

    expect(proof.crashes).toBeGreaterThan(5);
  });
});

it("executions are in the order in which they ended: failed attempts come before the one that went well", async () => {
  let attempts = 0;
  const flaky: StepFunction = () => {
    if (++attempts % 3 !== 0) throw new Error("no");
  };
  const retried = pipeline([
    new Loop({ name: "loop", maxIterations: 2, steps: [new Step({ name: "flaky", maxRetries: 2, executor: flaky })] }),
  ]);

  const { metrics } = await retried.run("in");
  const executions = metrics.steps["flaky"]?.executions ?? [];
  const times = executions.map(({ endedAtMs }) => endedAtMs ?? 0);

  expect(executions).toHaveLength(6);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(executions.at(0)).toMatchObject({ success: false });
  expect(executions.at(-1)).toMatchObject({ success: true });
});
