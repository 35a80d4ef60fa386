/** Where each node of a graph stands, and how its edges run. */
import { Graph, layout } from "@dagrejs/dagre";
import type { GraphEdge, GraphNode, WorkflowDescription } from "millrace/graph";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly node: GraphNode;
  readonly label: string;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Middle of the label. */
  readonly label: Point | null;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
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

export function placeGraph({ nodes, edges }: WorkflowDescription): PlacedGraph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 44, edgesep: 16, marginx: margin, marginy: margin });
  for (const node of nodes) graph.setNode(node.id, sizeOf(node));
  edges.forEach((edge, index) => {
    const width = edge.label === undefined ? 0 : textWidth(edge.label, 11) + 8;
    // An answer comes back up: it must not turn the graph around.
    const weight = edge.kind === "accepts" || edge.kind === "emits" ? 4 : 1;
    graph.setEdge(
      edge.from,
      edge.to,
      { width, height: width === 0 ? 0 : 14, labelpos: "c", weight, minlen: 1 },
      String(index),
    );
  });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    width,
    height,
    nodes: nodes.map((node) => ({ node, label: labelOf(node), ...(graph.node(node.id) as Box) })),
    edges: edges.map((edge, index) => {
      const { points, x, y } = graph.edge(edge.from, edge.to, String(index)) as Box & {
        readonly points: readonly Point[];
      };
      return { edge, points, label: edge.label === undefined ? null : { x, y } };
    }),
  };
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

function sizeOf(node: GraphNode): { width: number; height: number } {
  const extra = { step: 28, event: 32, resource: 34, outside: 44 }[node.kind];
  return {
    width: Math.max(64, Math.ceil(textWidth(labelOf(node), fontSize) + extra)),
    height: node.kind === "step" ? 40 : 32,
  };
}

function labelOf({ name }: GraphNode): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
