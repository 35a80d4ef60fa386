import { describe, expect, it } from "vitest";
import { drawingOf } from "./draw.js";
import type { WorkflowGraphData } from "./graph-data.js";
import { layoutOf, pathOf } from "./layout.js";

const graph: WorkflowGraphData = {
  name: "refund",
  nodes: [
    { kind: "step", id: "step:check", name: "check", trigger: "event", levels: [[]] },
    { kind: "step", id: "step:approve", name: "approve", trigger: "event", levels: [["check"]] },
    { kind: "step", id: "step:sum", name: "sum", trigger: "collect" },
    { kind: "event", id: "event:Claim", name: "Claim", role: "start" },
    { kind: "event", id: "event:Checked", name: "Checked", role: "event" },
    { kind: "event", id: "event:Ask", name: "Ask", role: "inputRequired" },
    { kind: "event", id: "event:Answer", name: "Answer", role: "humanResponse" },
    { kind: "event", id: "event:Progress", name: "Progress", role: "event" },
    { kind: "event", id: "event:StopEvent", name: "StopEvent", role: "stop" },
    { kind: "resource", id: "resource:model", name: "model" },
    { kind: "outside", id: "outside", name: "outside" },
  ],
  groups: [],
  edges: [
    { kind: "accepts", from: "event:Claim", to: "step:check" },
    { kind: "emits", from: "step:check", to: "event:Checked", label: "many" },
    { kind: "accepts", from: "event:Checked", to: "step:approve" },
    { kind: "waits", from: "event:Answer", to: "step:approve" },
    { kind: "streams", from: "step:approve", to: "event:Ask" },
    { kind: "streams", from: "step:approve", to: "event:Progress" },
    { kind: "needs", from: "step:approve", to: "resource:model" },
    { kind: "emits", from: "step:approve", to: "event:StopEvent" },
    { kind: "emits", from: "step:sum", to: "event:StopEvent" },
    { kind: "asks", from: "event:Ask", to: "outside" },
    { kind: "answers", from: "outside", to: "event:Answer" },
  ],
};

describe("drawingOf", () => {
  const drawing = drawingOf(graph);
  const node = (id: string) => drawing.nodes.find((one) => one.id === id);

  it("folds a question and its answer to one node beside the step that asks", () => {
    expect(node("human:approve")).toMatchObject({ kind: "human", label: "Ask", note: "Answer", askedBy: "approve" });
    expect(drawing.edges).toContainEqual({
      id: "asks step:approve human:approve",
      kind: "asks",
      label: "",
      past: [],
      from: "step:approve",
      to: "human:approve",
    });
    expect([node("event:Ask"), node("event:Answer"), node("outside")]).toEqual([undefined, undefined, undefined]);
  });

  it("writes on a step what it only shows, what starts it, and how deep it is in fan-outs", () => {
    expect(node("step:approve")).toMatchObject({ streams: ["Progress"], note: "", depth: 1 });
    expect(node("step:sum")).toMatchObject({ note: "collects", depth: 0 });
    expect(node("event:Progress")).toBeUndefined();
  });

  it("frames the groups of a workflow that is not a pipeline, though its steps say what does their work", () => {
    const group = { label: "money", kind: "phase", parent: null, nodes: ["step:approve", "step:sum"] };
    const given = { ...group, enteredBy: null, workflow: null, branches: [] };
    const empty = { ...given, id: "none", nodes: [] };
    const nodes = graph.nodes.map((one) => ({ ...one, executor: { kind: "function", name: one.name } }));
    const framed = drawingOf({ ...graph, nodes, groups: [{ ...given, id: "1" }, empty] });

    expect(framed.groups).toEqual([{ ...group, id: "group:1", steps: ["approve", "sum"], title: "Phase · money" }]);
    expect(framed.nodes.length).toBe(drawing.nodes.length);
    expect(layoutOf(framed, "across").groups[0]?.width).toBeGreaterThan(100);
  });

  it("names plain start and stop events by what they are", () => {
    expect(node("event:StopEvent")).toMatchObject({ kind: "stop", name: "StopEvent", label: "stop" });
    expect(node("event:Claim")).toMatchObject({ kind: "start", label: "Claim" });
  });
});

describe("layoutOf", () => {
  it.each(["across", "down"] as const)("places every node %s, and none over another", (direction) => {
    const { nodes, edges, width, height } = layoutOf(drawingOf(graph), direction);
    const over = nodes.flatMap((a, index) =>
      nodes
        .slice(index + 1)
        .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
        .map((b) => `${a.id} ${b.id}`),
    );

    expect(over).toEqual([]);
    expect(nodes.every(({ x, y, width: w, height: h }) => x >= 0 && y >= 0 && x + w <= width && y + h <= height)).toBe(
      true,
    );
    expect(edges.every(({ points }) => points.length >= 2)).toBe(true);
  });
});

describe("pathOf", () => {
  it("goes straight between two points, and round the others", () => {
    expect(
      pathOf([
        [0, 0],
        [10, 0],
      ]),
    ).toBe("M0 0L10 0");
    expect(
      pathOf([
        [0, 0],
        [10, 0],
        [10, 10],
      ]),
    ).toBe("M0 0Q10 0 10 10");
    expect(pathOf([])).toBe("");
  });
});
