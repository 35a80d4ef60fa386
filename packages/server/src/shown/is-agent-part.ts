import type { AgentPart } from "millrace/wire";

/** The texts that each part needs. */
const texts: { readonly [Type in AgentPart["type"]]: readonly string[] } = {
  agent: ["name"],
  text: ["id", "text"],
  reasoning: ["id", "text"],
  "tool-begin": ["toolCallId", "toolName"],
  "tool-input": ["toolCallId", "text"],
  "tool-call": ["toolCallId", "toolName"],
  "tool-result": ["toolCallId"],
  "tool-data": ["toolCallId"],
  "tool-error": ["toolCallId", "error"],
  "tool-denied": ["toolCallId"],
  file: ["mediaType", "base64"],
  source: ["id", "url"],
  end: ["finishReason"],
};

/** Calls of workflows may write any objects; those that are no parts of agents are not shown. */
export function isAgentPart(piece: { readonly [field: string]: unknown }): piece is AgentPart {
  const { type } = piece;
  if (typeof type !== "string" || !Object.hasOwn(texts, type)) return false;
  return texts[type as AgentPart["type"]].every((field) => typeof piece[field] === "string");
}
