import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { createNewsletter } from "./container-events.js";
import { prove } from "./support/prove.js";

/** Branches of a Parallel tell at the same time: only the order within each of them is certain. */
function branchByBranch(lines: readonly string[]): string[] {
  const begin = lines.findIndex((line) => line.includes("ParallelExecutionStarted")) + 1;
  const end = lines.findIndex((line) => line.includes("ParallelExecutionCompleted"));
  const branches = Object.groupBy(lines.slice(begin, end), (line) => line.trim().split(" ")[1] ?? "");
  return [...lines.slice(0, begin), ...Object.values(branches).flatMap((own = []) => own), ...lines.slice(end)];
}

describe("container events", () => {
  it("shows where each container begins and ends", async () => {
    const { output } = await runExample("pipelines/container-events.ts");

    expect(branchByBranch(output.split("\n"))).toEqual([
      "WorkflowStarted",
      "  ParallelExecutionStarted research 2 branches",
      "    StepStarted news",
      "    StepOutput news It rained in Bergen.",
      "    StepCompleted news",
      "    StepStarted weather",
      "    StepOutput weather It will rain again.",
      "    StepCompleted weather",
      "  ParallelExecutionCompleted research",
      "  StepsExecutionStarted write 2 steps",
      "    StepStarted title",
      "    StepOutput title Rain",
      "    StepCompleted title",
      "    StepStarted text",
      "    StepOutput text It rained in Bergen, and will again.",
      "    StepCompleted text",
      "  StepsExecutionCompleted write",
      "  LoopExecutionStarted polish at most 5 times",
      "  LoopIterationStarted polish 1",
      "    StepStarted shorten",
      "    StepOutput shorten It rained in Berge",
      "    StepCompleted shorten",
      "  LoopIterationCompleted polish again",
      "  LoopIterationStarted polish 2",
      "    StepStarted shorten",
      "    StepOutput shorten It rained",
      "    StepCompleted shorten",
      "  LoopIterationCompleted polish enough",
      "  LoopExecutionCompleted polish 2 times",
      "  ConditionExecutionStarted is_urgent it does not hold",
      "    StepStarted wait",
      "    StepOutput wait It can wait.",
      "    StepCompleted wait",
      "  ConditionExecutionCompleted is_urgent",
      "  RouterExecutionStarted channel letter, website",
      "    StepStarted letter",
      "    StepOutput letter It is in the post.",
      "    StepCompleted letter",
      "    StepStarted website",
      "    StepOutput website It is on the website.",
      "    StepCompleted website",
      "  RouterExecutionCompleted channel",
      "WorkflowCompleted",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createNewsletter, "Write about rain");

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
