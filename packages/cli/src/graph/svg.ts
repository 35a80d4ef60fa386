/** The graph of a workflow as SVG, without scripts and fonts, for light and dark. */
import { type EdgeKind, type OutlineNode, outlineOf, titleOfGroup, type WorkflowDescription } from "millrace/graph";
import { fontSize, type PlacedEdge, type PlacedGroup, type PlacedNode, type Point, placeGraph } from "./layout.js";

const style = `
  .bg { fill: #fbfbf9 } text { font-family: Inter, system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: ${fontSize}px; fill: #1d2126; text-anchor: middle }
  .step rect { fill: #ffffff; stroke: #5b6ee1; stroke-width: 1.5 } .step text { font-weight: 600 }
  .event rect { fill: #eef1f4; stroke: #c3cad3 } .start rect { fill: #e3f4e8; stroke: #59a96f } .stop rect { fill: #e4ecfb; stroke: #6c8fd6 }
  .prompt rect, .human rect { fill: #fdf1d8; stroke: #d3a243 } .resource rect { fill: #f4edf9; stroke: #b08cc9 }
  .outside rect { fill: #fdf1d8; stroke: #d3a243; stroke-dasharray: 4 3 }
  .group rect { fill: #5b6ee10d; stroke: #a9b2bc; stroke-dasharray: 6 4 } .title { font-size: 11px; font-weight: 600; fill: #59636e; text-anchor: start; paint-order: stroke; stroke: #fbfbf9; stroke-width: 4 }
  .deck { fill: #ffffff; stroke: #5b6ee1; stroke-width: 1.2; opacity: .75 }
  .edge { fill: none; stroke: #7d8894; stroke-width: 1.4 } .head { fill: #7d8894 } .label { font-size: 11px; fill: #59636e } .plate { fill: #fbfbf9 }
  .fails { stroke: #cf5b56; stroke-dasharray: 5 3 } .waits, .asks, .answers { stroke: #c48f2c; stroke-dasharray: 5 3 } .streams, .needs { stroke: #a9b2bc; stroke-dasharray: 2 3 }
  .head-fails { fill: #cf5b56 } .head-waits, .head-asks, .head-answers { fill: #c48f2c } .head-streams, .head-needs { fill: #a9b2bc }
  @media (prefers-color-scheme: dark) {
    .bg, .plate { fill: #15171a } text { fill: #e8eaed } .label, .title { fill: #a4adb8 } .title { stroke: #15171a } .step rect, .deck { fill: #20242b; stroke: #8c9bf5 }
    .event rect { fill: #262b32; stroke: #465060 } .start rect { fill: #1c3325; stroke: #59a96f } .stop rect { fill: #1d2a44; stroke: #6c8fd6 }
    .prompt rect, .human rect, .outside rect { fill: #3a2f17 } .resource rect { fill: #32263b }
  }`;

export function svgOf(description: WorkflowDescription): string {
  const { width, height, groups, nodes, edges } = placeGraph(outlineOf(description));
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(`Graph of ${description.name}`)}">`,
    `<style>${style}\n</style>`,
    `<defs>${(Object.keys(heads) as EdgeKind[]).map(marker).join("")}</defs>`,
    `<rect class="bg" width="100%" height="100%"/>`,
    ...groups.map(groupFrame),
    ...edges.map(edgePath),
    ...groups.map(groupTitle),
    ...edges.map(edgeLabel),
    ...nodes.map(nodeShape),
    "</svg>\n",
  ].join("\n");
}

const heads: Readonly<Record<EdgeKind, true>> = {
  accepts: true,
  waits: true,
  emits: true,
  streams: true,
  fails: true,
  needs: true,
  asks: true,
  answers: true,
  flow: true,
};

function marker(kind: EdgeKind): string {
  const box = `viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"`;
  return `<marker id="head-${kind}" ${box}><path class="head head-${kind}" d="M0 1 L10 5 L0 9 z"/></marker>`;
}

function groupFrame({ group, x, y, width, height }: PlacedGroup): string {
  const frame = rect({ x: x - width / 2, y: y - height / 2, width, height, rx: 10 });
  return `<g class="group"><title>${escaped(titleOfGroup(group))}</title>${frame}</g>`;
}

/** Above the edges that cross the upper side of the frame. */
function groupTitle({ group, x, y, width, height }: PlacedGroup): string {
  const [left, top] = [x - width / 2 + 10, y - height / 2 + 16];
  return `<text class="title" x="${left.toFixed(1)}" y="${top.toFixed(1)}">${escaped(titleOfGroup(group))}</text>`;
}

function edgePath({ edge, points }: PlacedEdge): string {
  return `<path class="edge ${edge.kind}" d="${curve(points)}" marker-end="url(#head-${edge.kind})"/>`;
}

/** Through the middles between the points, bent at the points. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.at(-1) ?? first;
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = index === rest.length - 2 ? last : middle(point, rest[index + 1] ?? last);
    return `Q${at(point)} ${at(next)}`;
  });
  return `M${at(first)} ${bends.length === 0 ? `L${at(last)}` : bends.join(" ")}`;
}

const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

function edgeLabel({ edge, label }: PlacedEdge): string {
  if (label === null || edge.label === undefined) return "";
  const width = edge.label.length * 6.4 + 6;
  const plate = `<rect class="plate" x="${(label.x - width / 2).toFixed(1)}" y="${(label.y - 8).toFixed(1)}" width="${width.toFixed(1)}" height="16" rx="4"/>`;
  return `${plate}<text class="label" x="${label.x.toFixed(1)}" y="${(label.y + 4).toFixed(1)}">${escaped(edge.label)}</text>`;
}

function nodeShape({ node, label, x, y, width, height }: PlacedNode): string {
  const box = { x: x - width / 2, y: y - height / 2, width, height, rx: node.kind === "step" ? 8 : height / 2 };
  const text = `<text x="${x.toFixed(1)}" y="${(y + 4.5).toFixed(1)}">${escaped(withSign(node, label))}</text>`;
  return `<g class="${classOf(node)}"><title>${escaped(titleOf(node))}</title>${deck(node, box)}${rect(box)}${text}</g>`;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly rx: number;
}

const rect = ({ x, y, width, height, rx }: Box, name = ""): string =>
  `<rect${name} x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width}" height="${height}" rx="${rx}"/>`;

/** A step inside of a fan-out runs many times: it looks like a pile. */
function deck(node: OutlineNode, box: Box): string {
  if (node.kind !== "step" || !node.levels.some((level) => level.length > 0)) return "";
  return rect({ ...box, x: box.x + 4, y: box.y + 4 }, ' class="deck"');
}

function classOf(node: OutlineNode): string {
  if (node.kind !== "event") return node.kind;
  const roles: Readonly<Record<string, string>> = {
    start: "start",
    stop: "stop",
    inputRequired: "prompt",
    humanResponse: "human",
  };
  return `event ${roles[node.role] ?? ""}`.trim();
}

function withSign(node: OutlineNode, label: string): string {
  if (node.kind === "outside") return `☺ ${label}`;
  if (node.kind !== "step") return label;
  return { collect: `⊕ ${label}`, join: `⋈ ${label}` }[node.trigger as string] ?? label;
}

function titleOf(node: OutlineNode): string {
  if (node.kind === "step") {
    const inside = node.levels.filter((level) => level.length > 0).map((level) => level.join(" › "));
    return `step ${node.name}, by ${node.trigger}${inside.length === 0 ? "" : `, for each of ${inside.join(" or ")}`}`;
  }
  return `${node.kind} ${node.name}`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`).replace(/\p{Cc}/gu, " ");
}
