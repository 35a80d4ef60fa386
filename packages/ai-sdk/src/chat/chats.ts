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
import type { Runtime } from "millrace/runtime";

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
}

export interface StoredTurn {
  readonly version: number;
  /** The message of the person. */
  readonly message: UIMessage;
  /** The whole answer; `null` until the run is seen to have completed. */
  readonly answer: UIMessage | null;
}

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

  /** `null` if there is no such chat. */
  async find(id: string): Promise<Chat | null> {
    const record = await this.#runtime.records.read(chatKind, id, this);
    if (record === null) return null;
    const { count, turns } = record.value as Pick<Chat, "count" | "turns">;
    return { id, version: record.version, count, turns };
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
    const value = { count: chat.count + 1, turns: [...kept, { runId, messageId: message.id }] };
    return this.#write([
      { kind: chatKind, id: chat.id, expected: chat.version, value },
      { kind: turnKind, id: runId, expected: 0, value: { message, answer: null } },
    ]);
  }

  /** Takes a turn back whose run could not be started. */
  async takeBack(chat: Chat, runId: string): Promise<void> {
    const value = { count: chat.count + 1, turns: chat.turns };
    await this.#write([
      { kind: chatKind, id: chat.id, expected: chat.version + 1, value },
      { kind: turnKind, id: runId, expected: 1, delete: true },
    ]);
  }

  /** Another request may have kept the same answer before. */
  async keepAnswer(runId: string, { version, message }: StoredTurn, answer: UIMessage): Promise<void> {
    await this.#write([{ kind: turnKind, id: runId, expected: version, value: { message, answer } }]);
  }

  async #write(edits: Parameters<Runtime["records"]["write"]>[0]): Promise<boolean> {
    try {
      await this.#runtime.records.write(edits.map((edit) => ({ ...edit, tenant: this.tenant })));
      return true;
    } catch (error) {
      if (WorkflowError.is(error, "RECORD_CONFLICT")) return false;
      throw error;
    }
  }
}

export interface NewTurn {
  readonly message: UIMessage;
  readonly runId: string;
}

/** Ids of chats have no dots. */
export const runIdOf = ({ id, count }: Chat): string => `chat.${id}.${count + 1}`;

const turnMissing = (runId: string) => ({
  code: "RUN_UNKNOWN" as const,
  message: `The turn of the run "${runId}" is not stored.`,
  hint: "Check whether its record was deleted.",
  details: { runId },
});
