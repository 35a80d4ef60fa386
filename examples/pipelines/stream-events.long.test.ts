import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";

describe("stream events", () => {
  it("shows what the run does", async () => {
    const { output } = await runExample("pipelines/stream-events.ts");

    expect(output.split("\n")).toEqual([
      "WorkflowStarted Basic Linear Workflow",
      "  StepStarted research",
      "    ToolCallStarted Researcher",
      "    ToolCallCompleted Researcher",
      "  StepCompleted research",
      "  StepStarted summarize",
      "  StepCompleted summarize",
      "  ConditionExecutionStarted fact_check_condition true",
      "  StepStarted fact_check",
      "    ToolCallStarted Fact Checker",
      "    ToolCallCompleted Fact Checker",
      "  StepCompleted fact_check",
      "  ConditionExecutionCompleted fact_check_condition true",
      "  StepStarted write_article",
      "  StepCompleted write_article",
      "WorkflowCompleted Basic Linear Workflow",
      "",
    ]);
  });
});
