/** Positions of the nodes and edges of a graph. */
import { Graph, layout } from "@dagrejs/dagre";
import { branchOrder, type GraphEdge, type Outline, type OutlineGroup, type OutlineNode } from "millrace/graph";

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Box {
  readonly node: OutlineNode;
  readonly label: string;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Middle of the label. */
  readonly label: Point | null;
}

/** A frame around the nodes of a group. */
export interface PlacedGroup extends Box {
  readonly group: OutlineGroup;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  /** From the outside inwards. */
  readonly groups: readonly PlacedGroup[];
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export const fontSize = 13;
const margin = 24;

/** Widths of letters, as parts of the size: a font of the reader's machine is about as wide. */
export function textWidth(text: string, size: number): number {
  let sum = 0;
  for (const letter of text)
    sum += /[ilj.,:;'|!]/.test(letter) ? 0.3 : /[mwMW@]/.test(letter) ? 0.88 : /[A-Z]/.test(letter) ? 0.68 : 0.56;
  return sum * size;
}

export function placeGraph({ nodes, edges, groups }: Outline): PlacedGraph {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 44, edgesep: 16, marginx: margin, marginy: margin });
  for (const node of nodes) graph.setNode(node.id, sizeOf(node));
  const framed = groups.filter(({ id }) => holdsNodes(groups, id));
  for (const { id } of framed) graph.setNode(frameOf(id), {});
  for (const { id, parent } of framed) if (parent !== null) graph.setParent(frameOf(id), frameOf(parent));
  for (const [node, group] of groupsOf({ nodes, edges, groups: framed })) graph.setParent(node, frameOf(group));
  edges.forEach((edge, index) => {
    const width = edge.label === undefined ? 0 : textWidth(edge.label, 11) + 8;
    // An answer comes back up: it must not turn the graph around.
    const weight = edge.kind === "accepts" || edge.kind === "emits" || edge.kind === "flow" ? 4 : 1;
    graph.setEdge(
      edge.from,
      edge.to,
      { width, height: width === 0 ? 0 : 14, labelpos: "c", weight, minlen: 1 },
      String(index),
    );
  });
  layout(graph, { constraints: branchOrder(groups, frameOf) });
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    width,
    height,
    groups: framed.map((group) => ({ group, ...(graph.node(frameOf(group.id)) as Box) })),
    nodes: nodes.map((node) => ({ node, label: labelOf(node), ...(graph.node(node.id) as Box) })),
    edges: edges.map((edge, index) => {
      const { points, x, y } = graph.edge(edge.from, edge.to, String(index)) as Box & {
        readonly points: readonly Point[];
      };
      const own = edge.from === edge.to ? loopAt(graph.node(edge.from) as Box, x) : points;
      return { edge, points: own, label: edge.label === undefined ? null : { x, y } };
    }),
  };
}

/** From the right side of a node around the point `x` and back: dagre leaves room for it, and returns points that miss the node. */
function loopAt({ x: center, y, width, height }: Box, x: number): readonly Point[] {
  const [side, top, bottom] = [center + width / 2, y - height / 4, y + height / 4];
  return [
    { x: side, y: top },
    { x, y: top },
    { x, y: bottom },
    { x: side, y: bottom },
  ];
}

const frameOf = (group: string): string => `group:${group}`;

function holdsNodes(groups: readonly OutlineGroup[], id: string): boolean {
  return groups.some(
    (one) => (one.id === id && one.nodes.length > 0) || (one.parent === id && holdsNodes(groups, one.id)),
  );
}

/** The group of each node that has one: an event is in the innermost that has all steps which emit or accept it, but for handlers of failures. */
function groupsOf({ nodes, edges, groups }: Pick<Outline, "nodes" | "edges" | "groups">): Map<string, string> {
  const groupOf = new Map(groups.flatMap((group) => group.nodes.map((id) => [id, group.id] as const)));
  const handlers = new Set(nodes.filter(isHandler).map(({ id }) => id));
  for (const { kind, id } of nodes) {
    if (kind !== "event") continue;
    const ends = edges.flatMap(({ from, to }) => (from === id ? [to] : to === id && !handlers.has(from) ? [from] : []));
    const [first = [], ...others] = ends.map((end) => groupsAround(groupOf.get(end)));
    const group = first.find((one) => others.every((around) => around.includes(one)));
    if (group !== undefined) groupOf.set(id, group);
  }
  return groupOf;

  function groupsAround(id: string | undefined): readonly string[] {
    const parent = groups.find((group) => group.id === id)?.parent ?? undefined;
    return id === undefined ? [] : [id, ...groupsAround(parent)];
  }
}

function isHandler(node: OutlineNode): boolean {
  return node.kind === "step" && node.trigger === "failure";
}

function sizeOf(node: OutlineNode): { width: number; height: number } {
  const extra = { step: 28, event: 32, resource: 34, outside: 44 }[node.kind];
  return {
    width: Math.max(64, Math.ceil(textWidth(labelOf(node), fontSize) + extra)),
    height: node.kind === "step" ? 40 : 32,
  };
}

function labelOf(node: OutlineNode): string {
  const name = node.kind === "step" || node.kind === "event" ? node.label : node.name;
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
