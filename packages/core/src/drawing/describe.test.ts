import { describe, expect, it } from "vitest";
import { HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "../event/built-in-events.js";
import { event } from "../event/event.js";
import { resource } from "../resource/resource.js";
import { catchError, join, many, step } from "../step/step.js";
import { defineWorkflow, Workflow } from "../workflow/workflow.js";
import { describeWorkflow } from "./describe.js";

class Order extends event("Order") {}
class Payment extends event("Payment") {}
class Shipped extends event("Shipped") {}
class Confirm extends InputRequiredEvent.define("Confirm") {}
class Confirmed extends HumanResponseEvent.define("Confirmed") {}

const settings = resource("settings", () => ({ secret: "do not tell" }), { scope: "app" });
const database = resource("database", () => "a database", { resources: { settings } });
const otherDatabase = resource("database", () => "another database", { scope: "run" });

class Shop extends Workflow {
  @step({ on: StartEvent, emits: many(Order, Payment), resources: { db: database } })
  begin() {
    return [new Order(), new Payment()];
  }

  @step({
    on: join({ order: Order, payment: Payment }),
    emits: Shipped,
    waits: Confirmed,
    streams: Confirm,
    resources: { db: otherDatabase, main: database },
  })
  ship() {
    return new Shipped();
  }

  @step({ on: Shipped, emits: StopEvent })
  end() {
    return new StopEvent({ result: null });
  }

  @catchError({ steps: ["ship"], emits: StopEvent })
  recover() {
    return new StopEvent({ result: null });
  }
}

function stepNode({ name, ...more }: { readonly name: string; readonly [more: string]: unknown }) {
  const facts = { levels: [["begin"]], workers: 4, retry: false, executor: null, worksFor: null };
  return { kind: "step", id: `step:${name}`, name, label: name, ...facts, ...more };
}

const end = (): StopEvent => new StopEvent({ result: null });

describe("describeWorkflow", () => {
  const description = describeWorkflow(new Shop());

  it("returns steps, events and resources as nodes", () => {
    expect(description.name).toBe("Shop");
    expect(description.nodes).toEqual([
      stepNode({ name: "begin", trigger: "event", levels: [[]] }),
      stepNode({ name: "ship", trigger: "join" }),
      stepNode({ name: "end", trigger: "event" }),
      stepNode({ name: "recover", trigger: "failure", workers: 1 }),
      ...[
        ["StartEvent", "start"],
        ["Order", "event"],
        ["Payment", "event"],
        ["Shipped", "event"],
        ["Confirmed", "humanResponse"],
        ["Confirm", "inputRequired"],
        ["StopEvent", "stop"],
      ].map(([name, role]) => ({ kind: "event", id: `event:${name}`, name, label: name, role })),
      { kind: "outside", id: "outside", name: "outside" },
      { kind: "resource", id: "resource:database", name: "database", scope: "workflow" },
      { kind: "resource", id: "resource:settings", name: "settings", scope: "app" },
      { kind: "resource", id: "resource:database#2", name: "database", scope: "run" },
    ]);
  });

  it("returns the groups of the workflow, with the steps that there are", () => {
    const groups = [
      { id: "0", label: "All", kind: "steps", parent: null, steps: ["begin", "gone"] },
      { id: "0.1", label: "Ends", kind: "loop", parent: "0", steps: ["ship", "end"] },
    ];

    const rest = { enteredBy: null, workflow: null, branches: [] };
    expect(describeWorkflow(new Shop({ groups })).groups).toEqual([
      { id: "0", label: "All", kind: "steps", parent: null, nodes: ["step:begin"], ...rest },
      { id: "0.1", label: "Ends", kind: "loop", parent: "0", nodes: ["step:ship", "step:end"], ...rest },
    ]);
    expect(description.groups).toEqual([]);
  });

  it("returns the branches of a group, with the steps that there are", () => {
    const branches = [
      { role: "then", steps: ["begin", "gone"], groups: ["1"] },
      { role: "choice", name: "Ends", steps: ["ship"] },
    ];
    const group = { id: "0", label: "Fork", kind: "condition", parent: null, steps: ["begin", "ship"], branches };

    expect(describeWorkflow(new Shop({ groups: [group] })).groups[0]?.branches).toEqual([
      { role: "then", name: null, nodes: ["step:begin"], groups: ["1"] },
      { role: "choice", name: "Ends", nodes: ["step:ship"], groups: [] },
    ]);
  });

  it("returns the labels of events, and their types where they have none", () => {
    const { nodes } = describeWorkflow(new Shop({ eventLabels: { StopEvent: "all is sent", Gone: "gone" } }));
    const labels = nodes.flatMap((node) => (node.kind === "event" ? [[node.name, node.label]] : []));

    expect(labels).toContainEqual(["StopEvent", "all is sent"]);
    expect(labels.filter(([name, label]) => name !== label)).toHaveLength(1);
  });

  it("returns what the workflow notes of its steps", () => {
    const executor = { kind: "team", name: "Crew", members: [{ kind: "agent", name: "Packer" }] };
    const stepNotes = { ship: { label: "Ship it", executor }, end: { worksFor: "ship" }, gone: { label: "Gone" } };
    const { nodes } = describeWorkflow(new Shop({ stepNotes }));

    expect(nodes.filter(({ kind }) => kind === "step")).toMatchObject([
      { id: "step:begin", label: "begin", executor: null, worksFor: null },
      { id: "step:ship", name: "ship", label: "Ship it", executor, worksFor: null },
      { id: "step:end", label: "end", executor: null, worksFor: "step:ship" },
      { id: "step:recover", label: "recover" },
    ]);
  });

  it("returns the workflows that run as children, each once, also of children", () => {
    const nap = defineWorkflow("nap").step("sleep", { on: StartEvent, emits: StopEvent }, end).build();
    const dream = { id: "0", label: "Dream", kind: "workflow", parent: null, steps: ["dive"] };
    const night = defineWorkflow("night", { children: { rest: nap } })
      .step("dive", { on: StartEvent, emits: StopEvent }, end)
      .build({ groups: [{ ...dream, enteredBy: "dive", child: "rest" }] });
    const day = defineWorkflow("day", { children: { night, nap } })
      .step("live", { on: StartEvent, emits: StopEvent }, end)
      .build({ groups: [{ ...dream, enteredBy: "gone", child: "gone" }] });

    const { children, groups } = describeWorkflow(day);

    expect(children.map(({ name, children: inner }) => [name, inner])).toEqual([
      ["night", []],
      ["nap", []],
    ]);
    expect(children[0]?.groups).toMatchObject([{ enteredBy: "step:dive", workflow: "nap" }]);
    expect(children[1]?.nodes).toContainEqual(expect.objectContaining({ id: "step:sleep" }));
    expect(groups).toMatchObject([{ enteredBy: null, workflow: null }]);
  });

  it("returns how they are connected as edges", () => {
    expect(
      description.edges.map(({ kind, from, to, label }) => `${from} ${kind} ${to}${label ? ` (${label})` : ""}`),
    ).toEqual([
      "event:StartEvent accepts step:begin",
      "step:begin emits event:Order (many)",
      "step:begin emits event:Payment (many)",
      "event:Order accepts step:ship (order)",
      "event:Payment accepts step:ship (payment)",
      "event:Confirmed waits step:ship",
      "step:ship emits event:Shipped",
      "step:ship streams event:Confirm",
      "event:Shipped accepts step:end",
      "step:end emits event:StopEvent",
      "step:recover emits event:StopEvent",
      "step:ship fails step:recover",
      "outside answers event:Confirmed",
      "event:Confirm asks outside",
      "resource:database needs resource:settings (settings)",
      "step:begin needs resource:database (db)",
      "step:ship needs resource:database#2 (db)",
      "step:ship needs resource:database (main)",
    ]);
  });

  it("has an end to every edge", () => {
    const ids = new Set(description.nodes.map((node) => node.id));

    expect(description.edges.filter((edge) => !ids.has(edge.from) || !ids.has(edge.to))).toEqual([]);
  });

  it("is plain JSON data, the routing table included, that nothing else references", () => {
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    expect(description.routing.steps.map((described) => described.name)).toEqual(["begin", "ship", "end", "recover"]);
    expect(describeWorkflow(new Shop()).routing).not.toBe(description.routing);
  });

  it("refuses an invalid workflow", () => {
    class Broken extends Workflow {
      @step({ on: StartEvent, emits: Order })
      begin() {
        return new Order();
      }
    }

    expect(() => describeWorkflow(new Broken())).toThrow(expect.objectContaining({ code: "WORKFLOW_INVALID" }));
  });
});
