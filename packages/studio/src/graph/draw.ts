/**
 * What is drawn of a workflow: steps, the events between them, who is asked, and what is needed.
 *
 * A question and its answer are one node beside the step that asks; events that are only shown to readers of the stream are a line
 * on their step.
 *
 * @module
 */

import { personNode, pill, pillKind, stepNode } from "./draw-node.js";
import { pipelineDrawingOf } from "./draw-pipeline.js";
import type { Drawing, DrawnEdge, DrawnEdgeKind, DrawnGroup, DrawnNode } from "./drawing.types.js";
import type { GraphGroup, GraphNode, WorkflowGraphData } from "./graph-data.types.js";

export function drawingOf(graph: WorkflowGraphData): Drawing {
  return pipelineDrawingOf(graph) ?? workflowDrawingOf(graph);
}

function workflowDrawingOf(graph: WorkflowGraphData): Drawing {
  const events = new Map(graph.nodes.filter(({ kind }) => kind === "event").map((node) => [node.id, node]));
  const roleOf = (id: string): string => events.get(id)?.role ?? "";
  const isOfPeople = (id: string): boolean => roleOf(id) === "inputRequired" || roleOf(id) === "humanResponse";
  const nodes: DrawnNode[] = [];
  const edges: DrawnEdge[] = [];
  const join = (kind: DrawnEdgeKind, from: string, to: string): void => {
    edges.push({ id: `${kind} ${from} ${to}`, kind, from, to });
  };

  for (const node of graph.nodes) {
    if (node.kind === "resource") nodes.push(pill(node, "resource"));
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
  for (const { kind, from, to } of graph.edges) {
    if ((kind === "accepts" || kind === "waits") && !isOfPeople(from)) join("accepts", from, to);
    if (kind === "emits" || kind === "fails") join(kind, from, to);
    if (kind === "needs" && from.startsWith("step:")) join("needs", from, to);
  }
  const used = new Set(edges.flatMap(({ from, to }) => [from, to]));
  for (const node of events.values()) if (used.has(node.id)) nodes.push(pill(node, pillKind(node)));
  const drawn = nodes.filter(({ id, kind }) => kind === "step" || used.has(id));
  return { nodes: drawn, edges: distinct(edges), groups: groupsOf(graph) };
}

/** Those that hold something, directly or in inner groups. */
function groupsOf({ groups }: WorkflowGraphData): DrawnGroup[] {
  const isUsed = ({ id, nodes }: GraphGroup): boolean =>
    nodes.length > 0 || groups.some((inner) => inner.parent === id && isUsed(inner));
  return groups.filter(isUsed).map(({ id, label, kind, parent, nodes }) => {
    const steps = nodes.map((node) => node.replace(/^step:/, ""));
    return {
      id: `group:${id}`,
      label,
      kind,
      parent: parent === null ? null : `group:${parent}`,
      nodes,
      steps,
      asks: false,
    };
  });
}

function nameOf(events: ReadonlyMap<string, GraphNode>, id: string): string {
  return events.get(id)?.name ?? id;
}

function distinct(edges: readonly DrawnEdge[]): readonly DrawnEdge[] {
  return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
}
