import { Loop, Parallel, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { describeWorkflow } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
import { attempt } from "../../test/support/ticks.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { asNamed, stepNaming, workflowsOf } from "./step-names.js";

function step(name: string, requiresConfirmation = false): Step {
  return new Step({ name, executor: () => name, humanReview: { requiresConfirmation } });
}

function pipeline(name: string, ...steps: PipelineOptions["steps"]): Pipeline {
  const made = new Pipeline({ name, steps });
  onTestFinished(() => made.close());
  return made;
}

const graphOf = ({ workflow }: Pipeline) => describeWorkflow(workflow) as unknown as WorkflowGraphData;
const none = { runId: "r", workflows: new Map<string, string>() };

describe("stepNaming", () => {
  it("shows what asks as part of the step for which it asks, and calls the rest housekeeping", () => {
    const parts = [new Parallel("write", step("title"), step("edit")), new Loop({ steps: [step("edit", true)] })];
    const naming = stepNaming(graphOf(pipeline("article", ...parts)), none);

    const inner = ["begin", "write", "write: gather", "finish"].map((name) => naming(name, "r").isInner);
    expect(inner).toEqual([true, true, true, true]);
    expect(naming("title", "r")).toEqual({ owner: "title", label: "title", isInner: false });
    expect(naming("edit (1.0)", "r")).toEqual({ owner: "edit (1.0)", label: "edit", isInner: false });
    expect(naming("edit (1.0): ask", "r")).toEqual({ owner: "edit (1.0)", label: "edit", isInner: false });
  });

  it("knows the steps of nested pipelines by the workflow of their run", () => {
    const nested = pipeline("outline", step("plan", true));
    const graph = graphOf(pipeline("article", new Step({ name: "sketch", executor: nested }), step("begin")));
    const workflow = graph.children?.[0]?.name ?? "";
    const workflows = workflowsOf([attempt("plan", 1, { runId: "r/3", workflow })]);
    const naming = stepNaming(graph, { runId: "r", workflows });

    expect(naming("begin", "r/3").isInner).toBe(true);
    expect(naming("plan: ask", "r/3")).toEqual({ owner: "plan", label: "plan", isInner: false });
    expect(naming("plan: ask", "r/9")).toEqual(asNamed("plan: ask", "r/9"));
  });

  it("leaves the steps of another workflow as they are, even of those that its code does not have any more", () => {
    const naming = stepNaming(
      { name: "w", nodes: [{ kind: "step", id: "step:a", name: "a" }], edges: [], groups: [] },
      none,
    );

    expect(["a", "gone"].map((name) => naming(name, "r").isInner)).toEqual([false, false]);
    expect(stepNaming(null, none)("a", "r")).toEqual({ owner: "a", label: "a", isInner: false });
  });
});
