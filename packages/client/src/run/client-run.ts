/**
 * One run, as callers hold it.
 *
 * @module
 */
import type { Receipt } from "millrace";
import type {
  CallOptions,
  CancelOptions,
  ClientRun,
  KeyedOptions,
  PendingPrompt,
  RunOutcome,
  RunSummary,
  SendOptions,
  StreamedEvent,
  StreamOptions,
} from "../client.types.js";
import { joinSignals } from "../http/transport.js";
import { createRunStream } from "../stream/run-stream.js";
import { type Connection, getPrompts, getSummary, postAnswer, postCancel, postEvent } from "./handler-calls.js";
import { settle } from "./settle.js";

export interface RunSource {
  readonly connection: Connection;
  readonly handlerId: string;
  /** What brings the run about, and where it stands then. Null: it is on the server already. */
  readonly started: Promise<RunSummary> | null;
  readonly signal: AbortSignal | undefined;
}

export function createClientRun(source: RunSource): ClientRun {
  return new Run(source);
}

class Run implements ClientRun {
  readonly handlerId: string;
  readonly accepted: Promise<void>;
  readonly [Symbol.toStringTag] = "ClientRun";
  readonly #source: RunSource;
  #result: Promise<unknown> | null = null;

  constructor(source: RunSource) {
    this.#source = source;
    this.handlerId = source.handlerId;
    this.accepted = Promise.resolve(source.started).then(() => {});
    this.accepted.catch(() => {}); // whoever uses the run is told
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise of its result
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `then` are the compiler's
  then: Promise<any>["then"] = (...args) => this.#settled().then(...args);
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `catch` are the compiler's
  catch: Promise<any>["catch"] = (...args) => this.#settled().catch(...args);
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `finally` are the compiler's
  finally: Promise<any>["finally"] = (...args) => this.#settled().finally(...args);

  /** Asked for once, and only when somebody awaits it. */
  #settled(): Promise<unknown> {
    this.#result ??= this.#settle();
    return this.#result;
  }

  async #settle(): Promise<unknown> {
    const { connection, handlerId, started, signal } = this.#source;
    const known = (await started) ?? undefined;
    const outcome = await settle(connection, { handlerId, until: "end", known, signal });
    if (outcome.status === "completed") return outcome.result;
    throw outcome.status === "waiting" ? new TypeError("A run that waits has not ended.") : outcome.error;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the interface says which events it shows
  stream(options: StreamOptions = {}): AsyncIterable<StreamedEvent<any>> {
    const { accepted } = this;
    return createRunStream({ ...this.#source, accepted }, options);
  }

  async sendEvent(event: object, { step, key, ...options }: SendOptions = {}): Promise<Receipt> {
    const { connection, handlerId } = this.#source;
    await this.accepted;
    return postEvent(connection, { handlerId, step }, { event, key, signal: this.#signal(options) });
  }

  async answer(promptId: string, fields: object = {}, { key, ...options }: KeyedOptions = {}): Promise<Receipt> {
    const { connection, handlerId } = this.#source;
    await this.accepted;
    return postAnswer(connection, { handlerId, promptId }, { fields, key, signal: this.#signal(options) });
  }

  async prompts(options: CallOptions = {}): Promise<PendingPrompt[]> {
    await this.accepted;
    return getPrompts(this.#source.connection, this.handlerId, this.#signal(options));
  }

  async cancel({ reason, ...options }: CancelOptions = {}): Promise<void> {
    await this.accepted;
    await postCancel(this.#source.connection, this.handlerId, { reason, signal: this.#signal(options) });
  }

  async idle(options: CallOptions = {}): Promise<RunOutcome> {
    await this.accepted;
    const { connection, handlerId } = this.#source;
    return settle(connection, { handlerId, until: "idle", signal: this.#signal(options) });
  }

  async summary(options: CallOptions = {}): Promise<RunSummary> {
    await this.accepted;
    return getSummary(this.#source.connection, this.handlerId, this.#signal(options));
  }

  #signal({ signal }: CallOptions): AbortSignal | undefined {
    const { signal: own } = this.#source;
    return own === undefined ? signal : joinSignals(own, signal);
  }
}
