/**
 * What is drawn of the outline of a workflow: steps, the events between them, who is asked, and what is needed.
 *
 * A question and its answer are one node beside the step that asks; events that are only shown to readers of the stream are a line
 * on their step.
 *
 * @module
 */

import {
  branchOrder,
  type Outline,
  type OutlineEdge,
  type OutlineGroup,
  outlineOf,
  titleOfGroup,
} from "millrace/graph";
import { personAt, personNode, pill, pillKind, stepNode } from "./draw-node.js";
import type { Drawing, DrawnEdge, DrawnEdgeKind, DrawnGroup, DrawnNode } from "./drawing.types.js";
import { type GraphNode, outlineSourceOf, type WorkflowGraphData } from "./graph-data.js";

export function drawingOf(data: WorkflowGraphData): Drawing {
  const graph = outlineOf(outlineSourceOf(data));
  const given: readonly GraphNode[] = graph.nodes;
  const events = new Map(given.filter(({ kind }) => kind === "event").map((node) => [node.id, node]));
  const roleOf = (id: string): string => events.get(id)?.role ?? "";
  const isOfPeople = (id: string): boolean => roleOf(id) === "inputRequired" || roleOf(id) === "humanResponse";
  const nodes: DrawnNode[] = [];
  const edges: DrawnEdge[] = [];
  const join = (kind: DrawnEdgeKind, from: string, to: string): void => {
    edges.push({ id: `${kind} ${from} ${to}`, kind, from, to, label: "", past: [] });
  };
  const flow = ({ from, to, label = "", past = [] }: OutlineEdge): void => {
    const skipped = past.flatMap((group) => stepsIn(graph, group));
    edges.push({ id: `flow ${from} ${to}`, kind: "flow", from, to, label, past: skipped });
  };
  const coversOf = (step: string): DrawnNode["covers"] => given.find(({ name }) => name === step)?.covers ?? [];

  for (const node of given) {
    if (node.kind === "resource") nodes.push(pill(node, "resource"));
    if (node.askedBy !== undefined) nodes.push(personAt(node, coversOf(node.askedBy)));
    if (node.kind !== "step") continue;
    const streamed = graph.edges.filter(({ kind, from }) => kind === "streams" && from === node.id).map(({ to }) => to);
    const waited = graph.edges.filter(({ kind, to }) => kind === "waits" && to === node.id).map(({ from }) => from);
    nodes.push(
      stepNode(
        node,
        streamed.filter((id) => !isOfPeople(id)).map((id) => nameOf(events, id)),
      ),
    );
    const questions = streamed.filter((id) => roleOf(id) === "inputRequired").map((id) => nameOf(events, id));
    const answers = waited.filter((id) => roleOf(id) === "humanResponse").map((id) => nameOf(events, id));
    if (questions.length + answers.length > 0) {
      nodes.push(personNode(node, questions, answers));
      join("asks", node.id, `human:${node.name}`);
    }
  }
  for (const edge of graph.edges) {
    const { kind, from, to } = edge;
    if ((kind === "accepts" || kind === "waits") && !isOfPeople(from)) join("accepts", from, to);
    if (kind === "emits" || kind === "fails") join(kind, from, to);
    if (kind === "flow") flow(edge);
    if (kind === "asks" && from.startsWith("step:")) join(kind, from, to);
    if (kind === "needs" && from.startsWith("step:")) join("needs", from, to);
  }
  const used = new Set(edges.flatMap(({ from, to }) => [from, to]));
  for (const node of events.values()) if (used.has(node.id)) nodes.push(pill(node, pillKind(node)));
  const drawn = nodes.filter(({ id, kind }) => kind === "step" || used.has(id));
  const order = branchOrder(graph.groups, frameOf);
  return { nodes: drawn, edges: distinct(edges), groups: groupsOf(graph), order };
}

const frameOf = (group: string): string => `group:${group}`;

/** Keys of the steps in a group, directly and in inner groups. */
function stepsIn({ groups }: Pick<Outline, "groups">, id: string): readonly string[] {
  return groups.flatMap((group) => {
    if (group.parent === id) return stepsIn({ groups }, group.id);
    return group.id === id ? stepKeys(group) : [];
  });
}

function stepKeys({ nodes }: OutlineGroup): readonly string[] {
  return nodes.filter((node) => node.startsWith("step:")).map((node) => node.slice("step:".length));
}

/** Those that hold something, directly or in inner groups. */
function groupsOf({ groups }: Outline): DrawnGroup[] {
  const isUsed = ({ id, nodes }: OutlineGroup): boolean =>
    nodes.length > 0 || groups.some((inner) => inner.parent === id && isUsed(inner));
  return groups.filter(isUsed).map((group) => ({
    id: frameOf(group.id),
    label: group.label,
    title: titleOfGroup(group),
    kind: group.kind,
    parent: group.parent === null ? null : frameOf(group.parent),
    nodes: group.nodes,
    steps: stepKeys(group),
  }));
}

function nameOf(events: ReadonlyMap<string, GraphNode>, id: string): string {
  return events.get(id)?.name ?? id;
}

function distinct(edges: readonly DrawnEdge[]): readonly DrawnEdge[] {
  return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
}
