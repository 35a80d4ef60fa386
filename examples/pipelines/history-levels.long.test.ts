import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createReport } from "./history-levels.js";
import { prove } from "./support/prove.js";

describe("history levels", () => {
  it("tells each step as much as it is to know", async () => {
    const { output } = await runExample("pipelines/history-levels.ts");

    expect(output.split("\n")).toEqual([
      "steps that ask for it:",
      "  Research: 0 earlier runs",
      "  Analysis: 0 earlier runs",
      "  Writing: 3 earlier runs",
      "all steps, all runs:",
      "  Research: 6 earlier runs",
      "  Analysis: 0 earlier runs",
      "  Writing: 3 earlier runs",
      "all steps, the last 5 runs:",
      "  Research: 5 earlier runs",
      "  Analysis: 0 earlier runs",
      "  Writing: 3 earlier runs",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(() => createReport({ addWorkflowHistoryToSteps: true }), "Question 1");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
