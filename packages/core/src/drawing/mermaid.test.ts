import { describe, expect, it } from "vitest";
import { HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { collect, many } from "../step/step.js";
import { defineWorkflow } from "../workflow/workflow.js";
import { describeWorkflow, type WorkflowDescription } from "./describe.js";
import { toMermaid } from "./mermaid.js";
import type { AttemptTrace, RunTrace } from "./trace.js";

class Joke extends event("Joke") {}
class Title extends event("Title") {}
class Ask extends InputRequiredEvent.define("Ask") {}
class Answer extends HumanResponseEvent.define("Answer") {}

const jokes = defineWorkflow("jokes")
  .step("write", { on: StartEvent, emits: Joke }, () => new Joke())
  .step("ask", { on: Joke, emits: Ask }, () => new Ask())
  .step("judge", { on: Answer, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .catchError("recover", { emits: Joke }, () => new Joke())
  .build();

/** Without the lines that only say how it looks. */
function drawing(text: string): string {
  return text.replace(/ {2}classDef .*\n/g, "");
}

function empty(name: string, nodes: WorkflowDescription["nodes"] = []): WorkflowDescription {
  const routing = { workflow: name, steps: [], roles: {}, inboxSize: 1 };
  return { name, nodes, edges: [], groups: [], children: [], routing };
}

const stepNode = {
  kind: "step",
  id: "step:",
  name: "",
  label: "",
  trigger: "event",
  levels: [[]],
  workers: 4,
  retry: false,
  executor: null,
  worksFor: null,
} as const;

describe("toMermaid: a workflow", () => {
  it("writes the label of a step where it has one", () => {
    const nodes = [{ ...stepNode, id: "step:edit (0.1)", name: "edit (0.1)", label: "edit" }];

    expect(toMermaid(empty("labels", nodes))).toContain('["edit"]');
  });

  it("frames the steps of a group, and the groups inside", () => {
    const nodes = ["a", "b", "c"].map((name) => ({ ...stepNode, id: `step:${name}`, name, label: name }));
    const group = { kind: "loop", enteredBy: null, workflow: null, branches: [] };
    const groups = [
      { ...group, id: "1", label: "outer", parent: null, nodes: ["step:b"] },
      { ...group, id: "1.0", label: "inner", parent: "1", nodes: ["step:c"] },
    ];

    expect(drawing(toMermaid({ ...empty("framed", nodes), groups }))).toMatchInlineSnapshot(`
      "---
      title: "framed"
      ---
      flowchart TD
        step_a["a"]:::step
        subgraph group_1["Loop · outer"]
        step_b["b"]:::step
        subgraph group_1_0["Loop · inner"]
        step_c["c"]:::step
        end
        end
      "
    `);
  });

  it("frames branches that are called by their role, and writes the label of an event", () => {
    const steps = ["if", "b", "c"].map((name) => ({ ...stepNode, id: `step:${name}`, name, label: name }));
    const entered = { kind: "event", id: "event:e", name: "pipeline.enter 0", label: "to b", role: "event" } as const;
    const rest = { enteredBy: null, workflow: null, branches: [] };
    const branches = [
      { role: "then", name: null, nodes: ["step:b"], groups: [] },
      { role: "else", name: null, nodes: [], groups: ["0.1"] },
    ];
    const groups = [
      { ...rest, id: "0", label: "long?", kind: "condition", parent: null, nodes: ["step:if", "step:b"], branches },
      { ...rest, id: "0.1", label: "turns", kind: "loop", parent: "0", nodes: ["step:c"] },
    ];

    expect(drawing(toMermaid({ ...empty("branches", [...steps, entered]), groups }))).toMatchInlineSnapshot(`
      "---
      title: "branches"
      ---
      flowchart TD
        event_e(["to b"]):::event
        subgraph group_0["Condition · long?"]
        step_if["if"]:::step
        subgraph group_0_0["then"]
        step_b["b"]:::step
        end
        subgraph group_0_1["else"]
        subgraph group_0_1_2["Loop · turns"]
        step_c["c"]:::step
        end
        end
        end
      "
    `);
  });

  it("draws steps and events by their kind", () => {
    expect(drawing(toMermaid(jokes))).toMatchInlineSnapshot(`
      "---
      title: "jokes"
      ---
      flowchart TD
        step_write["write"]:::step
        step_ask["ask"]:::step
        step_judge["judge"]:::step
        step_recover[["recover"]]:::handler
        event_StartEvent(["StartEvent"]):::start
        event_Joke(["Joke"]):::event
        event_Ask[/"Ask"/]:::prompt
        event_Answer[\\"Answer"\\]:::external
        event_StopEvent(["StopEvent"]):::stop
        outside(("outside")):::outside
        event_StartEvent --> step_write
        step_write --> event_Joke
        event_Joke --> step_ask
        step_ask --> event_Ask
        event_Answer --> step_judge
        step_judge --> event_StopEvent
        step_recover --> event_Joke
        step_write -.->|"fails"| step_recover
        step_ask -.->|"fails"| step_recover
        step_judge -.->|"fails"| step_recover
        event_Ask -.-> outside
        outside -.-> event_Answer
      "
    `);
  });

  it("draws fan-outs, and the fan-outs that a step is in", () => {
    const flow = defineWorkflow("nested")
      .step("shelves", { on: StartEvent, emits: many(Joke) }, () => [new Joke()])
      .step("titles", { on: Joke, emits: many(Title) }, () => [new Title()])
      .step("gather", { on: collect(Title, { of: "shelves" }), emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .step("see", { on: Title }, () => null)
      .build();

    const drawn = toMermaid(flow);

    expect(drawn).toContain('step_shelves -->|"many"| event_Joke');
    expect(drawn).toMatch(/titles.*in shelves/);
    expect(drawn).toMatch(/see.*in shelves › titles/);
    expect(drawn).toMatch(/gather.*collect"/);
  });

  it("defines each class it uses, once", () => {
    const text = toMermaid(jokes);
    const used = new Set([...text.matchAll(/:::(\w+)/g)].map((match) => match[1]));

    expect([...text.matchAll(/classDef (\w+) /g)].map((match) => match[1])).toEqual([...used]);
  });

  it("draws a description as it draws the workflow", () => {
    expect(toMermaid(JSON.parse(JSON.stringify(describeWorkflow(jokes))))).toBe(toMermaid(jokes));
  });

  it("cleans ids and keeps them apart", () => {
    const nodes = ["a-b", "a_b", "a b"].map((name) => ({ ...stepNode, id: `step:${name}`, name, label: name }));

    expect(drawing(toMermaid(empty("ids", nodes)))).toMatchInlineSnapshot(`
      "---
      title: "ids"
      ---
      flowchart TD
        step_a_b["a-b"]:::step
        step_a_b_2["a_b"]:::step
        step_a_b_3["a b"]:::step
      "
    `);
  });

  it("escapes what could end a label", () => {
    const nodes = [{ kind: "resource", id: "resource:x", name: '"]; <b>`#1`\n& \\', scope: "run" }] as const;

    expect(drawing(toMermaid(empty('a "title"\n---', nodes)))).toMatchInlineSnapshot(`
      "---
      title: "a \\"title\\"\\n---"
      ---
      flowchart TD
        resource_x[("#34;]#59; #60;b#62;#96;#35;1#96; #38; #92;")]:::resource
      "
    `);
  });

  it("cuts long names", () => {
    expect(toMermaid(jokes, { maxLabelLength: 4 })).toContain('step_recover[["rec*"]]');
    expect(toMermaid(jokes, { maxLabelLength: 4 })).toContain('event_Joke(["Joke"])');
  });

  it("refuses a length that is none", () => {
    expect(() => toMermaid(jokes, { maxLabelLength: 0 })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("toMermaid: a run", () => {
  const start = { id: 1, type: "StartEvent" };
  const joke = { id: 2, type: "Joke" };
  const ask = { id: 3, type: "Ask" };
  const answer = { id: 4, type: "Answer" };
  const attempt = (fields: Partial<AttemptTrace>): AttemptTrace => ({
    step: "write",
    item: 1,
    attempt: 1,
    status: "completed",
    startedAtMs: 0,
    elapsedMs: 12,
    accepted: [],
    emitted: [],
    ...fields,
  });
  const run: RunTrace = {
    workflow: "jokes",
    runId: "r1",
    status: "cancelled",
    startedAtMs: 0,
    endedAtMs: 2345,
    received: [start, answer],
    attempts: [
      attempt({ accepted: [start], status: "failed", elapsedMs: 3 }),
      attempt({ accepted: [start], attempt: 2, emitted: [joke] }),
      attempt({ step: "ask", item: 2, accepted: [joke], emitted: [ask] }),
      attempt({ step: "judge", item: 3, accepted: [answer], status: "cancelled", elapsedMs: null }),
    ],
  };

  it("draws each attempt with its time, retries after one another", () => {
    expect(drawing(toMermaid(jokes, { run }))).toMatchInlineSnapshot(`
      "---
      title: "jokes, run r1: cancelled after 2.3 s"
      ---
      flowchart TD
        outside(("outside")):::outside
        event_1(["StartEvent"]):::start
        event_4[\\"Answer"\\]:::external
        outside -.-> event_4
        attempt_1["write<br/>failed after 3 ms"]:::failed
        event_1 --> attempt_1
        attempt_2["write<br/>attempt 2, 12 ms"]:::step
        attempt_1 -.->|"again"| attempt_2
        event_2(["Joke"]):::event
        attempt_2 --> event_2
        attempt_3["ask<br/>12 ms"]:::step
        event_2 --> attempt_3
        event_3[/"Ask"/]:::prompt
        attempt_3 --> event_3
        attempt_4["judge<br/>cancelled"]:::open
        event_4 --> attempt_4
      "
    `);
  });
});
