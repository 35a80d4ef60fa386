/**
 * What a chat is: a list of turns in one record, and a record for each turn.
 *
 * A turn is a message of the person and the run that answers it. The answer itself is the stream of its run: it is
 * copied into the turn once the run has completed, so that it is read once, and outlives its run.
 *
 * @module
 */
import type { UIMessage } from "ai";
import { WorkflowError } from "millrace";
import type { RecordEdit, Runtime } from "millrace/runtime";
import { nowMs } from "../system.js";
import { type ChatPage, type ListedAs, listEdits, nextPlace, recentChats, titleOf } from "./recent-chats.js";

/** A turn in the list of its chat. */
export interface TurnEntry {
  readonly runId: string;
  /** Id of the message of the person. */
  readonly messageId: string;
}

export interface Chat {
  readonly id: string;
  /** Version of its record; 0 for a chat that is not stored yet. */
  readonly version: number;
  /** How many runs it has had, those of replaced turns included. */
  readonly count: number;
  readonly turns: readonly TurnEntry[];
  /** What the list of chats says; `null` for a chat without turns. */
  readonly listed: ListedAs | null;
  /** `true`: what belongs to it is being deleted, and it takes no messages. */
  readonly isDeleting: boolean;
}

export interface StoredTurn {
  readonly version: number;
  /** The message of the person. */
  readonly message: UIMessage;
  /** The whole answer; `null` until the run is seen to have completed. */
  readonly answer: UIMessage | null;
}

type StoredChat = Pick<Chat, "count" | "turns"> & Partial<Pick<Chat, "listed" | "isDeleting">>;

const chatKind = "chat";
const turnKind = "chat.turn";

/** The chats of one tenant. */
export class Chats {
  readonly #runtime: Runtime;
  readonly tenant: string;

  constructor(runtime: Runtime, tenant: string) {
    this.#runtime = runtime;
    this.tenant = tenant;
  }

  /** `null` if there is no such chat, also while it is being deleted. */
  async find(id: string): Promise<Chat | null> {
    const chat = await this.stored(id);
    return chat?.isDeleting === true ? null : chat;
  }

  /** `null` if nothing of the chat is stored. */
  async stored(id: string): Promise<Chat | null> {
    const record = await this.#runtime.records.read(chatKind, id, this);
    if (record === null) return null;
    const { listed = null, isDeleting = false, ...rest } = record.value as StoredChat;
    return { id, version: record.version, listed, isDeleting, ...rest };
  }

  /** Chats with the latest message first. */
  list(page: { readonly limit: number; readonly cursor?: string }): Promise<ChatPage> {
    return recentChats(this.#runtime, { ...page, tenant: this.tenant });
  }

  async turn({ runId }: TurnEntry): Promise<StoredTurn> {
    const record = await this.#runtime.records.read(turnKind, runId, this);
    if (record === null) throw new WorkflowError(turnMissing(runId));
    return { version: record.version, ...(record.value as Omit<StoredTurn, "version">) };
  }

  /**
   * Adds a turn after `kept`; the others leave the chat.
   *
   * @returns `false` if another request has changed the chat since it was read.
   */
  async begin(chat: Chat, kept: readonly TurnEntry[], { message, runId }: NewTurn): Promise<boolean> {
    const title = kept.length === 0 ? titleOf(message) : (chat.listed?.title ?? "");
    const listed = nextPlace(chat.listed, { title, updatedAtMs: nowMs() });
    const value = { count: chat.count + 1, turns: [...kept, { runId, messageId: message.id }], listed };
    return this.#write([
      { kind: chatKind, id: chat.id, expected: chat.version, value },
      { kind: turnKind, id: runId, expected: 0, value: { message, answer: null } },
      ...listEdits(chat.id, chat.listed, listed),
    ]);
  }

  /** Takes a turn back whose run could not be started. */
  async takeBack({ id, version, count, turns, listed }: Chat, runId: string): Promise<void> {
    const now = await this.find(id);
    if (now?.version !== version + 1) return; // another request has changed the chat since
    await this.#write([
      { kind: chatKind, id, expected: now.version, value: { count: count + 1, turns, listed } },
      { kind: turnKind, id: runId, expected: 1, delete: true },
      ...listEdits(id, now.listed, listed),
    ]);
  }

  /**
   * Takes the chat from the list. It gets no messages any more.
   *
   * @returns The chat as it is stored now; `null` if another request has changed it since it was read.
   */
  async beginDelete(chat: Chat): Promise<Chat | null> {
    if (chat.isDeleting) return chat;
    const { id, version, count, turns, listed } = chat;
    const isWritten = await this.#write([
      { kind: chatKind, id, expected: version, value: { count, turns, isDeleting: true } },
      ...listEdits(id, listed, null),
    ]);
    return isWritten ? { ...chat, version: version + 1, listed: null, isDeleting: true } : null;
  }

  /** Deletes the records of a chat: its turns, in parts, and then itself. */
  async endDelete({ id, version }: Chat): Promise<void> {
    for (;;) {
      const { tenant } = this;
      const page = await this.#runtime.records.list({ kind: turnKind, prefix: `chat.${id}.`, tenant });
      if (page.records.length === 0) break;
      await this.#write(
        page.records.map((turn) => ({ kind: turnKind, id: turn.id, expected: turn.version, delete: true })),
      );
    }
    await this.#write([{ kind: chatKind, id, expected: version, delete: true }]);
  }

  /** Another request may have kept the same answer before. */
  async keepAnswer(runId: string, { version, message }: StoredTurn, answer: UIMessage): Promise<void> {
    await this.#write([{ kind: turnKind, id: runId, expected: version, value: { message, answer } }]);
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

export const newChat = (id: string): Chat => ({
  ...{ id, version: 0, count: 0, turns: [], listed: null, isDeleting: false },
});

export interface NewTurn {
  readonly message: UIMessage;
  readonly runId: string;
}

/** Id of the run with this number, from 1. Ids of chats have no dots. */
export const runIdOf = ({ id }: Pick<Chat, "id">, number: number): string => `chat.${id}.${number}`;

const turnMissing = (runId: string) => ({
  code: "RUN_UNKNOWN" as const,
  message: `The turn of the run "${runId}" is not stored.`,
  hint: "Check whether its record was deleted.",
  details: { runId },
});
