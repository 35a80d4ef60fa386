import { readUIMessageStream, type UIMessage } from "ai";
import { WorkflowError } from "millrace";
import type { RunHandle, Runtime } from "millrace/runtime";
import { isForPerson, runChunks } from "../stream/run-chunks.js";
import type { RunMessageOptions } from "../stream/run-message.js";
import { streamOf } from "../to-ui-message-stream.js";
import type { Chats, StoredTurn, TurnEntry } from "./chats.js";

/**
 * How far the run of a turn is. `broken`: it has failed or was stopped, and may be retried or resumed. `missing`: it
 * was never started, or is deleted.
 */
export type TurnStatus = "running" | "waiting" | "completed" | "broken" | "missing";

/** Reads the answers of a chat from its runs. */
export class Answers {
  readonly #runtime: Runtime;
  readonly #chats: Chats;
  readonly #options: RunMessageOptions;

  constructor(runtime: Runtime, chats: Chats, options: RunMessageOptions) {
    this.#runtime = runtime;
    this.#chats = chats;
    this.#options = options;
  }

  handle({ runId }: Pick<TurnEntry, "runId">): RunHandle {
    return this.#runtime.handle(runId, { tenant: this.#chats.tenant });
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
  async read(entry: TurnEntry): Promise<StoredTurn> {
    const turn = await this.#chats.turn(entry);
    if (turn.answer !== null) return turn;
    const status = await this.status(entry);
    if (status === "running" || status === "missing") return turn;
    const answer = await this.#message(entry);
    if (status === "completed" && answer !== null) await this.#chats.keepAnswer(entry.runId, turn, answer);
    return { ...turn, answer };
  }

  async #message(entry: TurnEntry): Promise<UIMessage | null> {
    const stream = streamOf((signal) => runChunks(this.handle(entry), { ...this.#options, signal }));
    let message: UIMessage | null = null;
    for await (const state of readUIMessageStream({ stream })) message = state;
    return message;
  }
}
