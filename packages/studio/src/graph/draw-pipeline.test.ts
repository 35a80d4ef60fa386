import {
  Condition,
  type Executor,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  Steps,
} from "@millrace/pipeline";
import { describeWorkflow } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
import { drawingOf } from "./draw.js";
import type { WorkflowGraphData } from "./graph-data.types.js";
import { layoutOf } from "./layout.js";

const step = (name: string): Step => new Step({ name, executor: () => name });

function graphOf(steps: PipelineOptions["steps"]): WorkflowGraphData {
  const pipeline = new Pipeline({ name: "article", steps });
  onTestFinished(() => pipeline.close());
  return describeWorkflow(pipeline.workflow) as unknown as WorkflowGraphData;
}

function nested(name: string, ...steps: PipelineOptions["steps"]): Pipeline {
  const pipeline = new Pipeline({ name, steps });
  onTestFinished(() => pipeline.close());
  return pipeline;
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
      "human a person",
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
      {
        id: "group:0",
        label: "rounds",
        kind: "loop",
        parent: null,
        asks: false,
        nodes: ["step:look"],
        steps: ["look"],
      },
      {
        id: "group:0.0",
        label: "draw",
        kind: "parallel",
        parent: "group:0",
        asks: false,
        nodes: ["step:sketch", "step:paint"],
        steps: ["sketch", "paint"],
      },
    ]);
    const { groups } = layoutOf(drawingOf(graph), "across");
    expect(groups.every(({ width, height }) => width > 100 && height > 50)).toBe(true);
  });

  it("draws each kind of group that there is, with what is in it", () => {
    const graph = graphOf([
      new Steps({ name: "draft", steps: [step("note"), step("sort")] }),
      new Condition({ name: "long?", evaluator: () => true, steps: [step("cut")] }),
      new Router({ name: "pick", selector: () => [], choices: [step("short"), step("long")] }),
      new Loop({ name: "polish", steps: [step("edit")], humanReview: { requiresIterationReview: true } }),
    ]);
    const { groups } = drawingOf(graph);

    expect(groups.map(({ label, kind, steps, asks }) => [label, kind, steps, asks])).toEqual([
      ["draft", "steps", ["note", "sort"], false],
      ["long?", "condition", ["cut"], false],
      ["pick", "router", ["short", "long"], false],
      ["polish", "loop", ["edit"], true],
    ]);
    expect(flows(graph)).toContain("flow sort cut");
  });

  it("draws the branches of a condition side by side, each with what it is called", () => {
    const turns = new Loop({ name: "turns", maxIterations: 2, steps: [step("edit")] });
    const condition = new Condition({
      name: "long?",
      evaluator: () => true,
      steps: [step("cut"), turns],
      elseSteps: [step("fill"), step("check")],
    });
    const graph = graphOf([step("draft"), condition, step("end")]);
    const { groups } = drawingOf(graph);

    expect(groups.map(({ id, label, kind, parent, steps }) => [id, label, kind, parent, steps])).toEqual([
      ["group:1", "long?", "condition", null, []],
      ["group:1:0", "then", "", "group:1", ["cut"]],
      ["group:1.1", "turns", "loop", "group:1:0", ["edit"]],
      ["group:1:1", "else", "", "group:1", ["fill", "check"]],
    ]);
    expect(flows(graph).sort()).toEqual([
      "flow check end",
      "flow cut edit",
      "flow draft cut",
      "flow draft fill",
      "flow edit edit",
      "flow edit end",
      "flow end event:StopEvent",
      "flow event:pipeline.start draft",
      "flow fill check",
    ]);
    const [then, otherwise] = layoutOf(drawingOf(graph), "across").groups.filter(({ kind }) => kind === "");
    expect(then && otherwise && (then.y + then.height <= otherwise.y || otherwise.y + otherwise.height <= then.y)).toBe(
      true,
    );
  });

  it("draws a nested pipeline in a separate group, also where its steps are called as others are", () => {
    const outline = nested("outline", step("plan"), confirmed);
    const graph = graphOf([new Step({ name: "sketch", executor: outline }), step("plan")]);
    const { nodes, groups } = drawingOf(graph);

    expect(groups).toMatchObject([{ label: "outline", kind: "pipeline", steps: ["sketch›plan", "sketch›publish"] }]);
    expect(nodes.find(({ key }) => key === "sketch›publish")?.covers).toEqual(["sketch›publish: ask"]);
    expect(flows(graph).sort()).toEqual([
      "asks sketch›publish human:sketch›publish",
      "flow event:pipeline.start sketch›plan",
      "flow plan event:StopEvent",
      "flow sketch›plan sketch›publish",
      "flow sketch›publish plan",
    ]);
  });

  it("shows steps as they were written, though two have one name, and what does their work", () => {
    const helper = { kind: "agent", name: "writer", execute: () => Promise.reject(new Error("not run")) } as Executor;
    const twice = graphOf([step("edit"), new Step({ name: "edit", executor: helper })]);
    const steps = drawingOf(twice).nodes.filter(({ kind }) => kind === "step");

    expect(steps.map(({ label, note }) => [label, note])).toEqual([
      ["edit", ""],
      ["edit", "agent writer"],
    ]);
    expect(new Set(steps.map(({ key }) => key)).size).toBe(2);
  });

  it("continues after the choices of a router", () => {
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
