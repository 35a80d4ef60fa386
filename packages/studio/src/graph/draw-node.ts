/** The nodes of a drawing: what is written on them, and how big they are. */

import type { DrawnKind, DrawnNode } from "./drawing.types.js";
import type { GraphNode } from "./graph-data.js";

const triggerWords: Readonly<Record<string, string>> = {
  collect: "collects",
  join: "joins",
  failure: "on failure",
};

/** `agent writer`, `team of 3`; nothing of a function. */
function executorWords({ executor }: GraphNode, label: string): string {
  if (executor == null || executor.kind === "function") return "";
  if (executor.members !== undefined) return `${executor.kind} of ${executor.members.length}`;
  return executor.name === label ? executor.kind : `${executor.kind} ${executor.name}`;
}

const plain = { note: "", streams: [], depth: 0, askedBy: null, covers: [] };

export function stepNode(node: GraphNode, streams: readonly string[]): DrawnNode {
  const label = node.label ?? node.name;
  const note = triggerWords[node.trigger ?? ""] ?? executorWords(node, label);
  const depth = Math.max(0, ...(node.levels ?? []).map((level) => level.length));
  const width = Math.min(230, Math.max(138, Math.round(label.length * 7) + 56));
  return {
    ...plain,
    id: node.id,
    kind: "step",
    key: node.name,
    name: nameInside(node.name),
    label,
    note,
    streams,
    depth,
    covers: node.covers ?? [],
    width,
    height: 58,
  };
}

/** Without the steps around that run the nested pipeline which it is in. */
function nameInside(key: string): string {
  return key.split("›").at(-1) ?? key;
}

/** The person whom a step of a pipeline asks. */
export function personAt({ id, name, askedBy = "" }: GraphNode, covers: DrawnNode["covers"]): DrawnNode {
  return {
    ...plain,
    id,
    kind: "human",
    key: askedBy,
    name,
    label: name,
    askedBy,
    covers,
    width: 104,
    height: 34,
  };
}

export function personNode(step: GraphNode, questions: readonly string[], answers: readonly string[]): DrawnNode {
  const [label, note] = questions.length > 0 ? [questions.join(", "), answers.join(", ")] : [answers.join(", "), ""];
  const width = Math.min(240, Math.max(label.length, note.length) * 6.6 + 54);
  const height = note === "" ? 34 : 44;
  return {
    ...plain,
    id: `human:${step.name}`,
    kind: "human",
    key: label,
    name: label,
    label,
    note,
    askedBy: step.name,
    width,
    height,
  };
}

export function pillKind({ role }: GraphNode): DrawnKind {
  if (role === "start" || role === "stop") return role;
  return "event";
}

export function pill(node: GraphNode, kind: DrawnKind): DrawnNode {
  const label = plainNames[node.name] ?? node.label ?? node.name;
  const width = Math.min(220, Math.round(label.length * 6.7) + (beside[kind] ?? 30));
  return { ...plain, id: node.id, kind, key: node.name, name: node.name, label, width, height: 26 };
}

/** Pixels beside the label: for an icon, or how many events there were. */
const beside: Readonly<Partial<Record<DrawnKind, number>>> = { resource: 44, event: 42 };

/** The built-in start and stop events. */
const plainNames: Readonly<Record<string, string>> = {
  StartEvent: "start",
  "pipeline.start": "start",
  StopEvent: "stop",
};
