/** However an attempt ends: what it did before counts, what it took counts always, what it does later does not. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  type Executor,
  Parallel,
  type PipelineRun,
  type PipelineRunOutput,
  type RunContext,
  Step,
  type StepFunction,
  Steps,
} from "../src/index.js";
import { fakeAgent, tokens } from "./support/fake-executor.js";
import { Gate } from "./support/gate.js";
import { namesOf, pipeline, step } from "./support/pipelines.js";
import { stillTime } from "./support/still-time.js";

const stored = { storeEvents: true, sessionState: { list: [] } };

/** Changes the state in both ways, and again when its attempt is over. */
function stubborn() {
  const [begun, over, tried] = [new Gate(), new Gate(), new Gate()];
  const refused: unknown[] = [];
  const change = (context: RunContext, when: string): readonly (() => unknown)[] => [
    () => (context.sessionState["list"] as unknown[]).push(`in place ${when}`),
    () => context.editState((state) => (state["list"] as unknown[]).push(`edited ${when}`)),
    () => context.emit(`Told ${when}`),
  ];
  const executor: StepFunction = async (_input, context) => {
    for (const act of change(context, "before")) await act();
    begun.pass();
    await over.passed;
    for (const act of change(context, "after"))
      await Promise.resolve()
        .then(act)
        .catch((error) => refused.push(error.code));
    tried.pass();
    return "too late";
  };
  /** Lets it try. */
  const late = async () => {
    over.pass();
    await tried.passed;
    return refused;
  };
  return { executor, begun, late };
}

const before = ["in place before", "edited before"];

describe("a function that ignores its signal", () => {
  it("has what it did before its time was up, in order, and nothing of later", async () => {
    const { executor, begun, late } = stubborn();
    let refused: readonly unknown[] = [];
    const { made, run, clock } = stillTime(
      [
        new Step({ name: "slow", timeout: 40, onError: "skip", executor }),
        step("next", {
          executor: async (_input, { sessionState }) => {
            refused = await late();
            return [...(sessionState["list"] as unknown[])];
          },
        }),
      ],
      stored,
    );

    const handle = run("in", { sessionId: "s" });
    await begun.passed;
    await clock.advance(40);
    const { content, sessionState, metrics, events } = await handle;

    expect(refused).toEqual(["ATTEMPT_ENDED", "ATTEMPT_ENDED", "ATTEMPT_ENDED"]);
    expect(content).toEqual(before);
    expect((sessionState["list"] as string[]).toSorted()).toEqual(before.toSorted());
    expect(await made.getSessionState("s")).toEqual(sessionState);
    expect(metrics.steps["slow"]).toMatchObject({ executions: [{ success: false, metrics: { duration: 0.04 } }] });
    expect(namesOf(events).slice(0, 4)).toEqual([
      "WorkflowStarted",
      "StepStarted slow",
      "Told before slow",
      "StepError slow",
    ]);
    expect(namesOf(events)).not.toContain("Told after slow");
  });

  it("counts every attempt whose time was up", async () => {
    const [first, second] = [new Gate(), new Gate()];
    let attempts = 0;
    const executor: StepFunction = (_input, { sessionState }) => {
      (sessionState["list"] as unknown[]).push(attempts);
      [first, second][attempts++]?.pass();
      return new Promise(() => {});
    };
    const slow = new Step({ name: "slow", timeout: 30, maxRetries: 1, onError: "skip", executor });
    const { run, clock } = stillTime([slow], stored);

    const handle = run("in");
    await first.passed;
    await clock.advance(30);
    await second.passed;
    await clock.advance(30);
    const { metrics, sessionState, events } = await handle;

    expect(metrics.steps["slow"]?.executions.map(({ success }) => success)).toEqual([false, false]);
    expect(sessionState["list"]).toEqual([0, 1]);
    expect(namesOf(events).slice(1, 4)).toEqual(["StepStarted slow", "StepRetried slow", "StepError slow"]);
  });

  it.each([
    { end: "that somebody cancels", at: (run: PipelineRun) => run.cancel("enough") },
    {
      end: "of which another branch fails",
      at: (run: PipelineRun, fail: Gate) => {
        fail.pass();
        return run.output();
      },
    },
  ])("has what it did before the end of a run $end", async ({ at }) => {
    const { executor, begun, late } = stubborn();
    const fail = new Gate();
    const other = step("other", { executor: () => fail.passed.then(() => Promise.reject(new Error("no"))) });
    const ended = pipeline([new Parallel("both", step("slow", { executor }), other)], stored);
    const run = ended.run("in", { sessionId: "s" });
    await begun.passed;

    const { sessionState, events, metrics, stepResults } = await at(run, fail);
    const refused = await late();
    await setImmediate();

    expect(refused).toEqual(["ATTEMPT_ENDED", "ATTEMPT_ENDED", "ATTEMPT_ENDED"]);
    expect((sessionState["list"] as string[]).toSorted()).toEqual(before.toSorted());
    expect(await ended.getSessionState("s")).toEqual(sessionState);
    expect(namesOf(events)).toEqual(expect.arrayContaining(["StepStarted slow", "Told before slow"]));
    expect(metrics.steps["slow"]).toMatchObject({ executions: [{ success: false }] });
    expect(stepResults).toMatchObject([
      { stepName: "both", success: false, steps: [{ stepName: "slow", error: "Cancelled during execution" }, {}] },
    ]);
  });
});

/** Tells of itself, changes the state and takes ten tokens; ends when it is told to, as agents do. */
function agent(begun: Gate): Executor {
  return fakeAgent("agent", async ({ sessionState, stream, signal }) => {
    stream?.({ event: "RunStarted" });
    (sessionState["list"] as unknown[]).push("by a tool");
    stream?.({ event: "RunContent", content: "half an " } as never);
    begun.pass();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await setImmediate();
    stream?.({ event: "RunCancelled" });
    return { status: "CANCELLED", content: "half an ", metrics: tokens(10), error: new Error("cancelled") };
  });
}

describe("an agent", () => {
  const asAgent = (begun: Gate, options = {}) =>
    new Step({ name: "asks", executor: agent(begun), maxRetries: 0, ...options });

  function expectKept({ sessionState, metrics, stepExecutorRuns }: PipelineRunOutput): void {
    expect(sessionState).toEqual({ list: ["by a tool"] });
    expect(metrics.steps["asks"]).toMatchObject({ metrics: { totalTokens: 10 }, executions: [{ success: false }] });
    expect(stepExecutorRuns).toMatchObject([
      { status: "CANCELLED", content: "half an ", metrics: { totalTokens: 10 } },
    ]);
  }

  it("that is cancelled keeps its tokens, its text, the changes of its tools and its events", async () => {
    const begun = new Gate();
    const cancelled = pipeline([new Steps({ name: "group", steps: [asAgent(begun)] })], stored);
    const run = cancelled.run("in", { sessionId: "s" });
    await begun.passed;

    const output = await run.cancel("enough");

    expectKept(output);
    expect(output.stepResults).toMatchObject([
      { stepName: "group", steps: [{ stepName: "asks", success: false, content: "half an " }] },
    ]);
    expect(namesOf(output.events)).toEqual([
      "WorkflowStarted",
      "StepsExecutionStarted group",
      "StepStarted asks",
      "RunStarted asks",
      "RunContent asks",
      "RunCancelled asks",
      "WorkflowCancelled",
      "WorkflowCompleted",
    ]);
    expect(await cancelled.sessions.get("s")).toMatchObject({
      metrics: { totalTokens: 10 },
      state: { list: ["by a tool"] },
    });
  });

  it("whose time is up keeps the same, and has begun before it has failed", async () => {
    const begun = new Gate();
    const { run, clock } = stillTime([asAgent(begun, { timeout: 40, onError: "skip" })], stored);
    const handle = run("in");
    await begun.passed;
    await clock.advance(40);
    const output = await handle;

    expectKept(output);
    expect(namesOf(output.events).slice(1, 5)).toEqual([
      "StepStarted asks",
      "RunStarted asks",
      "RunContent asks",
      "StepError asks",
    ]);
  });

  it("in a nested pipeline keeps the same, cancelled or out of time", async () => {
    const [begun, timed] = [new Gate(), new Gate()];
    const nest = (gate: Gate, options = {}) =>
      new Step({ name: "nested", executor: pipeline([asAgent(gate)], { name: "Inner" }), ...options });
    const run = pipeline([nest(begun)], stored).run("in");
    await begun.passed;
    const cancelled = await run.cancel();
    const still = stillTime([nest(timed, { timeout: 60, onError: "skip" })], stored);
    const handle = still.run("in");
    await timed.passed;
    await still.clock.advance(60);
    const outOfTime = await handle;

    for (const { sessionState, metrics, events, stepExecutorRuns } of [cancelled, outOfTime]) {
      expect(sessionState).toEqual({ list: ["by a tool"] });
      expect(metrics.steps["nested"]).toMatchObject({
        metrics: { totalTokens: 10 },
        steps: { asks: { executions: [{ success: false }] } },
      });
      expect(namesOf(events)).toEqual(expect.arrayContaining(["> StepStarted asks", "> RunContent asks"]));
      expect(stepExecutorRuns).toMatchObject([{ executorName: "agent", metrics: { totalTokens: 10 } }]);
    }
  });

  it("that does not answer its signal is waited for no longer than a second", async () => {
    const begun = new Gate();
    const deaf = fakeAgent("deaf", ({ sessionState }) => {
      (sessionState["list"] as unknown[]).push("deaf");
      begun.pass();
      return new Promise(() => {});
    });
    const run = pipeline([new Step({ name: "asks", executor: deaf })], stored).run("in");
    await begun.passed;

    const { metrics, sessionState } = await run.cancel();

    expect(sessionState).toEqual({ list: ["deaf"] });
    expect(metrics.steps["asks"]).toMatchObject({ executions: [{ success: false, metrics: { totalTokens: 0 } }] });
  });
});
