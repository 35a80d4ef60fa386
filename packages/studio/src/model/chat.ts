/**
 * Conversations of agents in a state: lists of messages with a role, wherever they are kept.
 *
 * @module
 */
import type { Path } from "./path.types.js";

export interface ChatPart {
  readonly kind: "text" | "reasoning" | "call" | "result" | "file" | "note";
  readonly text: string;
  /** Of the tool. */
  readonly name: string | null;
}

export interface ChatMessage {
  readonly role: string;
  readonly parts: readonly ChatPart[];
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `null` if it is unknown. */
  readonly cost: number | null;
}

export interface Chat {
  readonly title: string;
  readonly messages: readonly ChatMessage[];
  readonly usage: Usage | null;
}

/** Deeper states are no conversations. */
const mostDepth = 12;

export function chatsOf(state: unknown): readonly Chat[] {
  const chats: Chat[] = [];
  const walk = (value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null || path.length > mostDepth) return;
    const owner = value as Readonly<Record<string, unknown>>;
    for (const [key, inner] of Object.entries(value)) {
      if (isConversation(inner)) {
        chats.push({ title: titleOf(owner, [...path, key]), messages: inner.map(messageOf), usage: usageOf(owner) });
      } else walk(inner, [...path, key]);
    }
  };
  walk(state, []);
  return chats;
}

type Message = { readonly role: string; readonly content: unknown };
const roles = new Set(["system", "user", "assistant", "tool"]);

function isConversation(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

function isMessage(value: unknown): value is Message {
  const message = value as Partial<Message> | null;
  return typeof message === "object" && message !== null && roles.has(String(message.role)) && "content" in message;
}

function titleOf(owner: Readonly<Record<string, unknown>>, path: Path): string {
  for (const name of ["executorName", "agentName", "teamName", "agentId", "stepName", "name"]) {
    if (typeof owner[name] === "string" && owner[name] !== "") return owner[name];
  }
  const place = path.filter((key) => key !== "messages").join(" › ");
  return place === "" ? "Messages" : place;
}

export function messageOf({ role, content }: Message): ChatMessage {
  if (typeof content === "string") return { role, parts: [{ kind: "text", text: content, name: null }] };
  const list = Array.isArray(content) ? content : [content];
  const parts = list as readonly (Readonly<Record<string, unknown>> | null)[];
  const calls = parts.filter((part) => part?.["toolName"] !== undefined);
  const tools = new Map(calls.map((part) => [part?.["toolCallId"], part?.["toolName"]]));
  return { role, parts: parts.map((part) => partOf(part, tools.get(part?.["toolCallId"]))) };
}

/** @param tool Of the call in the same message that it is about. */
function partOf(part: Readonly<Record<string, unknown>> | null, tool: unknown): ChatPart {
  const name = typeof part?.["toolName"] === "string" ? part["toolName"] : null;
  switch (part?.["type"]) {
    case "text":
    case "reasoning":
      return { kind: part["type"], text: String(part["text"] ?? ""), name: null };
    case "tool-call":
      return { kind: "call", text: textOf(part["input"] ?? part["args"]), name };
    case "tool-result":
      return { kind: "result", text: textOf(part["output"] ?? part["result"]), name };
    case "tool-approval-request":
      return {
        kind: "note",
        text: `A person is asked for permission${typeof tool === "string" ? ` to use ${tool}` : ""}.`,
        name,
      };
    case "tool-approval-response": {
      const note = typeof part["reason"] === "string" ? `: ${part["reason"]}` : ".";
      return { kind: "note", text: `${part["approved"] === true ? "Allowed" : "Not allowed"}${note}`, name };
    }
    case "file":
    case "image":
      return { kind: "file", text: String(part["filename"] ?? part["mediaType"] ?? "file"), name: null };
    default:
      return { kind: "text", text: textOf(part), name: null };
  }
}

/** `{ type: "text", value }` of a tool is its value. */
function textOf(value: unknown): string {
  const inner = (value as { value?: unknown } | null)?.value;
  const shown = inner === undefined ? value : inner;
  return typeof shown === "string" ? shown : JSON.stringify(shown ?? null);
}

function usageOf(owner: Readonly<Record<string, unknown>>): Usage | null {
  const metrics = owner["metrics"] as Readonly<Record<string, unknown>> | null | undefined;
  const [inputTokens, outputTokens] = [metrics?.["inputTokens"], metrics?.["outputTokens"]];
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return null;
  if (inputTokens + outputTokens === 0) return null;
  return { inputTokens, outputTokens, cost: typeof metrics?.["cost"] === "number" ? metrics["cost"] : null };
}
