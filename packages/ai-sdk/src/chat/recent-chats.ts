/**
 * The chats of a tenant, the last changed first.
 *
 * Records are listed by id, so each chat has one more record whose id begins with the time that is left until the end
 * of time. It is written together with the chat.
 *
 * @module
 */
import type { UIMessage } from "ai";
import type { RecordEdit, Runtime } from "millrace/runtime";

/** When a chat was changed, and what it is called in the list. */
export interface ListedAs {
  readonly title: string;
  readonly updatedAtMs: number;
}

export interface ListedChat extends ListedAs {
  readonly id: string;
}

export interface ChatPage {
  readonly chats: readonly ListedChat[];
  /** For the next page; `null` on the last one. */
  readonly cursor: string | null;
}

interface PageOptions {
  readonly tenant: string;
  readonly limit: number;
  readonly cursor?: string;
}

const kind = "chat.recent";
const endOfTimeMs = 9_999_999_999_999;

export async function recentChats({ records }: Runtime, options: PageOptions): Promise<ChatPage> {
  const page = await records.list({ kind, ...options });
  return { chats: page.records.map(({ value }) => value as ListedChat), cursor: page.cursor };
}

/** Edits that move a chat in the list. `null`: it is not there. */
export function listEdits(id: string, from: ListedAs | null, to: ListedAs | null): RecordEdit[] {
  const edits: RecordEdit[] = [];
  if (from !== null) edits.push({ kind, id: placeOf(id, from), expected: 1, delete: true });
  if (to !== null) edits.push({ kind, id: placeOf(id, to), expected: 0, value: { id, ...to } });
  return edits;
}

/** A place that the chat did not have, also within a millisecond. */
export function nextPlace(from: ListedAs | null, { title, updatedAtMs }: ListedAs): ListedAs {
  return { title, updatedAtMs: Math.max(updatedAtMs, (from?.updatedAtMs ?? 0) + 1) };
}

const placeOf = (id: string, { updatedAtMs }: ListedAs): string =>
  `${String(endOfTimeMs - updatedAtMs).padStart(13, "0")}.${id}`;

const mostTitle = 80;

/** The beginning of a message, in one line; the name of its first file if it has no text. */
export function titleOf({ parts }: UIMessage): string {
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");
  const [file] = parts.filter((part) => part.type === "file");
  const line = (text.trim() === "" ? (file?.filename ?? "") : text).replace(/\s+/g, " ").trim();
  const letters = [...line.slice(0, 2 * (mostTitle + 1))];
  return letters.length <= mostTitle ? line : `${letters.slice(0, mostTitle - 1).join("")}…`;
}
