/**
 * Describes a workflow as plain data, for drawings, docs and tools. Contains names only: no paths, values or code.
 *
 * @module
 */

import type { Workflow } from "../authoring/workflow.types.js";
import { compiledChild, familyOf } from "../compile/child.js";
import { type CompiledWorkflow, compileWorkflow } from "../compile/compile.js";
import type { StepExecutor } from "../compile/options.js";
import type { Definition, StepDefinition, TriggerDefinition } from "../engine/definition.js";
import { createRouting, isExternal } from "../engine/routing.js";
import type { EventRole } from "../event/event.js";
import { flowOf, levelsOf } from "../graph/levels.js";
import type { Needed, ResourceDefinition, ResourceScope } from "../resource/resource.js";

/** A workflow as JSON data: its nodes and edges. */
export interface WorkflowDescription {
  readonly name: string;
  /** The routing table of the engine. */
  readonly routing: Definition;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Steps that belong together, from the outside inwards. */
  readonly groups: readonly GraphGroup[];
  /** Workflows that run as its children, at any depth, each once. Their `children` are empty. */
  readonly children: readonly WorkflowDescription[];
}

/** Steps that a drawing shows together: the option `groups` of the workflow. */
export interface GraphGroup {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  /** Id of the group around it. */
  readonly parent: string | null;
  /** Ids of nodes, without those of the groups inside. */
  readonly nodes: readonly string[];
  /** Id of the step that enters the group, and does not belong to what it does inside. */
  readonly enteredBy: string | null;
  /** Name of the workflow that the group runs as a child: one of `children`. */
  readonly workflow: string | null;
  /** Branches that run at the same time, or instead of each other. Empty if its parts run one after the other. */
  readonly branches: readonly GraphBranch[];
}

/** A branch of a group. */
export interface GraphBranch {
  /** Role in its group: `"then"`, `"else"`, `"choice"`, `"branch"` of a parallel, or a word of the workflow. */
  readonly role: string;
  /** Label of its only step or group. `null` without a label: a drawing writes the role on it. */
  readonly name: string | null;
  /** Ids of those nodes of the group that are in it. */
  readonly nodes: readonly string[];
  /** Ids of the groups in it. */
  readonly groups: readonly string[];
}

export type GraphNode = StepNode | EventNode | ResourceNode | OutsideNode;

export interface StepNode {
  readonly kind: "step";
  readonly id: string;
  readonly name: string;
  /** Shown name: the name, unless the workflow has a note of the step. */
  readonly label: string;
  readonly trigger: TriggerDefinition["kind"];
  /**
   * The fan-outs around the step, from the outside inwards, by the steps that open them: `[[]]` outside of all
   * fan-outs. Several lists when the step is reached in several ways, at most 32. A fan-out that contains itself is
   * listed once.
   */
  readonly levels: readonly (readonly string[])[];
  /** Number of its items that run at once. */
  readonly workers: number;
  /** Whether it is tried again when it fails. */
  readonly retry: boolean;
  /** Executor of its work, if the workflow has a note of it; in a pipeline, every step that its author wrote has one. */
  readonly executor: StepExecutor | null;
  /** Id of the step for which this one works: it asks people, or gathers branches. */
  readonly worksFor: string | null;
}
export interface EventNode {
  readonly kind: "event";
  readonly id: string;
  readonly name: string;
  /** Shown name: the type, unless the workflow has a label for the event. */
  readonly label: string;
  readonly role: EventRole;
}
export interface ResourceNode {
  readonly kind: "resource";
  readonly id: string;
  readonly name: string;
  readonly scope: ResourceScope;
}
/** Whoever answers prompts and sends events. */
export interface OutsideNode {
  readonly kind: "outside";
  readonly id: string;
  readonly name: string;
}

/**
 * - `accepts`, `waits`: from an event to a step. The label of `accepts` is the slot of a join.
 * - `emits`, `streams`: from a step to an event. The label of `emits` is "many" for an element of the step's fan-out.
 * - `fails`: from a step to its error handler.
 * - `needs`: from a step or resource to a resource. The label is the name under which it is used.
 * - `asks`, `answers`: from a prompt to the outside, and from there to an event.
 * - `flow`: in the outline of a pipeline, from a step to the next one. There `asks` is from a step to a person.
 */
export type EdgeKind = "accepts" | "waits" | "emits" | "streams" | "fails" | "needs" | "asks" | "answers" | "flow";

/** An edge between two nodes. */
export interface GraphEdge {
  readonly kind: EdgeKind;
  /** Id of a node. */
  readonly from: string;
  /** Id of a node. */
  readonly to: string;
  readonly label?: string;
}

/**
 * The graph of a workflow as JSON data. Ids stay the same as long as the names do.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` naming every problem.
 */
export function describeWorkflow(workflow: Workflow): WorkflowDescription {
  const root = compileWorkflow(workflow);
  const [, ...children] = [...familyOf(root)].map((member) => ({ ...describe(member), children: [] }));
  return { ...describe(root), children };
}

function describe(compiled: CompiledWorkflow): Omit<WorkflowDescription, "children"> {
  const { name, definition, steps, options } = compiled;
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const flow = flowOf(definition);
  for (const step of definition.steps) {
    const levels = levelsOf(flow, step.name);
    const { label = step.name, executor = null, worksFor } = options.stepNotes[step.name] ?? {};
    nodes.push({
      kind: "step",
      id: `step:${step.name}`,
      name: step.name,
      label,
      trigger: step.trigger.kind,
      levels,
      workers: step.workers,
      retry: steps.get(step.name)?.retry != null,
      executor: structuredClone(executor),
      worksFor: worksFor === undefined ? null : `step:${worksFor}`,
    });
    edges.push(...edgesOf(step));
  }
  for (const [step, { name: handler }] of createRouting(definition).handlers) {
    edges.push({ kind: "fails", from: `step:${step}`, to: `step:${handler}` });
  }
  addEvents(compiled, nodes, edges);
  addResources(steps, nodes, edges);
  return { name, routing: structuredClone(definition), nodes, edges, groups: groupsOf(compiled) };
}

/** Returns the groups, without steps and children that the workflow does not have. */
function groupsOf(compiled: CompiledWorkflow): GraphGroup[] {
  const { options, steps, children } = compiled;
  const idOf = (step: string | undefined): string[] => (step !== undefined && steps.has(step) ? [`step:${step}`] : []);
  return options.groups.map(({ id, label, kind, parent, steps: inside, enteredBy, child, branches = [] }) => ({
    id,
    label,
    kind,
    parent,
    nodes: inside.flatMap(idOf),
    enteredBy: idOf(enteredBy)[0] ?? null,
    workflow: child !== undefined && children.has(child) ? compiledChild(compiled, child, "A group").name : null,
    branches: branches.map(({ role, name = null, steps, groups = [] }) => ({
      role,
      name,
      nodes: steps.flatMap(idOf),
      groups: [...groups],
    })),
  }));
}

function edgesOf({ name, trigger, emits, fanOut, waits, streams }: StepDefinition): GraphEdge[] {
  const id = `step:${name}`;
  const accepted: GraphEdge[] = [];
  if (trigger.kind === "join") {
    for (const slot of trigger.slots)
      for (const type of slot.accepts)
        accepted.push({ kind: "accepts", from: `event:${type}`, to: id, label: slot.name });
  } else if (trigger.kind !== "failure") {
    for (const type of trigger.accepts) accepted.push({ kind: "accepts", from: `event:${type}`, to: id });
  }
  return [
    ...accepted,
    ...waits.map((type): GraphEdge => ({ kind: "waits", from: `event:${type}`, to: id })),
    ...emits.map((type): GraphEdge => {
      const edge = { kind: "emits", from: id, to: `event:${type}` } as const;
      return fanOut?.elements.includes(type) ? { ...edge, label: "many" } : edge;
    }),
    ...streams.map((type): GraphEdge => ({ kind: "streams", from: id, to: `event:${type}` })),
  ];
}

function addEvents({ definition, options }: CompiledWorkflow, nodes: GraphNode[], edges: GraphEdge[]): void {
  const outside: GraphEdge[] = [];
  for (const [type, role] of Object.entries(definition.roles)) {
    const id = `event:${type}`;
    nodes.push({ kind: "event", id, name: type, label: options.eventLabels[type] ?? type, role });
    if (role === "inputRequired") outside.push({ kind: "asks", from: id, to: "outside" });
    if (isExternal(role)) outside.push({ kind: "answers", from: "outside", to: id });
  }
  if (outside.length > 0) nodes.push({ kind: "outside", id: "outside", name: "outside" });
  edges.push(...outside);
}

/** Resources with equal names are distinguished by identity. */
function addResources(steps: CompiledWorkflow["steps"], nodes: GraphNode[], edges: GraphEdge[]): void {
  const ids = new Map<ResourceDefinition, string>();
  const taken = new Set<string>();
  for (const [step, { resources }] of steps) need(`step:${step}`, Object.entries(resources ?? {}) as unknown as Needed);

  function need(from: string, needs: Needed): void {
    for (const [label, resource] of needs) edges.push({ kind: "needs", from, to: idOf(resource), label });
  }

  function idOf(resource: ResourceDefinition): string {
    const known = ids.get(resource);
    if (known !== undefined) return known;
    const { name, scope } = resource;
    let id = `resource:${name}`;
    for (let count = 2; taken.has(id); count++) id = `resource:${name}#${count}`;
    ids.set(resource, id);
    taken.add(id);
    nodes.push({ kind: "resource", id, name, scope });
    need(id, resource.needs);
    return id;
  }
}
