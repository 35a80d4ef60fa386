/**
 * The conversations of a tenant, the last changed first.
 *
 * Records are listed by id, so each conversation has one more record whose id begins with the time that is left until
 * the end of time. It is written together with the conversation.
 *
 * @module
 */
import type { RecordEdit, Runtime } from "millrace/runtime";

/** When a conversation was changed, and what it is called in the list. */
export interface ListedAs {
  readonly title: string;
  readonly updatedAtMs: number;
}

export interface ListedConversation extends ListedAs {
  readonly id: string;
}

export interface ConversationPage {
  readonly conversations: readonly ListedConversation[];
  /** For the next page; `null` on the last one. */
  readonly cursor: string | null;
}

interface PageOptions {
  /** Kind of the records of the list. */
  readonly kind: string;
  readonly tenant: string;
  readonly limit: number;
  readonly cursor?: string;
}

const endOfTimeMs = 9_999_999_999_999;

export async function recentConversations({ records }: Runtime, options: PageOptions): Promise<ConversationPage> {
  const page = await records.list(options);
  return { conversations: page.records.map(({ value }) => value as ListedConversation), cursor: page.cursor };
}

interface Move {
  readonly kind: string;
  readonly id: string;
  readonly from: ListedAs | null;
  readonly to: ListedAs | null;
}

/** Edits that move a conversation in the list. `null`: it is not there. */
export function listEdits({ kind, id, from, to }: Move): RecordEdit[] {
  const edits: RecordEdit[] = [];
  if (from !== null) edits.push({ kind, id: placeOf(id, from), expected: 1, delete: true });
  if (to !== null) edits.push({ kind, id: placeOf(id, to), expected: 0, value: { id, ...to } });
  return edits;
}

/** A place that the conversation did not have, also within a millisecond. */
export function nextPlace(from: ListedAs | null, { title, updatedAtMs }: ListedAs): ListedAs {
  return { title, updatedAtMs: Math.max(updatedAtMs, (from?.updatedAtMs ?? 0) + 1) };
}

const placeOf = (id: string, { updatedAtMs }: ListedAs): string =>
  `${String(endOfTimeMs - updatedAtMs).padStart(13, "0")}.${id}`;
