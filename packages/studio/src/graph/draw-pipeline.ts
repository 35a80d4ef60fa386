/**
 * What is drawn of a pipeline: what its author wrote, in groups, and not the steps and events by which it runs.
 *
 * A pipeline enters each of its steps by an event with the place of the step in its name: `pipeline.enter 2.0 edit` enters the first
 * step of the third group. Places make a tree, groups have theirs as their id, and the tree shows which way the work goes. A nested
 * pipeline is drawn in its group, with its own steps.
 *
 * @module
 */

import { pill, plain, stepNode } from "./draw-node.js";
import type { Drawing, DrawnEdge, DrawnGroup, DrawnNode } from "./drawing.types.js";
import type { GraphBranch, GraphGroup, GraphNode, WorkflowGraphData } from "./graph-data.types.js";

const entering = /^event:pipeline\.enter ([\d.]+) /;

export function isPipeline({ nodes, edges }: WorkflowGraphData): boolean {
  return nodes.some(({ executor }) => executor != null) && edges.some(({ from }) => entering.test(from));
}

/** `null` for a workflow that is not a pipeline. */
export function pipelineDrawingOf(graph: WorkflowGraphData): Drawing | null {
  if (!isPipeline(graph)) return null;
  const drawn: Drawn = { nodes: [], edges: [], groups: [] };
  const { first, last } = new PipelineDrawing(graph, { children: graph.children ?? [], above: [], drawn }).draw(null);
  const begin = graph.nodes.find(({ role }) => role === "start");
  const end = graph.nodes.find(({ role }) => role === "stop");
  if (begin) drawn.nodes.push(pill(begin, "start"));
  if (end) drawn.nodes.push(pill(end, "stop"));
  if (begin) for (const step of first) drawn.edges.push(flow(begin.id, step));
  if (end) for (const step of last) drawn.edges.push(flow(step, end.id));
  return drawn;
}

interface Drawn extends Drawing {
  readonly nodes: DrawnNode[];
  readonly edges: DrawnEdge[];
  readonly groups: DrawnGroup[];
}

interface Around {
  /** Graphs of nested pipelines. */
  readonly children: readonly WorkflowGraphData[];
  /** Steps of the pipelines around it that run it, from the outside inwards. */
  readonly above: readonly string[];
  readonly drawn: Drawn;
}

/** Where the work comes in, and where it leaves. */
interface Ends {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

interface Place {
  readonly path: string;
  /** `null`: a group that is entered by its first step. */
  readonly step: GraphNode | null;
  readonly group: GraphGroup | null;
  readonly inside: readonly Place[];
}

class PipelineDrawing {
  readonly #graph: WorkflowGraphData;
  readonly #around: Around;
  readonly #drawn: Drawn;
  /** Before the ids of everything that is drawn. */
  readonly #prefix: string;

  constructor(graph: WorkflowGraphData, around: Around) {
    this.#graph = graph;
    this.#around = around;
    this.#drawn = around.drawn;
    this.#prefix = around.above.map((step) => `${step}›`).join("");
  }

  draw(group: string | null): Ends {
    return this.#inOrder(placesOf(this.#graph), group);
  }

  #inOrder(places: readonly Place[], group: string | null): Ends {
    const ends = places.map((place) => this.#place(place, group));
    for (const [index, { first }] of ends.entries())
      for (const from of ends[index - 1]?.last ?? []) for (const to of first) this.#join(from, to);
    return { first: ends[0]?.first ?? [], last: ends.at(-1)?.last ?? [] };
  }

  /** A branch with a name is one step or group, which shows it; on any other its role is written. */
  #sideBySide(branches: readonly GraphBranch[], places: readonly Place[], group: string): Ends {
    const ends = branches.map((branch, at) => {
      const own = places.filter((place) => isIn(branch, place));
      if (branch.name !== null) return this.#inOrder(own, group);
      const frame = { id: `${group}:${at}`, label: branch.role, kind: "", parent: group, asks: false };
      return this.#frame(frame, (id) => this.#inOrder(own, id));
    });
    return { first: ends.flatMap(({ first }) => first), last: ends.flatMap(({ last }) => last) };
  }

  #place(place: Place, parent: string | null): Ends {
    const { step, group, inside } = place;
    if (inside.length > 0) return this.#group(place, parent, (id) => this.#inside(place, id));
    const nested = this.#around.children.find(({ name }) => name === group?.workflow);
    if (nested === undefined || !isPipeline(nested) || step === null || this.#around.above.length >= mostNested)
      return step === null ? { first: [], last: [] } : this.#step(step, parent);
    const around = { ...this.#around, above: [...this.#around.above, step.name] };
    return this.#group(place, parent, (id) => new PipelineDrawing(nested, around).draw(id));
  }

  #group({ path, step, group }: Place, parent: string | null, draw: (id: string) => Ends): Ends {
    const asks = step !== null && this.#asking(step).length > 0;
    const label = group?.label ?? step?.label ?? path;
    return this.#frame({ id: `group:${this.#prefix}${path}`, label, kind: group?.kind ?? "", parent, asks }, draw);
  }

  #frame(facts: Omit<DrawnGroup, "nodes" | "steps">, draw: (id: string) => Ends): Ends {
    const { id } = facts;
    const at = this.#drawn.groups.push({ ...facts, nodes: [], steps: [] }) - 1;
    const ends = draw(id);
    const own = this.#drawn.nodes.filter((node) => node.group === id);
    const steps = own.flatMap(({ kind, key }) => (kind === "step" ? [key] : []));
    this.#drawn.groups[at] = { ...facts, nodes: own.map((node) => node.id), steps };
    return ends;
  }

  #inside({ group, inside }: Place, id: string): Ends {
    const { kind, branches = [] } = group ?? {};
    if (branches.length > 1) return this.#sideBySide(branches, inside, id);
    const ends = this.#inOrder(inside, id);
    if (kind === "loop") for (const from of ends.last) for (const to of ends.first) this.#join(from, to);
    return ends;
  }

  #step(step: GraphNode, group: string | null): Ends {
    const covers = this.#asking(step).map(({ name }) => this.#prefix + name);
    const id = `step:${this.#prefix}${step.name}`;
    const key = this.#prefix + step.name;
    this.#drawn.nodes.push({ ...stepNode(step, []), id, key, depth: 0, covers, group });
    if (covers.length > 0) {
      const person = `human:${key}`;
      const box = { width: 104, height: 34, name: "a person", label: "a person", key: person };
      this.#drawn.nodes.push({ ...plain, ...box, id: person, kind: "human", askedBy: key, covers, group });
      this.#drawn.edges.push({ id: `asks ${id} ${person}`, kind: "asks", from: id, to: person });
    }
    return { first: [id], last: [id] };
  }

  /** Steps that ask people for this one. */
  #asking(step: GraphNode): readonly GraphNode[] {
    return this.#graph.nodes.filter(({ worksFor, label = "" }) => worksFor === step.id && label.endsWith(": ask"));
  }

  #join(from: string, to: string): void {
    this.#drawn.edges.push(flow(from, to));
  }
}

function isIn({ nodes, groups }: GraphBranch, { path, step }: Place): boolean {
  return groups.includes(path) || (step !== null && nodes.includes(step.id));
}

/** Deeper ones are drawn as a step. */
const mostNested = 6;

function flow(from: string, to: string): DrawnEdge {
  return { id: `flow ${from} ${to}`, kind: "flow", from, to };
}

function placesOf({ nodes, edges, groups = [] }: WorkflowGraphData): readonly Place[] {
  const steps = new Map(nodes.filter(({ kind }) => kind === "step").map((node) => [node.id, node]));
  const entered = new Map<string, GraphNode>();
  for (const { kind, from, to } of edges) {
    const path = kind === "accepts" ? entering.exec(from)?.[1] : undefined;
    const step = steps.get(to);
    if (path !== undefined && step !== undefined) entered.set(path, step);
  }
  const byId = new Map(groups.map((group) => [group.id, group]));
  const paths = [...new Set([...entered.keys(), ...byId.keys()])];
  const below = (parent: string): readonly Place[] =>
    paths
      .filter((path) => parentOf(path) === parent)
      .sort((a, b) => lastOf(a) - lastOf(b))
      .map((path) => {
        return { path, step: entered.get(path) ?? null, group: byId.get(path) ?? null, inside: below(path) };
      });
  return below("");
}

const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const lastOf = (path: string): number => Number(path.split(".").at(-1));
