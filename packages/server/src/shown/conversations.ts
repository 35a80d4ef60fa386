/**
 * What a conversation is: a list of turns in one record, and a record for each turn.
 *
 * A turn is a message of the person and the run that answers it. The answer itself is the stream of its run: it is
 * copied into the turn once the run has completed, so that it is read once, and outlives its run.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { RecordEdit, Runtime } from "millrace/runtime";
import { nowMs } from "../system.js";
import {
  type ConversationPage,
  type ListedAs,
  listEdits,
  nextPlace,
  recentConversations,
} from "./recent-conversations.js";

/** A turn in the list of its conversation. */
export interface TurnEntry {
  readonly runId: string;
  /** Id of the message of the person. */
  readonly messageId: string;
}

export interface Conversation {
  readonly id: string;
  /** Version of its record; 0 for a conversation that is not stored yet. */
  readonly version: number;
  /** How many runs it has had, those of replaced turns included. */
  readonly count: number;
  readonly turns: readonly TurnEntry[];
  /** What the list of conversations says; `null` for one without turns, or without a list. */
  readonly listed: ListedAs | null;
  /** `true`: what belongs to it is being deleted, and it takes no messages. */
  readonly isDeleting: boolean;
}

type Stored = Pick<Conversation, "count" | "turns"> & Partial<Pick<Conversation, "listed" | "isDeleting">>;

export const newConversation = (id: string): Conversation => ({
  ...{ id, version: 0, count: 0, turns: [], listed: null, isDeleting: false },
});

export interface StoredTurn<Message, Answer> {
  readonly version: number;
  /** The message of the person. */
  readonly message: Message;
  /** The whole answer; `null` until the run is seen to have completed. */
  readonly answer: Answer | null;
}

export interface NewTurn<Message> {
  readonly message: Message;
  readonly runId: string;
}

/** Whose conversations, and of which protocol. */
export interface ConversationsOf<Message> {
  /** Prefix of the kinds of their records. */
  readonly kind: string;
  readonly tenant: string;
  /** What the list calls a conversation, by its first message. @default there is no list */
  readonly titleOf?: (message: Message) => string;
}

/** The conversations of one tenant. */
export class Conversations<Message extends { readonly id: string }, Answer> {
  readonly #runtime: Runtime;
  readonly #kind: string;
  readonly #titleOf: ConversationsOf<Message>["titleOf"];
  readonly tenant: string;

  constructor(runtime: Runtime, { kind, tenant, titleOf }: ConversationsOf<Message>) {
    this.#runtime = runtime;
    this.#kind = kind;
    this.#titleOf = titleOf;
    this.tenant = tenant;
  }

  /** `null` if there is no such conversation, also while it is being deleted. */
  async find(id: string): Promise<Conversation | null> {
    const found = await this.stored(id);
    return found?.isDeleting === true ? null : found;
  }

  /** `null` if nothing of the conversation is stored. */
  async stored(id: string): Promise<Conversation | null> {
    const record = await this.#runtime.records.read(this.#kind, id, this);
    if (record === null) return null;
    const { listed = null, isDeleting = false, ...rest } = record.value as Stored;
    return { id, version: record.version, listed, isDeleting, ...rest };
  }

  /** Those with the latest message first. */
  list(page: { readonly limit: number; readonly cursor?: string }): Promise<ConversationPage> {
    return recentConversations(this.#runtime, { ...page, tenant: this.tenant, kind: this.#listKind });
  }

  async turn({ runId }: TurnEntry): Promise<StoredTurn<Message, Answer>> {
    const record = await this.#runtime.records.read(`${this.#kind}.turn`, runId, this);
    if (record === null) throw new WorkflowError(turnMissing(runId));
    return { version: record.version, ...(record.value as Omit<StoredTurn<Message, Answer>, "version">) };
  }

  /**
   * Adds a turn after `kept`; the others leave the conversation.
   *
   * @returns `false` if another request has changed the conversation since it was read.
   */
  async begin(
    conversation: Conversation,
    kept: readonly TurnEntry[],
    { message, runId }: NewTurn<Message>,
  ): Promise<boolean> {
    const { id, version, count, listed: from } = conversation;
    const listed = this.#listedAs(conversation, kept, message);
    const value = { count: count + 1, turns: [...kept, { runId, messageId: message.id }], ...(listed && { listed }) };
    return this.#write([
      { kind: this.#kind, id, expected: version, value },
      { kind: `${this.#kind}.turn`, id: runId, expected: 0, value: { message, answer: null } },
      ...listEdits({ kind: this.#listKind, id, from, to: listed }),
    ]);
  }

  /** Takes a turn back whose run could not be started. */
  async takeBack({ id, version, count, turns, listed }: Conversation, runId: string): Promise<void> {
    const now = await this.find(id);
    if (now?.version !== version + 1) return; // another request has changed it since
    const value = { count: count + 1, turns, ...(listed && { listed }) };
    await this.#write([
      { kind: this.#kind, id, expected: now.version, value },
      { kind: `${this.#kind}.turn`, id: runId, expected: 1, delete: true },
      ...listEdits({ kind: this.#listKind, id, from: now.listed, to: listed }),
    ]);
  }

  /**
   * Takes the conversation from the list. It gets no messages any more.
   *
   * @returns The conversation as it is stored now; `null` if another request has changed it since it was read.
   */
  async beginDelete(conversation: Conversation): Promise<Conversation | null> {
    if (conversation.isDeleting) return conversation;
    const { id, version, count, turns, listed } = conversation;
    const isWritten = await this.#write([
      { kind: this.#kind, id, expected: version, value: { count, turns, isDeleting: true } },
      ...listEdits({ kind: this.#listKind, id, from: listed, to: null }),
    ]);
    return isWritten ? { ...conversation, version: version + 1, listed: null, isDeleting: true } : null;
  }

  /**
   * Deletes the records of a conversation: its turns, in parts, and then itself.
   *
   * @param runs What the ids of its runs begin with.
   */
  async endDelete({ id, version }: Conversation, runs: string): Promise<void> {
    const kind = `${this.#kind}.turn`;
    for (;;) {
      const page = await this.#runtime.records.list({ kind, prefix: runs, tenant: this.tenant });
      if (page.records.length === 0) break;
      await this.#write(page.records.map((turn) => ({ kind, id: turn.id, expected: turn.version, delete: true })));
    }
    await this.#write([{ kind: this.#kind, id, expected: version, delete: true }]);
  }

  /** Another request may have kept the same answer before. */
  async keepAnswer(runId: string, { version, message }: StoredTurn<Message, Answer>, answer: Answer): Promise<void> {
    await this.#write([{ kind: `${this.#kind}.turn`, id: runId, expected: version, value: { message, answer } }]);
  }

  get #listKind(): string {
    return `${this.#kind}.recent`;
  }

  #listedAs({ listed }: Conversation, kept: readonly TurnEntry[], message: Message): ListedAs | null {
    if (this.#titleOf === undefined) return null;
    const title = kept.length === 0 ? this.#titleOf(message) : (listed?.title ?? "");
    return nextPlace(listed, { title, updatedAtMs: nowMs() });
  }

  async #write(edits: readonly RecordEdit[]): Promise<boolean> {
    try {
      await this.#runtime.records.write(edits.map((edit) => ({ ...edit, tenant: this.tenant })));
      return true;
    } catch (error) {
      if (WorkflowError.is(error, "RECORD_CONFLICT")) return false;
      throw error;
    }
  }
}

const turnMissing = (runId: string) => ({
  code: "RUN_UNKNOWN" as const,
  message: `The turn of the run "${runId}" is not stored.`,
  hint: "Check whether its record was deleted.",
  details: { runId },
});
