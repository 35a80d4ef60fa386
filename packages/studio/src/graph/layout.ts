/** Where everything of a drawing is. A layout depends on the drawing alone, so that nothing moves while a run continues. */
import { Graph, layout as place } from "@dagrejs/dagre";
import type { Drawing, DrawnEdge, DrawnGroup, DrawnNode } from "./drawing.types.js";

export type Direction = "across" | "down";
export type Spot = readonly [x: number, y: number];

interface Point {
  readonly x: number;
  readonly y: number;
}
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends DrawnNode, Point {}
export interface PlacedEdge extends DrawnEdge {
  readonly points: readonly Spot[];
  /** Where its label is; `null` for one without. */
  readonly middle: Spot | null;
}
export interface PlacedGroup extends DrawnGroup, Box {}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly groups: readonly PlacedGroup[];
}

const margin = 12;
/** Height of what a frame is called. */
const TITLE = 22;
const spaces = {
  across: { rankdir: "LR", nodesep: 22, ranksep: 20, edgesep: 14 },
  down: { rankdir: "TB", nodesep: 20, ranksep: 24, edgesep: 14 },
} as const;

export function layoutOf(drawing: Drawing, direction: Direction): Layout {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ ...spaces[direction], marginx: margin, marginy: margin });
  graph.setDefaultEdgeLabel(() => ({}));
  const groupOf = new Map(drawing.groups.flatMap(({ id, nodes }) => nodes.map((node) => [node, id] as const)));
  for (const { id } of drawing.groups) graph.setNode(id, {});
  for (const { id, parent } of drawing.groups) if (parent !== null) graph.setParent(id, parent);
  for (const { id, width, height } of drawing.nodes) {
    graph.setNode(id, { width, height });
    const group = groupOf.get(id);
    if (group !== undefined) graph.setParent(id, group);
  }
  // A resource and a person are beside the way of the work, not part of it.
  for (const { id, kind, from, to, label } of drawing.edges) {
    const size = label === "" ? {} : { ...labelSize(label), labelpos: "c" };
    const weight = kind === "needs" || kind === "asks" ? 0 : 2;
    graph.setEdge({ v: from, w: to, name: id }, { ...size, weight, minlen: 1 });
  }
  place(graph, { constraints: [...drawing.order] });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const groups = withRoom(
    drawing.groups.map((group) => {
      const { width = 0, height = 0, ...box } = graph.node(group.id) as Box;
      return { ...group, ...corner({ ...box, width, height }), width, height };
    }),
  );
  const down = Math.max(0, margin - Math.min(...groups.map(({ y }) => y)));
  return {
    width: Math.ceil(width),
    height: Math.ceil(height) + down,
    nodes: drawing.nodes.map((node) => moved({ ...node, ...corner(graph.node(node.id)) }, down)),
    edges: drawing.edges.map((edge) => {
      const { points: found = [], ...middle } = graph.edge({ v: edge.from, w: edge.to, name: edge.id }) as LaidEdge;
      const points = edge.from === edge.to ? loopAt(graph.node(edge.from) as Box, middle) : found;
      const spotOf = ({ x, y }: Point): Spot => [Math.round(x), Math.round(y) + down];
      const spots = points.map(spotOf);
      return { ...edge, points: spots, middle: edge.label === "" ? null : nearest(spotOf(middle), onPath(spots)) };
    }),
    groups: groups.map((group) => moved(group, down)),
  };
}

/** In the letters of the graph, with a margin. */
function labelSize(label: string): { readonly width: number; readonly height: number } {
  return { width: label.length * 6 + 8, height: 14 };
}

/** The name of a frame is on its upper edge: nested frames get room for theirs. */
function withRoom(groups: readonly PlacedGroup[]): readonly PlacedGroup[] {
  const tops = new Map(groups.map(({ id, y }) => [id, y]));
  for (const { id, parent } of groups.toReversed())
    if (parent !== null) tops.set(parent, Math.min(tops.get(parent) as number, (tops.get(id) as number) - TITLE));
  return groups.map((group) => {
    const y = tops.get(group.id) as number;
    return { ...group, y, height: group.height + group.y - y };
  });
}

interface LaidEdge extends Point {
  readonly points?: readonly Point[];
}

/** From a side of a node around a point beside it and back: dagre leaves room for it, and returns points that miss the node. */
function loopAt({ x, y, width, height }: Box, around: Point): readonly Point[] {
  if (Math.abs(around.x - x) > Math.abs(around.y - y)) {
    const [side, top, bottom] = [x + width / 2, y - height / 4, y + height / 4];
    return [
      { x: side, y: top },
      { x: around.x, y: top },
      { x: around.x, y: bottom },
      { x: side, y: bottom },
    ];
  }
  const [side, left, right] = [y + height / 2, x - width / 4, x + width / 4];
  return [
    { x: left, y: side },
    { x: left, y: around.y },
    { x: right, y: around.y },
    { x: right, y: side },
  ];
}

function moved<Placed extends Point>(placed: Placed, down: number): Placed {
  return { ...placed, y: placed.y + down };
}

/** dagre returns the centers. */
function corner(box: unknown): Point {
  const { x, y, width, height } = box as Box;
  return { x: Math.round(x - width / 2), y: Math.round(y - height / 2) };
}

/** Spots that the line of `pathOf` goes through: its ends, and the middle of each bend. */
function onPath(points: readonly Spot[]): readonly Spot[] {
  const half = ([x, y]: Spot, [toX, toY]: Spot): Spot => [(x + toX) / 2, (y + toY) / 2];
  return points.flatMap((spot, index): readonly Spot[] => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined || after === undefined) return [spot];
    const [from, to] = [
      index === 1 ? before : half(before, spot),
      index === points.length - 2 ? after : half(spot, after),
    ];
    return [half(half(from, spot), half(spot, to))];
  });
}

function nearest([x, y]: Spot, spots: readonly Spot[]): Spot {
  const far = ([toX, toY]: Spot): number => Math.hypot(toX - x, toY - y);
  const [first = [x, y], ...others] = spots;
  return others.reduce<Spot>((best, spot) => (far(spot) < far(best) ? spot : best), first as Spot);
}

/** A line through the points, its corners rounded. */
export function pathOf(points: readonly Spot[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  if (rest.length < 2) return [`M${first.join(" ")}`, ...rest.map((spot) => `L${spot.join(" ")}`)].join("");
  const bends = rest.slice(0, -1).map((spot, index) => {
    const next = rest[index + 1] as Spot;
    const isLast = index === rest.length - 2;
    const end = isLast ? next : [(spot[0] + next[0]) / 2, (spot[1] + next[1]) / 2];
    return `Q${spot.join(" ")} ${end.join(" ")}`;
  });
  return `M${first.join(" ")}${bends.join("")}`;
}
