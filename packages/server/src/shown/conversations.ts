/**
 * What a conversation is: a list of turns in one record, and a record for each turn.
 *
 * A turn is a message of the person and the run that answers it. The answer itself is the stream of its run: it is
 * copied into the turn once the run has completed, so that it is read once, and outlives its run.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { Runtime } from "millrace/runtime";

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
}

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
export interface ConversationsOf {
  /** Prefix of the kinds of their records. */
  readonly kind: string;
  readonly tenant: string;
}

/** The conversations of one tenant. */
export class Conversations<Message extends { readonly id: string }, Answer> {
  readonly #runtime: Runtime;
  readonly #kind: string;
  readonly tenant: string;

  constructor(runtime: Runtime, { kind, tenant }: ConversationsOf) {
    this.#runtime = runtime;
    this.#kind = kind;
    this.tenant = tenant;
  }

  /** `null` if there is no such conversation. */
  async find(id: string): Promise<Conversation | null> {
    const record = await this.#runtime.records.read(this.#kind, id, this);
    if (record === null) return null;
    const { count, turns } = record.value as Pick<Conversation, "count" | "turns">;
    return { id, version: record.version, count, turns };
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
    const value = { count: conversation.count + 1, turns: [...kept, { runId, messageId: message.id }] };
    return this.#write([
      { kind: this.#kind, id: conversation.id, expected: conversation.version, value },
      { kind: `${this.#kind}.turn`, id: runId, expected: 0, value: { message, answer: null } },
    ]);
  }

  /** Takes a turn back whose run could not be started. */
  async takeBack(conversation: Conversation, runId: string): Promise<void> {
    const value = { count: conversation.count + 1, turns: conversation.turns };
    await this.#write([
      { kind: this.#kind, id: conversation.id, expected: conversation.version + 1, value },
      { kind: `${this.#kind}.turn`, id: runId, expected: 1, delete: true },
    ]);
  }

  /** Another request may have kept the same answer before. */
  async keepAnswer(runId: string, { version, message }: StoredTurn<Message, Answer>, answer: Answer): Promise<void> {
    await this.#write([{ kind: `${this.#kind}.turn`, id: runId, expected: version, value: { message, answer } }]);
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

const turnMissing = (runId: string) => ({
  code: "RUN_UNKNOWN" as const,
  message: `The turn of the run "${runId}" is not stored.`,
  hint: "Check whether its record was deleted.",
  details: { runId },
});
