/**
 * What is drawn of a workflow: steps, the events between them, who is asked, and what is needed.
 *
 * A question and its answer are one node beside the step that asks; events that are only shown to readers of the stream are a line
 * on their step.
 *
 * @module
 */
import type { GraphNode, WorkflowGraphData } from "../api/contract.types.js";
import type { Drawing, DrawnEdge, DrawnEdgeKind, DrawnKind, DrawnNode } from "./drawing.types.js";

const triggerWords: Readonly<Record<string, string>> = {
  collect: "collects",
  join: "joins",
  failure: "on failure",
};

export function drawingOf(graph: WorkflowGraphData): Drawing {
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
  return { nodes: drawn, edges: distinct(edges), groups: graph.groups ?? [] };
}

function nameOf(events: ReadonlyMap<string, GraphNode>, id: string): string {
  return events.get(id)?.name ?? id;
}

function distinct(edges: readonly DrawnEdge[]): readonly DrawnEdge[] {
  return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
}

const plain = { note: "", streams: [], depth: 0, askedBy: null };

function stepNode(node: GraphNode, streams: readonly string[]): DrawnNode {
  const label = node.label ?? node.name;
  const note = triggerWords[node.trigger ?? ""] ?? "";
  const depth = Math.max(0, ...(node.levels ?? []).map((level) => level.length));
  const width = Math.min(230, Math.max(138, Math.round(label.length * 7) + 56));
  return { ...plain, id: node.id, kind: "step", name: node.name, label, note, streams, depth, width, height: 58 };
}

function personNode(step: GraphNode, questions: readonly string[], answers: readonly string[]): DrawnNode {
  const [label, note] = questions.length > 0 ? [questions.join(", "), answers.join(", ")] : [answers.join(", "), ""];
  const width = Math.min(240, Math.max(label.length, note.length) * 6.6 + 54);
  const height = note === "" ? 34 : 44;
  return {
    ...plain,
    id: `human:${step.name}`,
    kind: "human",
    name: label,
    label,
    note,
    askedBy: step.name,
    width,
    height,
  };
}

function pillKind({ role }: GraphNode): DrawnKind {
  if (role === "start" || role === "stop") return role;
  return "event";
}

function pill(node: GraphNode, kind: DrawnKind): DrawnNode {
  const label = node.label ?? plainNames[node.name] ?? node.name;
  const width = Math.min(220, Math.round(label.length * 6.7) + (kind === "resource" ? 44 : 30));
  return { ...plain, id: node.id, kind, name: node.name, label, width, height: 26 };
}

/** Start and stop events without a class of their own. */
const plainNames: Readonly<Record<string, string>> = { StartEvent: "start", StopEvent: "stop" };
