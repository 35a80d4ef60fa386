/** What every drawing of a pipeline shows: Mermaid, SVG, HTML and the studio. */
import {
  branchOrder,
  describeWorkflow,
  type Outline,
  outlineOf,
  titleOfGroup,
  toMermaid,
  traceRuns,
} from "millrace/graph";
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

const step = (name: string): Step => new Step({ name, executor: () => name });

function pipelineOf(steps: PipelineOptions["steps"], name = "article"): Pipeline {
  const pipeline = new Pipeline({ name, steps });
  onTestFinished(() => pipeline.close());
  return pipeline;
}

const outline = (steps: PipelineOptions["steps"]): Outline => outlineOf(describeWorkflow(pipelineOf(steps).workflow));

/** Without the lines that only say how it looks. */
const withoutLooks = (text: string): string => text.replace(/ {2}classDef .*\n/g, "");

const confirmed = new Step({ name: "publish", executor: () => "", humanReview: { requiresConfirmation: true } });
const article = [
  step("research"),
  new Parallel("write", step("title"), step("body")),
  new Loop({ name: "polish", maxIterations: 3, steps: [step("edit"), step("score")] }),
  confirmed,
];

const ways = ({ edges }: Outline): string[] =>
  edges
    .map(({ kind, from, to, past }) => {
      const words = [kind, from.replace("step:", ""), to.replace("step:", "")];
      return [...words, ...(past === undefined ? [] : [`past ${past.join(" ")}`])].join(" ");
    })
    .sort();
const framed = ({ groups }: Outline): unknown[][] =>
  groups.map(({ id, kind, parent, nodes }) => [id, kind, parent, nodes]);

describe("the outline of a pipeline", () => {
  it("has its steps and who is asked, and nothing of what runs them", () => {
    const { nodes } = outline(article);

    expect(nodes.map((node) => `${node.kind} ${node.kind === "event" ? node.label : node.name}`)).toEqual([
      "event start",
      "step research",
      "step title",
      "step body",
      "step edit",
      "step score",
      "step publish",
      "outside a person",
      "event stop",
    ]);
  });

  it("goes from step to step, through branches and round a loop", () => {
    expect(ways(outline(article))).toEqual([
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

  it("has no step inside of the step before a Parallel", () => {
    const { workflow } = pipelineOf([step("research"), new Parallel("write", step("title")), step("publish")]);
    const described = describeWorkflow(workflow).nodes.find(({ id }) => id === "step:publish");
    const drawn = outlineOf(describeWorkflow(workflow)).nodes.find(({ id }) => id === "step:publish");

    expect(described).toMatchObject({ levels: [[], ["write"]] });
    expect(drawn).toMatchObject({ levels: [[]] });
    expect(toMermaid(workflow)).not.toMatch(/in (research|write)/);
  });

  it("frames groups, also one in another", () => {
    const inner = new Parallel("draw", step("sketch"), step("paint"));
    const loop = new Loop({ name: "rounds", maxIterations: 2, steps: [inner, step("look")] });

    expect(framed(outline([loop, step("end")]))).toEqual([
      ["0", "loop", null, ["step:look"]],
      ["0.0", "parallel", "0", ["step:sketch", "step:paint"]],
    ]);
  });

  it("has each kind of group that there is, with a title", () => {
    const { groups, ...rest } = outline([
      new Steps({ name: "draft", steps: [step("note"), step("sort")] }),
      new Condition({ name: "long?", evaluator: () => true, steps: [step("cut")] }),
      new Router({ name: "pick", selector: () => [], choices: [step("short"), step("long")] }),
      new Loop({ name: "polish", steps: [step("edit")], humanReview: { requiresIterationReview: true } }),
    ]);

    expect(groups.map((group) => [titleOfGroup(group), group.nodes])).toEqual([
      ["Steps · draft", ["step:note", "step:sort"]],
      ["Condition · long?", ["step:cut"]],
      ["Router · pick", ["step:short", "step:long"]],
      ["Loop · polish · asks a person", ["step:edit"]],
    ]);
    expect(ways({ groups, ...rest })).toContain("flow sort cut");
  });

  it("has the branches of a condition side by side, each with what it is called", () => {
    const turns = new Loop({ name: "turns", maxIterations: 2, steps: [step("edit")] });
    const condition = new Condition({
      name: "long?",
      evaluator: () => true,
      steps: [step("cut"), turns],
      elseSteps: [step("fill"), step("check")],
    });
    const drawn = outline([step("draft"), condition, step("end")]);

    expect(drawn.groups.map(titleOfGroup)).toEqual(["Condition · long?", "then", "Loop · turns", "else"]);
    expect(framed(drawn)).toEqual([
      ["1", "condition", null, []],
      ["1:0", "branch", "1", ["step:cut"]],
      ["1.1", "loop", "1:0", ["step:edit"]],
      ["1:1", "branch", "1", ["step:fill", "step:check"]],
    ]);
    expect(ways(drawn)).toEqual([
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
  });

  describe("past a condition without else", () => {
    const maybe = (name: string) => new Condition({ name: `${name}?`, evaluator: true, steps: [step(name)] });

    it("goes from the step before to the step after", () => {
      const drawn = outline([step("draft"), maybe("cut"), step("end")]);

      expect(ways(drawn)).toEqual([
        "flow cut end",
        "flow draft cut",
        "flow draft end past 1",
        "flow end event:StopEvent",
        "flow event:pipeline.start draft",
      ]);
      expect(drawn.edges.filter(({ past }) => past).map(({ label }) => label)).toEqual(["else"]);
    });

    it("goes past several, and past one at the beginning or the end", () => {
      expect(ways(outline([maybe("cut"), maybe("fill")]))).toEqual([
        "flow cut event:StopEvent past 1",
        "flow cut fill",
        "flow event:pipeline.start cut",
        "flow event:pipeline.start event:StopEvent past 0 1",
        "flow event:pipeline.start fill past 0",
        "flow fill event:StopEvent",
      ]);
    });

    it("goes past one whose steps are all of else", () => {
      const condition = new Condition({
        name: "short?",
        evaluator: true,
        steps: [],
        elseSteps: [step("cut"), maybe("fill")],
      });
      const drawn = outline([step("draft"), condition, step("end")]);

      expect(ways(drawn)).toEqual([
        "flow cut end past 1.1",
        "flow cut fill",
        "flow draft cut",
        "flow draft end past 1",
        "flow end event:StopEvent",
        "flow event:pipeline.start draft",
        "flow fill end",
      ]);
      const past = drawn.edges.find(({ from, to }) => from === "step:draft" && to === "step:end");
      expect(past?.label).toBe("then");
      expect(framed(drawn)).toEqual([
        ["1", "condition", null, []],
        ["1:1", "branch", "1", ["step:cut"]],
        ["1.1", "condition", "1:1", ["step:fill"]],
      ]);
      expect(branchOrder(drawn.groups)).toEqual([]);
    });

    it("goes past one in a branch, a loop and a nested pipeline", () => {
      const inner = pipelineOf([maybe("plan")], "outline");
      const loop = new Loop({ name: "turns", maxIterations: 2, steps: [maybe("edit"), step("look")] });
      const steps = [
        new Step({ name: "sketch", executor: inner }),
        new Parallel("both", maybe("title"), step("body")),
        loop,
      ];

      expect(ways(outline(steps)).filter((way) => way.includes("past"))).toEqual([
        "flow body look past 2.0",
        "flow event:pipeline.start body past sketch›0",
        "flow event:pipeline.start title past sketch›0",
        "flow look look past 2.0",
        "flow title look past 2.0",
      ]);
    });
  });

  it("has the branches of a group in the order in which they are listed", () => {
    const turns = new Loop({ name: "turns", maxIterations: 2, steps: [step("edit")] });
    const condition = new Condition({
      name: "long?",
      evaluator: true,
      steps: [step("cut")],
      elseSteps: [step("fill")],
    });
    const drawn = outline([new Parallel("write", step("title"), turns, step("body")), condition]);

    expect(branchOrder(drawn.groups, (group) => `frame ${group}`)).toEqual([
      { left: "step:title", right: "frame 0.1" },
      { left: "frame 0.1", right: "step:body" },
      { left: "frame 1:0", right: "frame 1:1" },
    ]);
  });

  it("has a nested pipeline as a group, also where its steps are called as others are", () => {
    const inner = pipelineOf([step("plan"), confirmed], "outline");
    const drawn = outline([new Step({ name: "sketch", executor: inner }), step("plan")]);

    expect(drawn.groups).toMatchObject([
      {
        label: "outline",
        kind: "pipeline",
        nodes: ["step:sketch›plan", "step:sketch›publish", "human:sketch›publish"],
      },
    ]);
    expect(drawn.nodes.find(({ name }) => name === "sketch›publish")).toMatchObject({
      label: "publish",
      covers: ["sketch›publish: ask"],
    });
    expect(ways(drawn)).toEqual([
      "asks sketch›publish human:sketch›publish",
      "flow event:pipeline.start sketch›plan",
      "flow plan event:StopEvent",
      "flow sketch›plan sketch›publish",
      "flow sketch›publish plan",
    ]);
  });

  it("keeps two steps with one name apart, and says what does their work", () => {
    const helper = { kind: "agent", name: "writer", execute: () => Promise.reject(new Error("not run")) } as Executor;
    const steps = outline([step("edit"), new Step({ name: "edit", executor: helper })]).nodes.filter(
      (node) => node.kind === "step",
    );

    expect(steps.map(({ label, executor }) => [label, executor?.kind])).toEqual([
      ["edit", "function"],
      ["edit", "agent"],
    ]);
    expect(new Set(steps.map(({ name }) => name)).size).toBe(2);
  });

  it("continues after the choices of a router", () => {
    const router = new Router({ name: "pick", selector: () => [], choices: [step("short"), step("long")] });

    expect(ways(outline([router, step("end")]))).toEqual([
      "flow end event:StopEvent",
      "flow event:pipeline.start long",
      "flow event:pipeline.start short",
      "flow long end",
      "flow short end",
    ]);
  });
});

describe("toMermaid of a pipeline", () => {
  const condition = new Condition({
    name: "long?",
    evaluator: () => true,
    steps: [step("cut")],
    elseSteps: [step("fill")],
  });
  const router = new Router({ name: "pick", selector: () => [], choices: [step("short"), step("long")] });

  it("draws what the author wrote", () => {
    const inner = pipelineOf([step("plan")], "outline");
    const sketch = new Step({ name: "sketch", executor: inner });
    const [research, write, polish, publish] = article;
    const { workflow } = pipelineOf([research, sketch, write, condition, router, polish, publish] as typeof article);

    expect(withoutLooks(toMermaid(workflow))).toMatchInlineSnapshot(`
      "---
      title: "article"
      ---
      flowchart TD
        event_pipeline_start(["start"]):::start
        step_research["research"]:::step
        step_publish["publish"]:::step
        human_publish(("a person")):::outside
        event_StopEvent(["stop"]):::stop
        subgraph group_1["Pipeline · outline"]
        step_sketch_plan["plan"]:::step
        end
        subgraph group_2["Parallel · write"]
        step_title["title"]:::step
        step_body["body"]:::step
        end
        subgraph group_3["Condition · long?"]
        subgraph group_3_0["then"]
        step_cut["cut"]:::step
        end
        subgraph group_3_1["else"]
        step_fill["fill"]:::step
        end
        end
        subgraph group_4["Router · pick"]
        step_short["short"]:::step
        step_long["long"]:::step
        end
        subgraph group_5["Loop · polish"]
        step_edit["edit"]:::step
        step_score["score"]:::step
        end
        event_pipeline_start --> step_research
        step_edit --> step_score
        step_score -->|"again"| step_edit
        step_publish -.-> human_publish
        step_research --> step_sketch_plan
        step_sketch_plan --> step_title
        step_sketch_plan --> step_body
        step_title --> step_cut
        step_title --> step_fill
        step_body --> step_cut
        step_body --> step_fill
        step_cut --> step_short
        step_cut --> step_long
        step_fill --> step_short
        step_fill --> step_long
        step_short --> step_edit
        step_long --> step_edit
        step_score --> step_publish
        step_publish --> event_StopEvent
      "
    `);
  });

  it("draws a run as the attempts of the steps that its author wrote", async () => {
    const pipeline = pipelineOf([step("research"), new Parallel("write", step("title"), step("body")), condition]);
    const traces = traceRuns(pipeline.workflow);
    await pipeline.run("cats");
    const [run] = traces.runs.values();
    const drawn = withoutLooks(toMermaid(pipeline.workflow, { ...(run && { run }) }));

    expect(drawn.replace(/run \S+: completed after .*s"/, 'run"').replace(/<br\/>\d+ ms/g, "")).toMatchInlineSnapshot(`
      "---
      title: "article, run"
      ---
      flowchart TD
        event_1(["start"]):::start
        attempt_2["research"]:::step
        event_1 --> attempt_2
        attempt_4["title"]:::step
        attempt_2 --> attempt_4
        attempt_5["body"]:::step
        attempt_2 --> attempt_5
        attempt_8["cut"]:::step
        attempt_4 --> attempt_8
        attempt_5 --> attempt_8
        stop(["stop"]):::stop
        attempt_8 --> stop
      "
    `);
  });
});
