import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import { describeWorkflow } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkflowGraphData } from "../../api/contract.types.js";
import { innerSteps } from "./inner-steps.js";

function step(name: string, requiresConfirmation = false): Step {
  return new Step({ name, executor: () => name, humanReview: { requiresConfirmation } });
}

describe("innerSteps", () => {
  it("are those of a pipeline that move it on, not those that were written or that ask", () => {
    const steps = [new Parallel("write", step("title"), step("body")), step("publish", true)];
    const pipeline = new Pipeline({ name: "article", steps });
    onTestFinished(() => pipeline.close());

    const isInner = innerSteps(describeWorkflow(pipeline.workflow) as unknown as WorkflowGraphData);

    expect(["begin", "write", "write: gather", "finish"].map(isInner)).toEqual([true, true, true, true]);
    expect(["title", "body", "publish", "publish: ask"].map(isInner)).toEqual([false, false, false, false]);
  });

  it("are none of another workflow, even of steps that its code does not have any more", () => {
    const isInner = innerSteps({ name: "w", nodes: [{ kind: "step", id: "step:a", name: "a" }], edges: [] });

    expect(["a", "gone"].map(isInner)).toEqual([false, false]);
    expect(innerSteps(null)("a")).toBe(false);
  });
});
