import { Loop, Parallel, Pipeline, Router, Step } from "@millrace/pipeline";
import { describeWorkflow } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkflowGraphData } from "../api/contract.types.js";
import { drawingOf } from "./draw.js";
import { layoutOf } from "./layout.js";

const step = (name: string): Step => new Step({ name, executor: () => name });

function graphOf(steps: ConstructorParameters<typeof Pipeline>[0]["steps"]): WorkflowGraphData {
  const pipeline = new Pipeline({ name: "article", steps });
  onTestFinished(() => pipeline.close());
  return describeWorkflow(pipeline.workflow) as unknown as WorkflowGraphData;
}

const confirmed = new Step({ name: "publish", executor: () => "", humanReview: { requiresConfirmation: true } });
const article = [
  step("research"),
  new Parallel("write", step("title"), step("body")),
  new Loop({ name: "polish", maxIterations: 3, steps: [step("edit"), step("score")] }),
  confirmed,
];

const flows = (graph: WorkflowGraphData): string[] =>
  drawingOf(graph).edges.map(({ kind, from, to }) => `${kind} ${from.replace("step:", "")} ${to.replace("step:", "")}`);

describe("the drawing of a pipeline", () => {
  it("has its steps and who is asked, and nothing of what runs them", () => {
    const names = drawingOf(graphOf(article)).nodes.map(({ kind, name }) => `${kind} ${name}`);

    expect(names).toEqual([
      "step research",
      "step title",
      "step body",
      "step edit",
      "step score",
      "step publish",
      "human confirmation",
      "start pipeline.start",
      "stop StopEvent",
    ]);
  });

  it("goes from step to step, through branches and round a loop", () => {
    expect(flows(graphOf(article)).sort()).toEqual([
      "asks publish human:publish",
      "flow body edit",
      "flow edit score",
      "flow event:pipeline.start research",
      "flow publish event:StopEvent",
      "flow research body",
      "flow research title",
      "flow score edit",
      "flow score publish",
      "flow title edit",
    ]);
  });

  it("puts frames around groups, also one in another", () => {
    const inner = new Parallel("draw", step("sketch"), step("paint"));
    const graph = graphOf([new Loop({ name: "rounds", maxIterations: 2, steps: [inner, step("look")] }), step("end")]);

    expect(drawingOf(graph).groups).toEqual([
      { id: "group:0", label: "rounds", kind: "loop", parent: null, nodes: ["step:look"] },
      { id: "group:0.0", label: "draw", kind: "parallel", parent: "group:0", nodes: ["step:sketch", "step:paint"] },
    ]);
    const { groups } = layoutOf(drawingOf(graph), "across");
    expect(groups.every(({ width, height }) => width > 100 && height > 50)).toBe(true);
  });

  it("goes on behind the choices of a router", () => {
    const router = new Router({ name: "pick", selector: () => [], choices: [step("short"), step("long")] });

    expect(flows(graphOf([router, step("end")])).sort()).toEqual([
      "flow end event:StopEvent",
      "flow event:pipeline.start long",
      "flow event:pipeline.start short",
      "flow long end",
      "flow short end",
    ]);
  });
});
