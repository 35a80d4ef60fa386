import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createLabel } from "./nested.js";
import { prove } from "./support/prove.js";

describe("nested", () => {
  it("runs a pipeline and a workflow as steps", async () => {
    const { output } = await runExample("pipelines/nested.ts");

    expect(output.split("\n")).toEqual([
      "WorkflowStarted Label",
      "StepStarted write",
      "StepStarted Translation",
      "  WorkflowStarted Translation",
      "  StepStarted translate",
      "  StepStarted check",
      "  WorkflowCompleted Translation",
      "StepStarted print",
      "StepStarted note",
      "WorkflowCompleted Label",
      '| Fresh brød (checked) | from "Fresh brød"',
      "function: write",
      "workflow: Translation",
      "  translate",
      "  check",
      "workflow: print",
      "function: note",
      "Session state: { language: 'Danish', translated: [ 'Danish' ] }",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createLabel, "bread", { streamEvents: true });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
