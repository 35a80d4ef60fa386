import type { Media } from "@millrace/pipeline/executor";
import type { FilePart, ModelMessage, UserModelMessage } from "ai";
import { mediaPart, type ReadFile } from "./media-part.js";

/** @throws {WorkflowError} `OPTION_INVALID` when a medium cannot be read. */
export async function userMessage(
  text: string,
  media: readonly Media[],
  readFile: ReadFile | undefined,
): Promise<UserModelMessage> {
  if (media.length === 0) return { role: "user", content: text };
  const parts = await Promise.all(media.map((item) => mediaPart(item, readFile)));
  return { role: "user", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...parts] };
}

/** Converts messages for results and sessions: plain data, with files named instead of included. */
export function plainMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => JSON.parse(JSON.stringify(withoutFiles(message))) as ModelMessage);
}

function withoutFiles(message: ModelMessage): unknown {
  if (typeof message.content === "string") return message;
  const content = message.content.map((part) => (part.type === "file" ? { type: "text", text: label(part) } : part));
  return { ...message, content };
}

function label({ mediaType, filename }: FilePart): string {
  return filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]`;
}
