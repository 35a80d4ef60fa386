/**
 * What is drawn of a pipeline: its steps in their groups, and not the steps and events by which it runs them.
 *
 * A pipeline enters each of its steps by an event with the place of the step in its name: `pipeline.enter 2.0 edit` enters the first
 * step of the third group. Places make a tree, and the tree says which way the work goes.
 *
 * @module
 */
import type { GraphGroup, GraphNode, WorkflowGraphData } from "../api/contract.types.js";
import { pill, plain, stepNode } from "./draw-node.js";
import type { Drawing, DrawnEdge, DrawnGroup, DrawnNode } from "./drawing.types.js";

interface Place {
  readonly path: string;
  readonly step: GraphNode;
  readonly inside: readonly Place[];
}

/** `null` for a workflow that is no pipeline. */
export function pipelineDrawingOf(graph: WorkflowGraphData): Drawing | null {
  const places = placesOf(graph);
  if (places.length === 0) return null;
  return new PipelineDrawing(graph).draw(places);
}

const entering = /^event:pipeline\.enter ([\d.]+) /;

function placesOf({ nodes, edges }: WorkflowGraphData): readonly Place[] {
  const steps = new Map(nodes.filter(({ kind }) => kind === "step").map((node) => [node.id, node]));
  const entered = edges.flatMap(({ kind, from, to }) => {
    const path = kind === "accepts" ? entering.exec(from)?.[1] : undefined;
    const step = steps.get(to);
    return path === undefined || step === undefined ? [] : [{ path, step }];
  });
  const below = (parent: string): readonly Place[] =>
    entered
      .filter(({ path }) => parentOf(path) === parent)
      .sort((a, b) => lastOf(a.path) - lastOf(b.path))
      .map(({ path, step }) => ({ path, step, inside: below(path) }));
  return below("");
}

const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const lastOf = (path: string): number => Number(path.split(".").at(-1));

/** Where the work comes in, and where it leaves. */
interface Ends {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

class PipelineDrawing {
  readonly #graph: WorkflowGraphData;
  /** "from to" of steps that enter others, whatever is between them. */
  readonly #enters: ReadonlySet<string>;
  readonly #nodes: DrawnNode[] = [];
  readonly #edges: DrawnEdge[] = [];
  readonly #groups: DrawnGroup[] = [];

  constructor(graph: WorkflowGraphData) {
    this.#graph = graph;
    this.#enters = new Set(
      graph.edges.flatMap(({ kind, from, to }) =>
        kind === "emits" && entering.test(to) ? [`${from} ${entering.exec(to)?.[1]}`] : [],
      ),
    );
  }

  draw(places: readonly Place[]): Drawing {
    const begin = this.#graph.nodes.find(({ role }) => role === "start");
    const end = this.#graph.nodes.find(({ role }) => role === "stop");
    const { first, last } = this.#inOrder(places, null);
    if (begin) this.#nodes.push(pill(begin, "start"));
    if (end) this.#nodes.push(pill(end, "stop"));
    if (begin) for (const step of first) this.#join(begin.id, step);
    if (end) for (const step of last) this.#join(step, end.id);
    return { nodes: this.#nodes, edges: this.#edges, groups: this.#groups };
  }

  #inOrder(places: readonly Place[], group: string | null): Ends {
    const ends = places.map((place) => this.#place(place, group));
    for (const [index, { first }] of ends.entries())
      for (const from of ends[index - 1]?.last ?? []) for (const to of first) this.#join(from, to);
    return { first: ends[0]?.first ?? [], last: ends.at(-1)?.last ?? [] };
  }

  #sideBySide(places: readonly Place[], group: string): Ends {
    const ends = places.map((place) => this.#place(place, group));
    return { first: ends.flatMap(({ first }) => first), last: ends.flatMap(({ last }) => last) };
  }

  #place(place: Place, parent: string | null): Ends {
    const { path, step, inside } = place;
    if (inside.length === 0) return this.#step(step, parent);
    const id = `group:${path}`;
    const kind = this.#kindOf(place);
    const at = this.#groups.push({ id, label: step.label ?? step.name, kind, parent, nodes: [] }) - 1;
    const isInOrder = kind === "loop" || kind === "steps" || kind === "condition";
    const ends = isInOrder ? this.#inOrder(inside, id) : this.#sideBySide(inside, id);
    const nodes = this.#nodes.filter(({ group }) => group === id).map((node) => node.id);
    this.#groups[at] = { ...(this.#groups[at] as DrawnGroup), nodes };
    if (kind === "loop") for (const from of ends.last) for (const to of ends.first) this.#join(from, to);
    return ends;
  }

  #step(step: GraphNode, group: string | null): Ends {
    const asking = this.#graph.nodes.find(({ name }) => name === `${step.name}: ask`);
    const covers = asking === undefined ? [] : [asking.name];
    this.#nodes.push({ ...stepNode(step, []), depth: 0, covers, group });
    if (asking !== undefined) {
      const id = `human:${step.name}`;
      const box = { width: 130, height: 34, name: "confirmation", label: "confirmation" };
      this.#nodes.push({ ...plain, ...box, id, kind: "human", askedBy: step.name, group });
      this.#edges.push({ id: `asks ${step.id} ${id}`, kind: "asks", from: step.id, to: id });
    }
    return { first: [step.id], last: [step.id] };
  }

  /** What the server says, else what the events give away. */
  #kindOf({ path, step, inside }: Place): string {
    const said = (this.#graph.groups ?? []).find(
      (group: GraphGroup) => group.id === step.id || group.label === step.name,
    );
    if (said !== undefined) return said.kind;
    if (this.#graph.nodes.some(({ id }) => id.startsWith(`event:pipeline.gather ${path} `))) return "parallel";
    const enters = (from: Place | undefined, to: Place | undefined): boolean =>
      this.#enters.has(`${from?.step.id} ${to?.path}`);
    // The choices of a router come in any order, also twice; of a loop only the first may come again.
    if (inside.length > 1 && enters(inside.at(-1), inside.at(-1))) return "router";
    if (enters(inside.at(-1), inside[0])) return "loop";
    return "steps";
  }

  #join(from: string, to: string): void {
    this.#edges.push({ id: `flow ${from} ${to}`, kind: "flow", from, to });
  }
}
