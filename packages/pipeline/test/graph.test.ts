/** What a drawing of a pipeline is made of. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { describeWorkflow, type GraphGroup, type StepNode, type WorkflowDescription } from "millrace/graph";
import { describe, expect, it, onTestFinished } from "vitest";
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
} from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";

function graphOf(steps: PipelineOptions["steps"], name = "article"): WorkflowDescription {
  const pipeline = new Pipeline({ name, steps });
  onTestFinished(() => pipeline.close());
  return describeWorkflow(pipeline.workflow);
}

const step = (name: string, more: object = {}): Step => new Step({ name, executor: () => name, ...more });
const confirmed = { humanReview: { requiresConfirmation: true } };

const stepsOf = ({ nodes }: WorkflowDescription): StepNode[] => nodes.filter((node) => node.kind === "step");
/** Labels of the steps that have an executor. */
const written = (graph: WorkflowDescription): string[] =>
  stepsOf(graph)
    .filter(({ executor }) => executor !== null)
    .map(({ label }) => label);
const framed = ({ groups }: WorkflowDescription): Pick<GraphGroup, "label" | "kind" | "parent" | "nodes">[] =>
  groups.map(({ label, kind, parent, nodes }) => ({ label, kind, parent, nodes }));

describe("the graph of a pipeline", () => {
  it("labels its steps as they were written, also two with one name", () => {
    const graph = graphOf([
      step("begin"),
      new Parallel("write", step("edit"), step("score")),
      new Loop({ name: "polish", steps: [step("edit", confirmed)] }),
    ]);
    const helping = stepsOf(graph).filter(({ worksFor }) => worksFor !== null);

    expect(written(graph)).toEqual(["begin", "edit", "score", "edit"]);
    expect(new Set(stepsOf(graph).map(({ name }) => name)).size).toBe(stepsOf(graph).length);
    expect(helping.map(({ label, worksFor }) => [label, worksFor])).toEqual([
      ["write: gather", "step:write"],
      ["edit: ask", "step:edit (2.0)"],
    ]);
  });

  it("says which step enters a group, and of which kind it is", () => {
    const graph = graphOf([
      new Steps({ name: "draft", steps: [step("a")] }),
      new Condition({ name: "long?", evaluator: () => true, steps: [step("b")], elseSteps: [step("c")] }),
      new Router({
        name: "pick",
        selector: () => [],
        choices: [step("d"), new Loop({ name: "turns", steps: [step("e")] })],
      }),
    ]);

    expect(graph.groups).toMatchObject([
      { id: "0", label: "draft", kind: "steps", parent: null, nodes: ["step:a"], enteredBy: null },
      { id: "1", label: "long?", kind: "condition", enteredBy: "step:long?" },
      { id: "2", label: "pick", kind: "router", enteredBy: "step:pick" },
      {
        id: "2.1",
        label: "turns",
        kind: "loop",
        parent: "2",
        nodes: ["step:turns", "step:e"],
        enteredBy: "step:turns",
      },
    ]);
    expect(graph.groups[1]?.nodes).toEqual(["step:long?", "step:b", "step:c"]);
  });

  it("says of the branches of a group when they run, and which they are", () => {
    const turns = new Loop({ name: "turns", steps: [step("e")] });
    const graph = graphOf([
      new Condition({ name: "long?", evaluator: true, steps: [step("b", confirmed), turns], elseSteps: [step("c")] }),
      new Condition({ name: "late?", evaluator: true, steps: [step("f")] }),
      new Router({ name: "pick", selector: () => [], choices: [step("d"), turns] }),
      new Parallel("both", step("g"), step("h")),
    ]);
    const branches = Object.fromEntries(graph.groups.map((group) => [group.label, group.branches]));

    expect(branches).toEqual({
      "long?": [
        { role: "then", name: null, nodes: ["step:b", "step:b: ask"], groups: ["0.1"] },
        { role: "else", name: null, nodes: ["step:c"], groups: [] },
      ],
      "late?": [{ role: "then", name: null, nodes: ["step:f"], groups: [] }],
      pick: [
        { role: "choice", name: "d", nodes: ["step:d"], groups: [] },
        { role: "choice", name: "turns", nodes: [], groups: ["2.1"] },
      ],
      both: [
        { role: "branch", name: "g", nodes: ["step:g"], groups: [] },
        { role: "branch", name: "h", nodes: ["step:h"], groups: [] },
      ],
      turns: [],
    });
  });

  it("says what its events are for, and none is called by its place", () => {
    const turns = new Loop({ name: "turns", endCondition: () => true, steps: [step("a", confirmed)] });
    const graph = graphOf([turns, new Parallel("both", step("b"))]);
    const events = graph.nodes.flatMap((node) => (node.kind === "event" ? [node.label] : []));

    expect(events).toEqual(
      expect.arrayContaining(["start", "to a", "question about a", "turn of turns", "branch of both"]),
    );
    expect(events.filter((label) => label.includes("pipeline."))).toEqual([]);
  });

  it("says what does the work of each step, and frames agents and teams", () => {
    const member = { kind: "agent", name: "Reader" } as const;
    const inner = { kind: "team", name: "Night shift", members: [member] } as const;
    const team: Executor = { ...fakeAgent("Desk"), kind: "team", members: [member, inner] };
    const graph = graphOf([
      new Step({ name: "write", executor: fakeAgent("Writer") }),
      new Steps({ name: "review", steps: [new Step({ name: "judge", executor: team }), function tidy() {}] }),
    ]);

    expect(stepsOf(graph).flatMap(({ executor }) => executor ?? [])).toEqual([
      { kind: "agent", name: "Writer" },
      { kind: "team", name: "Desk", members: [member, inner] },
      { kind: "function", name: "tidy" },
    ]);
    expect(framed(graph)).toEqual([
      { label: "Writer", kind: "agent", parent: null, nodes: ["step:write"] },
      { label: "review", kind: "steps", parent: null, nodes: ["step:tidy"] },
      { label: "Desk", kind: "team", parent: "1", nodes: ["step:judge"] },
    ]);
  });

  it("frames nested pipelines and workflows, and has their graphs", () => {
    const core = defineWorkflow("print")
      .step("press", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: null }))
      .build();
    const facts = new Pipeline({ name: "facts", steps: [new Parallel("check", step("names"), step("dates"))] });
    onTestFinished(() => facts.close());
    const graph = graphOf([step("write"), facts, new Step({ name: "publish", executor: core }), facts]);
    const [nested, again] = graph.children;

    expect(graph.groups).toMatchObject([
      {
        id: "1",
        label: "facts",
        kind: "pipeline",
        nodes: ["step:facts"],
        enteredBy: "step:facts",
        workflow: nested?.name,
      },
      { id: "2", label: "publish", kind: "workflow", nodes: ["step:publish"], workflow: "print" },
      { id: "3", kind: "pipeline", nodes: ["step:facts (3)"], workflow: nested?.name },
    ]);
    expect(graph.children).toHaveLength(2);
    expect(written(nested as WorkflowDescription)).toEqual(["names", "dates"]);
    expect(nested?.groups).toMatchObject([{ label: "check", kind: "parallel" }]);
    expect(again?.name).toBe("print");
  });

  it("has each step in one group or in none, as plain data", () => {
    const turns = new Loop({
      name: "turns",
      endCondition: () => true,
      steps: [step("a", confirmed), fakeAgent("Writer")],
    });
    const graph = graphOf([new Parallel("both", turns, step("b")), step("c")]);
    const inside = graph.groups.flatMap(({ nodes }) => nodes);
    const ids = new Set(graph.nodes.map(({ id }) => id));

    expect(inside.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(inside).size).toBe(inside.length);
    expect(inside).not.toContain("step:c");
    expect(JSON.parse(JSON.stringify(graph))).toEqual(graph);
  });
});
