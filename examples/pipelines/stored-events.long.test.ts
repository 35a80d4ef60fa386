import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createReport, pipelines } from "./stored-events.js";
import { prove } from "./support/prove.js";

describe("stored events", () => {
  it("keeps as many as it is told to", async () => {
    const { output } = await runExample("pipelines/stored-events.ts");

    expect(output.split("\n")).toEqual([
      "everything: {",
      "  ParallelExecutionCompleted: 1,",
      "  ParallelExecutionStarted: 1,",
      "  RunCompleted: 1,",
      "  RunContent: 11,",
      "  RunStarted: 1,",
      "  StepCompleted: 3,",
      "  StepError: 1,",
      "  StepOutput: 2,",
      "  StepStarted: 4,",
      "  ToolCallCompleted: 1,",
      "  ToolCallStarted: 1,",
      "  WorkflowCompleted: 1,",
      "  WorkflowStarted: 1",
      "}",
      '  The step "web" calls search_web({"topic":"Solar power"})',
      '  The step "picture" has failed: No picture was found.',
      "the important ones: {",
      "  ParallelExecutionCompleted: 1,",
      "  RunCompleted: 1,",
      "  RunStarted: 1,",
      "  StepCompleted: 3,",
      "  StepError: 1,",
      "  ToolCallCompleted: 1,",
      "  ToolCallStarted: 1,",
      "  WorkflowCompleted: 1,",
      "  WorkflowStarted: 1",
      "}",
      '  The step "web" calls search_web({"topic":"Solar power"})',
      '  The step "picture" has failed: No picture was found.',
      "what steps and agents say: {",
      "  RunCompleted: 1,",
      "  RunContent: 11,",
      "  RunStarted: 1,",
      "  StepError: 1,",
      "  StepOutput: 2,",
      "  ToolCallCompleted: 1,",
      "  ToolCallStarted: 1",
      "}",
      '  The step "web" calls search_web({"topic":"Solar power"})',
      '  The step "picture" has failed: No picture was found.',
      "none: {}",
      "",
    ]);
  });

  it.each(Object.entries(pipelines))("%s: goes on after a crash at any tick", async (_title, options) => {
    const { ticks, crashes } = await prove(() => createReport(options), "Solar power");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
