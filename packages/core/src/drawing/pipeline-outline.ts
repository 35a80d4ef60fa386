/**
 * A pipeline as its author wrote it, in groups, without the core steps and events by which it runs.
 *
 * A pipeline enters each of its steps by an event with the place of the step in its name: `pipeline.enter 2.0 edit` enters the first
 * step of the third group. Places make a tree, groups have theirs as their id, and the tree shows which way the work goes. A nested
 * pipeline is a group with its own steps.
 *
 * @module
 */

import type { EventNode, GraphBranch, GraphEdge, GraphGroup, OutsideNode, ResourceNode, StepNode } from "./describe.js";

const entering = /^event:pipeline\.enter ([\d.]+) /;

/** Whether the graph is that of a pipeline. */
export function isPipelineGraph({ nodes, edges }: Pick<OutlineSource, "nodes" | "edges">): boolean {
  return nodes.some(isWritten) && edges.some(({ from }) => entering.test(from));
}

/** Whether the author of a pipeline wrote it. */
export function isWritten(node: OutlineSource["nodes"][number]): node is StepNode {
  return node.kind === "step" && node.executor != null;
}

/** @param graph Of a pipeline. */
function pipelineOutline(graph: OutlineSource): Outline {
  const events = graph.nodes.filter((node) => node.kind === "event");
  const begin = events.find(({ role }) => role === "start");
  const end = events.find(({ role }) => role === "stop");
  const drawn: Drawn = { name: graph.name, nodes: [], edges: [], groups: new Map() };
  if (begin) drawn.nodes.push(begin);
  const { first, last, past } = new Inside(graph, { children: graph.children ?? [], above: [], drawn }).draw(null);
  if (end) drawn.nodes.push({ ...end, label: "stop" });
  const starts = begin ? first.map((way) => flow(straight(begin.id), way)) : [];
  const stops = end ? last.map((way) => flow(way, straight(end.id))) : [];
  const none = begin && end && past !== null ? [flow({ step: begin.id, past }, straight(end.id))] : [];
  return { ...drawn, edges: [...starts, ...drawn.edges, ...stops, ...none], groups: [...drawn.groups.values()] };
}

interface Drawn {
  readonly name: string;
  readonly nodes: OutlineNode[];
  readonly edges: OutlineEdge[];
  /** By their ids. */
  readonly groups: Map<string, OutlineGroup & { readonly nodes: string[]; readonly branches: GraphBranch[] }>;
}

interface Around {
  /** Graphs of nested pipelines. */
  readonly children: readonly OutlineSource[];
  /** Steps of the enclosing pipelines that run this one, from the outside inwards. */
  readonly above: readonly string[];
  readonly drawn: Drawn;
}

/** Steps at which the work enters, and at which it leaves. */
interface Ends {
  readonly first: readonly Way[];
  readonly last: readonly Way[];
  /** Conditions that are skipped when the work takes none of these steps; `null` where it always takes one. */
  readonly past: readonly Skipped[] | null;
}

/** A step that the work enters or leaves. */
interface Way {
  /** Id of the node. */
  readonly step: string;
  /** The conditions between it and the other end. */
  readonly past: readonly Skipped[];
}

/** A condition of which the work takes the branch without steps. */
interface Skipped {
  /** Id of the group of the condition. */
  readonly group: string;
  /** Role of that branch. */
  readonly role: string;
}

interface OutlinePart {
  readonly path: string;
  /** `null` for a group that is entered by its first step. */
  readonly step: StepNode | null;
  readonly group: GraphGroup | null;
  readonly inside: readonly OutlinePart[];
}

/** Pipelines that are nested deeper are drawn as a step. */
const mostNested = 6;

/** Outline of the inside of one pipeline. */
class Inside {
  readonly #graph: OutlineSource;
  readonly #around: Around;
  readonly #drawn: Drawn;
  /** Prefix of the names of all steps and the ids of all groups. */
  readonly #prefix: string;

  constructor(graph: OutlineSource, around: Around) {
    this.#graph = graph;
    this.#around = around;
    this.#drawn = around.drawn;
    this.#prefix = around.above.map((step) => `${step}›`).join("");
  }

  draw(group: string | null): Ends {
    return this.#inOrder(placesOf(this.#graph), group);
  }

  #inOrder(places: readonly OutlinePart[], group: string | null): Ends {
    const ends = places.map((place) => this.#place(place, group)).filter(({ first }) => first.length > 0);
    const first: Way[] = [];
    let last: readonly Way[] = [];
    let past: readonly Skipped[] | null = [];
    for (const next of ends) {
      this.#join(last, next.first);
      if (past !== null) first.push(...goingPast(next.first, past));
      last = next.past === null ? next.last : [...goingPast(last, next.past), ...next.last];
      past = past === null || next.past === null ? null : [...past, ...next.past];
    }
    return { first, last, past: ends.length === 0 ? null : past };
  }

  /** A branch with a name is one step or group, which shows it; any other has a frame with its role. */
  #sideBySide({ group, inside }: OutlinePart, parent: string): Ends {
    const { kind, branches = [] } = group ?? {};
    const ends = branches.map(({ role, name, ...branch }, at) => {
      const own = inside.filter((place) => isIn(branch, place));
      if (own.length === 0) return { first: [], last: [], past: [{ group: parent, role }] };
      if (name === null) {
        const frame = branchFrame(parent, at, role);
        this.#drawn.groups.get(parent)?.branches.push(framedBranch(frame));
        return this.#frame(frame, (id) => this.#inOrder(own, id));
      }
      const drawn = this.#inOrder(own, parent);
      this.#drawn.groups.get(parent)?.branches.push({ role, name, ...this.#drawnAs(own) });
      return drawn;
    });
    const pasts = ends.map(({ past }) => past).filter((past) => past !== null);
    const isSkipped = kind === "parallel" ? pasts.length === ends.length : pasts.length > 0;
    return {
      first: ends.flatMap(({ first }) => first),
      last: ends.flatMap(({ last }) => last),
      past: isSkipped ? pasts.flat() : null,
    };
  }

  #drawnAs(places: readonly OutlinePart[]): Pick<GraphBranch, "nodes" | "groups"> {
    const groups = places.map(({ path }) => this.#prefix + path).filter((id) => this.#drawn.groups.has(id));
    const steps = places.flatMap(({ path, step }) =>
      step === null || groups.includes(this.#prefix + path) ? [] : [step],
    );
    return { nodes: steps.map(({ name }) => `step:${this.#prefix}${name}`), groups };
  }

  #place(place: OutlinePart, parent: string | null): Ends {
    const { step, group, inside } = place;
    if (inside.length > 0) return this.#group(place, parent, (id) => this.#containerOf(place, id));
    if (step === null) return { first: [], last: [], past: null };
    const nested = this.#around.children.find(({ name }) => name === group?.workflow);
    if (nested === undefined || !isPipelineGraph(nested) || this.#around.above.length >= mostNested)
      return this.#step(step, parent);
    const around = { ...this.#around, above: [...this.#around.above, step.name] };
    return this.#group(place, parent, (id) => new Inside(nested, around).draw(id));
  }

  #group({ path, step, group }: OutlinePart, parent: string | null, draw: (id: string) => Ends): Ends {
    const facts = {
      id: `${this.#prefix}${path}`,
      label: group?.label ?? step?.label ?? path,
      kind: group?.kind ?? "",
      parent,
      asks: step !== null && this.#asking(step).length > 0,
      enteredBy: null,
      workflow: group?.workflow ?? null,
      branches: [],
    };
    return this.#frame(facts, draw);
  }

  #frame(facts: Omit<OutlineGroup, "nodes">, draw: (id: string) => Ends): Ends {
    this.#drawn.groups.set(facts.id, { ...facts, nodes: [], branches: [] });
    return draw(facts.id);
  }

  #containerOf(place: OutlinePart, id: string): Ends {
    const { kind, branches = [] } = place.group ?? {};
    if (branches.length > 1) return this.#sideBySide(place, id);
    const ends = this.#inOrder(place.inside, id);
    if (kind === "loop") this.#join(ends.last, ends.first, "again");
    return kind === "condition" ? { ...ends, past: [{ group: id, role: "else" }] } : ends;
  }

  #step(step: StepNode, group: string | null): Ends {
    const covers = this.#asking(step).map(({ name }) => this.#prefix + name);
    const name = this.#prefix + step.name;
    const id = `step:${name}`;
    this.#add({ ...step, id, name, levels: [[]], covers }, group);
    if (covers.length > 0) {
      const person = `human:${name}`;
      this.#add({ kind: "outside", id: person, name: "a person", askedBy: name }, group);
      this.#drawn.edges.push({ kind: "asks", from: id, to: person });
    }
    return { first: [straight(id)], last: [straight(id)], past: null };
  }

  #add(node: OutlineNode, group: string | null): void {
    this.#drawn.nodes.push(node);
    if (group !== null) this.#drawn.groups.get(group)?.nodes.push(node.id);
  }

  /** Steps that ask people for this one. */
  #asking(step: StepNode): readonly StepNode[] {
    return stepsOf(this.#graph).filter(({ worksFor, label }) => worksFor === step.id && label.endsWith(": ask"));
  }

  #join(from: readonly Way[], to: readonly Way[], label?: string): void {
    for (const one of from)
      for (const next of to) this.#drawn.edges.push({ ...flow(one, next), ...(label !== undefined && { label }) });
  }
}

function isIn({ nodes, groups }: Pick<GraphBranch, "nodes" | "groups">, { path, step }: OutlinePart): boolean {
  return groups.includes(path) || (step !== null && nodes.includes(step.id));
}

function straight(step: string): Way {
  return { step, past: [] };
}

function goingPast(ways: readonly Way[], conditions: readonly Skipped[]): readonly Way[] {
  return ways.map(({ step, past }) => ({ step, past: [...past, ...conditions] }));
}

function flow(from: Way, to: Way): OutlineEdge {
  const skipped = [...from.past, ...to.past];
  const label = [...new Set(skipped.map(({ role }) => role))].join(", ");
  const past = skipped.map(({ group }) => group);
  return { kind: "flow", from: from.step, to: to.step, ...(past.length > 0 && { label, past }) };
}

function stepsOf({ nodes }: OutlineSource): readonly StepNode[] {
  return nodes.filter((node) => node.kind === "step");
}

function placesOf(graph: OutlineSource): readonly OutlinePart[] {
  const steps = new Map(stepsOf(graph).map((node) => [node.id, node]));
  const entered = new Map<string, StepNode>();
  for (const { kind, from, to } of graph.edges) {
    const path = kind === "accepts" ? entering.exec(from)?.[1] : undefined;
    const step = steps.get(to);
    if (path !== undefined && step !== undefined) entered.set(path, step);
  }
  const groups = new Map(graph.groups.map((group) => [group.id, group]));
  const paths = [...new Set([...entered.keys(), ...groups.keys()])];
  const below = (parent: string): readonly OutlinePart[] =>
    paths
      .filter((path) => parentOf(path) === parent)
      .sort((a, b) => lastOf(a) - lastOf(b))
      .map((path) => {
        return { path, step: entered.get(path) ?? null, group: groups.get(path) ?? null, inside: below(path) };
      });
  return below("");
}

const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const lastOf = (path: string): number => Number(path.split(".").at(-1));

// ---- what drawings show of a workflow: Mermaid, SVG, HTML and the studio all draw this

/**
 * The steps, events and groups that a drawing of the workflow shows. Of a pipeline these are the steps and groups that its author
 * wrote, those of nested pipelines included, in the order of the work. Any other workflow has all its nodes, and a group for each
 * branch that is called by its role, such as "then" and "else".
 *
 * @example
 * outlineOf(describeWorkflow(pipeline.workflow)).groups.map(titleOfGroup); // [ 'Condition · is it long?', 'then', 'else' ]
 */
export function outlineOf(source: OutlineSource): Outline {
  return isPipelineGraph(source) ? pipelineOutline(source) : { ...source, groups: frameBranches(source.groups) };
}

/** The title of a group in a drawing: `Loop · polish`, and `then` for a branch. */
export function titleOfGroup({ kind, label, asks }: Pick<OutlineGroup, "kind" | "label" | "asks">): string {
  const words = kind === "" || kind === "branch" ? label : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} · ${label}`;
  return asks ? `${words} · asks a person` : words;
}

/**
 * Pairs of branches that stand next to each other, in the order in which they were written: "then" on the left of "else", and the
 * branches of a parallel as they are listed.
 *
 * @param groups Of an outline.
 * @param idOf The id that the drawing uses for a group. @default that of the outline
 */
export function branchOrder(
  groups: readonly Pick<OutlineGroup, "branches">[],
  idOf: (group: string) => string = (group) => group,
): LeftOf[] {
  return groups.flatMap(({ branches }) => {
    const ids = branches.flatMap(
      ({ nodes: [node], groups: [group] }) => node ?? (group === undefined ? [] : idOf(group)),
    );
    return ids.slice(1).map((right, at) => ({ left: ids[at] as string, right }));
  });
}

/** Ids of two nodes or groups. */
export interface LeftOf {
  readonly left: string;
  readonly right: string;
}

/** Source of an outline: a `WorkflowDescription`, or the graph that a server returns. */
export interface OutlineSource {
  readonly name: string;
  readonly nodes: readonly (StepNode | EventNode | ResourceNode | OutsideNode)[];
  readonly edges: readonly GraphEdge[];
  readonly groups: readonly GraphGroup[];
  /** Workflows that run as children, at any depth. @default none */
  readonly children?: readonly OutlineSource[];
}

/** A workflow as drawings show it. */
export interface Outline {
  readonly name: string;
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly OutlineEdge[];
  /** Outer groups before inner ones. */
  readonly groups: readonly OutlineGroup[];
}

export type OutlineNode = OutlineStep | OutlinePerson | EventNode | ResourceNode;

/** A step. One in a nested pipeline has a name of the form `outer step›step`. */
export interface OutlineStep extends StepNode {
  /** Names of the steps that work for this one and are not drawn, such as the step that asks people. @default none */
  readonly covers?: readonly string[];
}

/** Whoever answers prompts and sends events. */
export interface OutlinePerson extends OutsideNode {
  /** Name of the step that asks, if there is only one. */
  readonly askedBy?: string;
}

export interface OutlineEdge extends GraphEdge {
  /**
   * Ids of the groups that the work skips on this edge: conditions of which it takes the branch without steps, which `label` names.
   * @default none
   */
  readonly past?: readonly string[];
}

/** Steps that belong together. `branches` has ids of the outline. The `kind` of a branch that is labelled with its role is `"branch"`. */
export interface OutlineGroup extends GraphGroup {
  /** Whether people are asked about the group as a whole. @default false */
  readonly asks?: boolean;
}

/**
 * The same groups with one for each branch on which a drawing writes its role, such as "then" and "else": whoever draws groups
 * draws these, too. A branch that is alone, or has a name, needs no frame.
 */
export function frameBranches(groups: readonly GraphGroup[]): readonly GraphGroup[] {
  const framed = groups.map((group) => ({ group, frames: framesOf(group) }));
  const parents = new Map(
    framed.flatMap(({ frames }) => frames.flatMap(({ id, inside }) => inside.map((group) => [group, id] as const))),
  );
  return framed.flatMap(({ group, frames }): GraphGroup[] => {
    const taken = new Set(frames.flatMap(({ nodes }) => nodes));
    const nodes = group.nodes.filter((node) => !taken.has(node));
    const branches = frames.length === 0 ? group.branches : frames.map(framedBranch);
    const own = { ...group, nodes, branches, parent: parents.get(group.id) ?? group.parent };
    return [own, ...frames.map(({ inside: _, ...frame }) => frame)];
  });
}

interface BranchFrame extends GraphGroup {
  /** Ids of the groups in it. */
  readonly inside: GraphBranch["groups"];
}

function framesOf({ id: parent, branches }: GraphGroup): BranchFrame[] {
  if (branches.length < 2) return [];
  return branches.flatMap(({ role, name, nodes, groups: inside }, at) =>
    name === null ? [{ ...branchFrame(parent, at, role), nodes, inside }] : [],
  );
}

/** The group of the branch at the place `at` of the group `parent`, without nodes. */
function branchFrame(parent: string, at: number, role: string): GraphGroup {
  const none = { nodes: [], enteredBy: null, workflow: null, branches: [] };
  return { ...none, id: `${parent}:${at}`, label: role, kind: "branch", parent };
}

/** A branch as the group around it has it in an outline: its frame. */
function framedBranch({ id, label: role }: Pick<GraphGroup, "id" | "label">): GraphBranch {
  return { role, name: null, nodes: [], groups: [id] };
}
