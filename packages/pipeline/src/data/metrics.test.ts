import { emptyMetrics, type StepMetricsData } from "@millrace/executor";
import { describe, expect, it } from "vitest";
import { executionOf, executionsOf, runMetrics, usageOfRun } from "./metrics.js";
import { createOutput } from "./step-output.js";
import type { StepOutput, StepType } from "./step-output.types.js";

const used = (totalTokens: number, duration = 1): StepMetricsData => ({
  inputTokens: totalTokens - 5,
  outputTokens: 5,
  totalTokens,
  duration,
});
const agent = (stepName: string, tokens = 15, duration = 1): StepOutput =>
  createOutput({ stepName, executorType: "agent", executorName: "Writer", metrics: used(tokens, duration) });
const func = (stepName: string, duration: number): StepOutput =>
  createOutput({ stepName, executorType: "function", executorName: "plan", metrics: { ...emptyMetrics, duration } });
const group = (stepType: StepType, ...steps: StepOutput[]): StepOutput =>
  createOutput({ stepType, stepName: "group", steps, metrics: stepType === "Parallel" ? used(999) : null });
const nested = (stepName: string, metrics: StepMetricsData | null, ...steps: StepOutput[]): StepOutput =>
  createOutput({ stepName, stepType: "Workflow", executorType: "workflow", executorName: stepName, metrics, steps });
const run = (...outputs: StepOutput[]) => runMetrics(executionsOf(outputs), 9);

describe("runMetrics", () => {
  it("has an entry for every step, functions too, and the duration of the whole run", () => {
    const metrics = run(agent("research"), func("plan", 0.25));

    expect(metrics.duration).toBe(9);
    expect(metrics.steps).toMatchObject({
      research: { stepName: "research", executorType: "agent", executorName: "Writer", metrics: used(15) },
      plan: { stepName: "plan", executorType: "function", executorName: "plan", metrics: { duration: 0.25 } },
    });
    expect(JSON.parse(JSON.stringify(metrics))).toStrictEqual(metrics);
  });

  it("counts every iteration of a loop", () => {
    const { steps } = run(group("Loop", agent("draft"), agent("draft"), agent("draft")));

    expect(steps["draft"]?.metrics.totalTokens).toBe(45);
    expect(steps["draft"]?.executions).toHaveLength(3);
  });

  it("counts steps of one name at different places", () => {
    const { steps } = run(agent("a", 10), group("Steps", group("Condition", agent("a", 20))));

    expect(steps["a"]?.executions.map(({ metrics }) => metrics.totalTokens)).toEqual([10, 20]);
  });

  it("counts failed attempts that the caller adds", () => {
    const failed = executionOf(createOutput({ ...agent("a", 10), success: false, error: "timeout" }));

    const { steps } = runMetrics([failed, ...executionsOf([agent("a", 20)])], 1);

    expect(steps["a"]?.metrics.totalTokens).toBe(30);
    expect(steps["a"]?.executions.map(({ success }) => success)).toEqual([false, true]);
  });

  it("counts the branches of a Parallel once, not its own sum", () => {
    const { steps } = run(group("Parallel", agent("a", 10), agent("b", 20)));

    expect(Object.keys(steps)).toEqual(["a", "b"]);
  });

  it("has the steps of a nested pipeline inside its entry, which has their sum", () => {
    const { steps } = run(nested("sub", null, agent("sub", 10), group("Loop", agent("x", 20), agent("x", 30))));

    expect(Object.keys(steps)).toEqual(["sub"]);
    expect(steps["sub"]).toMatchObject({
      executorType: "workflow",
      metrics: { totalTokens: 60, duration: 3 },
      steps: { sub: { metrics: { totalTokens: 10 } }, x: { metrics: { totalTokens: 50 } } },
    });
  });

  it("takes a nested pipeline's own metrics when it has them", () => {
    expect(run(nested("sub", used(60, 7), agent("a", 60))).steps["sub"]?.metrics.duration).toBe(7);
  });

  it("has no entry for what was skipped before it ran, and one for what failed and was skipped", () => {
    const never = createOutput({ stepName: "never", skipped: true });
    const failed = createOutput({ ...agent("failed"), success: false, error: "no", skipped: true });

    expect(Object.keys(run(never, failed).steps)).toEqual(["failed"]);
  });
});

describe("usageOfRun", () => {
  it("adds agents and teams, without the time of functions and of the pipeline", () => {
    const team = createOutput({ ...agent("team", 25, 2), executorType: "team" });

    const usage = usageOfRun(run(agent("a", 15, 1), func("plan", 100), team));

    expect(usage).toMatchObject({ totalTokens: 40, duration: 3 });
  });

  it("counts nested pipelines once, at any depth", () => {
    const inner = nested("inner", null, agent("b", 20, 2), func("f", 50));

    expect(usageOfRun(run(nested("outer", null, agent("a", 10, 1), inner)))).toMatchObject({
      totalTokens: 30,
      duration: 3,
    });
  });

  it("counts tokens that a function's own calls used, not its time", () => {
    const calling = createOutput({ ...func("f", 5), metrics: used(30, 5) });

    expect(usageOfRun(run(calling))).toMatchObject({ totalTokens: 30, duration: 0 });
  });

  it("is zero for a run without agents", () => {
    expect(usageOfRun(run(func("f", 1)))).toEqual(emptyMetrics);
  });
});
