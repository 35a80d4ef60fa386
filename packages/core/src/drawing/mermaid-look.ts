import type { EventRole } from "../event/event.js";
import type { GraphNode } from "./describe.js";
import type { Look } from "./mermaid-text.js";

const looksOfRoles: Readonly<Partial<Record<EventRole, Look>>> = {
  start: "start",
  stop: "stop",
  inputRequired: "prompt",
  external: "external",
  humanResponse: "external",
};

export function lookOf(node: GraphNode): Look {
  switch (node.kind) {
    case "event":
      return looksOfRoles[node.role] ?? "event";
    case "resource":
    case "outside":
      return node.kind;
    case "step":
      return node.trigger === "event" ? "step" : node.trigger === "failure" ? "handler" : "gather";
  }
}
