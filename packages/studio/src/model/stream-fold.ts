/** Events of one stream that follow each other in the log: they are one row, whose text grows. */
import type { HistoryEntry } from "@millrace/client";

/** Whether the second continues what the first began. */
export function continues(first: HistoryEntry | undefined, next: HistoryEntry | undefined): boolean {
  return first !== undefined && next !== undefined && keyOf(first) === keyOf(next);
}

function keyOf({ tick, runId, step, item, attempt }: HistoryEntry): string {
  const { type, data } = Object(tick["event"]) as { readonly type?: unknown; readonly data?: unknown };
  const { name } = Object(data) as { readonly name?: unknown };
  return JSON.stringify([runId, step, item, attempt, tick["origin"], tick["call"], type, name]);
}

/** The texts of some ticks, put together; `""` where they have none. */
export function textOfTicks(entries: readonly HistoryEntry[], { from, to, most }: TextRange): string {
  let text = "";
  for (let index = from; index <= to && text.length < most; index++) text += pieceOf(entries[index]?.tick["event"]);
  return text.slice(0, most);
}

export interface TextRange {
  /** Places in the list, both included. */
  readonly from: number;
  readonly to: number;
  /** Maximum number of characters. */
  readonly most: number;
}

/** Fields in which a piece of a text comes, the likeliest first. */
const fields = ["text", "delta", "textDelta", "content"] as const;
const DEEPEST = 3;

function pieceOf(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return "";
  const record = value as Readonly<Record<string, unknown>>;
  for (const field of fields) if (typeof record[field] === "string") return record[field];
  for (const inner of Object.values(record)) {
    const found = pieceOf(inner, depth + 1);
    if (found !== "") return found;
  }
  return "";
}
