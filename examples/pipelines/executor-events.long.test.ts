import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createResearch } from "./executor-events.js";
import { prove } from "./support/prove.js";

describe("executor events", () => {
  it("leaves out what agents say", async () => {
    const { output } = await runExample("pipelines/executor-events.ts");

    expect(output.split("\n")).toEqual([
      "streamExecutorEvents: true",
      "  -> WorkflowStarted",
      "  -> StepStarted",
      "  -> RunStarted",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunContent",
      "  -> RunCompleted",
      "  -> StepCompleted",
      "  -> WorkflowCompleted",
      "streamExecutorEvents: false",
      "  -> WorkflowStarted",
      "  -> StepStarted",
      "  -> StepCompleted",
      "  -> WorkflowCompleted",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(() => createResearch(true), "What is Python?", {
      streamExecutorEvents: true,
    });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
