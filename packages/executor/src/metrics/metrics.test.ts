import { describe, expect, it } from "vitest";
import { addMetrics, emptyMetrics, sumMetrics } from "./metrics.js";
import type { StepMetricsData } from "./metrics.types.js";

const used = (totalTokens: number, duration = 1): StepMetricsData => ({
  inputTokens: totalTokens - 5,
  outputTokens: 5,
  totalTokens,
  duration,
});

describe("addMetrics", () => {
  it("adds tokens, cost and durations, and takes the smallest time to the first token", () => {
    const first = { ...used(15, 0.5), cost: 0.25, timeToFirstToken: 0.3, cacheReadTokens: 4 };
    const second = { ...used(25, 1.5), cost: 0.5, timeToFirstToken: 0.2, reasoningTokens: 7 };

    expect(addMetrics(first, second)).toStrictEqual({
      inputTokens: 30,
      outputTokens: 10,
      totalTokens: 40,
      duration: 2,
      cost: 0.75,
      timeToFirstToken: 0.2,
      cacheReadTokens: 4,
      reasoningTokens: 7,
    });
  });

  it("keeps a time to the first token that only one has", () => {
    expect(addMetrics(emptyMetrics, { ...used(15), timeToFirstToken: 0.4 }).timeToFirstToken).toBe(0.4);
    expect(addMetrics({ ...used(15), timeToFirstToken: 0 }, used(5)).timeToFirstToken).toBe(0);
  });

  it("adds the use of models by role, provider and id", () => {
    const mini = { id: "mini", provider: "openai", totalTokens: 10 };
    const local = { id: "mini", provider: "local", totalTokens: 1 };
    const first = { ...used(10), details: { model: [mini] } };
    const second = { ...used(10), details: { model: [local, { ...mini, cost: 2 }], outputModel: [mini] } };

    expect(addMetrics(first, second).details).toEqual({
      model: [{ ...mini, totalTokens: 20, cost: 2 }, local],
      outputModel: [mini],
    });
  });

  it("adds numbers among the additional metrics, and keeps the last of other values", () => {
    const first = { ...used(10), additionalMetrics: { calls: 1, region: "eu", only: 3 } };
    const second = { ...used(10), additionalMetrics: { calls: 2, region: "us" } };

    expect(addMetrics(first, second).additionalMetrics).toEqual({ calls: 3, region: "us", only: 3 });
  });

  it("changes neither", () => {
    const first = Object.freeze({ ...used(10), details: Object.freeze({ model: Object.freeze([]) }) });

    addMetrics(first, first);

    expect(first).toEqual({ ...used(10), details: { model: [] } });
  });
});

describe("sumMetrics", () => {
  it("is nothing for nothing and for zeros", () => {
    expect(sumMetrics([])).toBeNull();
    expect(sumMetrics([null, emptyMetrics])).toBeNull();
  });

  it("adds what there is", () => {
    expect(sumMetrics([used(10), null, emptyMetrics, used(20)])).toMatchObject({ totalTokens: 30, duration: 2 });
  });
});
