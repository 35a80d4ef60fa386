import { WorkflowError } from "millrace";
import type { RunHandle, Runtime } from "millrace/runtime";
import type { Conversations, StoredTurn, TurnEntry } from "./conversations.js";
import { isForPerson } from "./until-waiting.js";

/**
 * How far the run of a turn is. `broken`: it has failed or was stopped, and may be retried or resumed. `missing`: it
 * was never started, or is deleted.
 */
export type TurnStatus = "running" | "waiting" | "completed" | "broken" | "missing";

/** Reads the answer of a run that does not work now; `null`: there is none. */
export type ReadAnswer<Answer> = (handle: RunHandle) => Promise<Answer | null>;

/** Reads the answers of a conversation from its runs. */
export class Answers<Message extends { readonly id: string }, Answer> {
  readonly #runtime: Runtime;
  readonly #conversations: Conversations<Message, Answer>;
  readonly #readAnswer: ReadAnswer<Answer>;

  constructor(runtime: Runtime, conversations: Conversations<Message, Answer>, readAnswer: ReadAnswer<Answer>) {
    this.#runtime = runtime;
    this.#conversations = conversations;
    this.#readAnswer = readAnswer;
  }

  handle({ runId }: Pick<TurnEntry, "runId">): RunHandle {
    return this.#runtime.handle(runId, { tenant: this.#conversations.tenant });
  }

  async status(turn: TurnEntry): Promise<TurnStatus> {
    try {
      const outcome = await this.handle(turn).outcome();
      if (outcome === null) return "running";
      if (outcome.status === "completed") return "completed";
      if (outcome.status !== "waiting") return "broken";
      return isForPerson(outcome) ? "waiting" : "running";
    } catch (error) {
      if (WorkflowError.is(error, "RUN_UNKNOWN")) return "missing";
      throw error;
    }
  }

  /** The turn with its answer, as far as it has come to an end or a question; without one while its run is at work. */
  async read(entry: TurnEntry): Promise<StoredTurn<Message, Answer>> {
    const turn = await this.#conversations.turn(entry);
    if (turn.answer !== null) return turn;
    const status = await this.status(entry);
    if (status === "running" || status === "missing") return turn;
    const answer = await this.#readAnswer(this.handle(entry));
    if (status === "completed" && answer !== null) await this.#conversations.keepAnswer(entry.runId, turn, answer);
    return { ...turn, answer };
  }
}
