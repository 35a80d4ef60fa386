/** Chats as conversations: their titles, and the ids of their runs. */
import type { Conversation } from "@millrace/server/door";
import type { UIMessage } from "ai";

/** Id of the run with this number, from 1. Ids of chats have no dots. */
export const runIdOf = ({ id }: Pick<Conversation, "id">, number: number): string => `${runsOf(id)}${number}`;

/** What the ids of the runs of a chat begin with. */
export const runsOf = (id: string): string => `chat.${id}.`;

const mostTitle = 80;

/** The beginning of a message, in one line; the name of its first file if it has no text. */
export function titleOf({ parts }: UIMessage): string {
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");
  const [file] = parts.filter((part) => part.type === "file");
  const line = (text.trim() === "" ? (file?.filename ?? "") : text).replace(/\s+/g, " ").trim();
  const letters = [...line.slice(0, 2 * (mostTitle + 1))];
  return letters.length <= mostTitle ? line : `${letters.slice(0, mostTitle - 1).join("")}…`;
}
