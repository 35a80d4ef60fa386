import { Condition, Loop, Parallel, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { describeWorkflow } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
import { drawingOf } from "./draw.js";
import type { Drawing } from "./drawing.types.js";
import type { WorkflowGraphData } from "./graph-data.js";
import { layoutOf } from "./layout.js";

const step = (name: string): Step => new Step({ name, executor: () => name });
const confirmed = new Step({ name: "publish", executor: () => "", humanReview: { requiresConfirmation: true } });

function pipelineOf(name: string, steps: PipelineOptions["steps"]): Pipeline {
  const pipeline = new Pipeline({ name, steps });
  onTestFinished(() => pipeline.close());
  return pipeline;
}

const drawn = (steps: PipelineOptions["steps"]): Drawing =>
  drawingOf(describeWorkflow(pipelineOf("article", steps).workflow) as unknown as WorkflowGraphData);

describe("the drawing of a pipeline", () => {
  it("is its outline: steps with a person beside the one that asks, and the steps that it covers", () => {
    const inner = pipelineOf("outline", [step("plan"), confirmed]);
    const { nodes, edges, groups } = drawn([new Step({ name: "sketch", executor: inner }), step("plan")]);

    expect(nodes.map(({ kind, key, name, label }) => [kind, key, name, label])).toEqual([
      ["step", "sketch›plan", "plan", "plan"],
      ["step", "sketch›publish", "publish", "publish"],
      ["human", "sketch›publish", "a person", "a person"],
      ["step", "plan", "plan", "plan"],
      ["start", "pipeline.start", "pipeline.start", "start"],
      ["stop", "StopEvent", "StopEvent", "stop"],
    ]);
    expect(nodes.filter(({ covers }) => covers.length > 0).map(({ kind, covers }) => [kind, covers])).toEqual([
      ["step", ["sketch›publish: ask"]],
      ["human", ["sketch›publish: ask"]],
    ]);
    expect(edges.map(({ kind }) => kind).sort()).toEqual(["asks", "flow", "flow", "flow", "flow"]);
    expect(groups).toMatchObject([{ title: "Pipeline · outline", steps: ["sketch›plan", "sketch›publish"] }]);
  });

  it("places then above else, and a loop of one step beside it", () => {
    const condition = new Condition({
      name: "long?",
      evaluator: true,
      steps: [step("cut")],
      elseSteps: [step("fill")],
    });
    const loop = new Loop({ name: "turns", maxIterations: 2, steps: [step("edit")] });
    const { groups, nodes, edges } = layoutOf(drawn([condition, loop]), "across");
    const [then, otherwise] = groups.filter(({ kind }) => kind === "branch");
    const edit = nodes.find(({ name }) => name === "edit");
    const again = edges.find(({ from, to }) => from === to);

    expect(then && otherwise && then.y + then.height <= otherwise.y).toBe(true);
    expect(edit && again?.points.map(([, y]) => y >= edit.y + edit.height)).toEqual([true, true, true, true]);
    expect(edit && again?.points.every(([x]) => x > edit.x && x < edit.x + edit.width)).toBe(true);
  });

  it.each(["across", "down"] as const)("places the branches of a parallel as they are listed, %s", (direction) => {
    const names = ["zeta", "alpha", "mid", "beta", "yes"];
    const { nodes } = layoutOf(drawn([step("begin"), new Parallel("all", ...names.map(step)), step("end")]), direction);
    const side = direction === "across" ? "y" : "x";
    const placed = nodes.filter(({ name }) => names.includes(name)).sort((a, b) => a[side] - b[side]);

    expect(placed.map(({ name }) => name)).toEqual(names);
  });

  it("places a branch that is longer, or a group, between the others", () => {
    const turns = new Loop({ name: "turns", maxIterations: 2, steps: [step("edit"), step("score")] });
    const all = new Parallel("all", step("zeta"), turns, step("alpha"));
    const { nodes, groups } = layoutOf(drawn([step("begin"), all, step("end")]), "across");
    const loop = groups.find(({ kind }) => kind === "loop");
    const [zeta, alpha] = ["zeta", "alpha"].map((name) => nodes.find((node) => node.name === name));

    expect(zeta && loop && zeta.y + zeta.height <= loop.y).toBe(true);
    expect(alpha && loop && loop.y + loop.height <= alpha.y).toBe(true);
  });

  it("has a labelled edge past a condition without else, beside its frame", () => {
    const condition = new Condition({ name: "long?", evaluator: true, steps: [step("cut")] });
    const { edges, groups } = layoutOf(drawn([step("draft"), condition, step("end")]), "across");
    const past = edges.find(({ from, to }) => from === "step:draft" && to === "step:end");
    const [frame] = groups;
    const [, y] = past?.middle ?? [0, 0];

    expect(past).toMatchObject({ label: "else", past: ["cut"] });
    expect(frame && (y < frame.y || y > frame.y + frame.height)).toBe(true);
  });
});
