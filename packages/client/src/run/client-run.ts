/**
 * A run as callers hold it.
 *
 * @module
 */
import type { Receipt } from "millrace";
import { PieceReader, piecesType, type WrittenPieces } from "millrace/wire";
import type { CallOptions, KeyedOptions } from "../call.types.js";
import { joinSignals, pathTo } from "../http/transport.js";
import type { SomeEvent } from "../inferred.types.js";
import { checkOptions, type Rules } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import type {
  CancelOptions,
  ClientRun,
  PendingPrompt,
  RunOutcome,
  RunSummary,
  SendOptions,
  StreamedEvent,
  StreamOptions,
} from "../run.types.js";
import { closable } from "../stream/closable.js";
import { envelopesOf } from "../stream/envelopes.js";
import { follow } from "../stream/follow.js";
import { orAborted } from "../system.js";
import { decodeEvent, eventOf } from "../wire/event.js";
import { type Connection, getPrompts, getSummary, postAnswer, postCancel, postEvent } from "./handler-calls.js";
import { settle } from "./settle.js";

export interface RunSource {
  readonly connection: Connection;
  /** `""` until the first answer of the server. */
  readonly handlerId: string;
  /** Request that starts the run; `null` for an existing run. */
  readonly started: Promise<RunSummary> | null;
  readonly signal: AbortSignal | undefined;
}

export function createClientRun(source: RunSource): ClientRun {
  return new Run(source);
}

class Run implements ClientRun {
  readonly accepted: Promise<void>;
  readonly [Symbol.toStringTag] = "ClientRun";
  readonly #source: RunSource;
  /** Resolves to the id when the run is stored. */
  readonly #stored: Promise<string>;
  #handlerId: string;
  #result: Promise<unknown> | null = null;

  constructor(source: RunSource) {
    this.#source = source;
    this.#handlerId = source.handlerId;
    this.#stored = this.#whenStored();
    this.accepted = this.#stored.then(() => {});
    this.accepted.catch(() => {}); // users of the run get this error, too
  }

  get handlerId(): string {
    return this.#handlerId;
  }

  async #whenStored(): Promise<string> {
    const summary = await this.#source.started;
    if (this.#handlerId === "" && summary !== null) this.#handlerId = summary.handlerId;
    return this.#handlerId;
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise of its result
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `then` are the compiler's
  then: Promise<any>["then"] = (...args) => this.#settled().then(...args);
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `catch` are the compiler's
  catch: Promise<any>["catch"] = (...args) => this.#settled().catch(...args);
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of `finally` are the compiler's
  finally: Promise<any>["finally"] = (...args) => this.#settled().finally(...args);

  /** Waits for the result. Starts once, when the result is first awaited. */
  #settled(): Promise<unknown> {
    this.#result ??= this.#settle();
    return this.#result;
  }

  async result(options: CallOptions = {}): Promise<unknown> {
    return this.#settle(await this.#ready("result", options, rules.call));
  }

  async #settle(signal = this.#source.signal): Promise<unknown> {
    const { connection, started } = this.#source;
    const known = (await started) ?? undefined;
    const handlerId = await this.#stored;
    const outcome = await settle(connection, { handlerId, until: "end", known, signal });
    if (outcome.status === "completed") return outcome.result;
    throw outcome.status === "waiting" ? new TypeError("A run that waits has not ended.") : outcome.error;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the interface types the events
  stream(options: StreamOptions = {}): AsyncIterable<StreamedEvent<any>> {
    checkOptions("stream", options, rules.stream);
    const { after = -1, signal } = options;
    return closable([this.#source.signal, signal], (closing) => this.#read(after, closing));
  }

  async *#read(after: number, signal: AbortSignal): AsyncGenerator<StreamedEvent<SomeEvent>, void> {
    const { transport, classes } = this.#source.connection;
    const path = pathTo("/events/{id}", { id: await orAborted(this.#stored, signal) });
    const request = { method: "GET", url: `${transport.options.baseUrl}${path}` };
    const pieces = new PieceReader();
    for await (const envelope of follow({ transport, path, after, signal, ...envelopesOf() })) {
      const { type, sequence, origin = null, prompt_id: promptId = null, writer, call } = envelope;
      const event = decodeEvent(envelope, { classes, request });
      // Pieces come again: live, when they are stored, after a lost connection, and with the record of their call.
      const news = type === piecesType ? pieces.take(event as WrittenPieces & SomeEvent, `${origin} ${writer}`) : event;
      if (news === null) continue;
      yield {
        sequence,
        event: news === event ? event : eventOf(type, news, classes),
        origin,
        promptId,
        ...(writer !== undefined && { writer }),
        ...(call !== undefined && { call }),
      };
    }
  }

  async sendEvent(event: object, options: SendOptions = {}): Promise<Receipt> {
    const { connection } = this.#source;
    const signal = await this.#ready("sendEvent", options, rules.send);
    return postEvent(
      connection,
      { handlerId: this.handlerId, step: options.step },
      { event, key: options.key, signal },
    );
  }

  async answer(promptId: string, fields: object = {}, options: KeyedOptions = {}): Promise<Receipt> {
    const { connection } = this.#source;
    const signal = await this.#ready("answer", options, rules.keyed);
    return postAnswer(connection, { handlerId: this.handlerId, promptId }, { fields, key: options.key, signal });
  }

  async prompts(options: CallOptions = {}): Promise<PendingPrompt[]> {
    const signal = await this.#ready("prompts", options, rules.call);
    return getPrompts(this.#source.connection, this.handlerId, signal);
  }

  async cancel(options: CancelOptions = {}): Promise<void> {
    const signal = await this.#ready("cancel", options, rules.cancel);
    await postCancel(this.#source.connection, this.handlerId, { reason: options.reason, key: options.key, signal });
  }

  async idle(options: CallOptions = {}): Promise<RunOutcome> {
    const signal = await this.#ready("idle", options, rules.call);
    return settle(this.#source.connection, { handlerId: this.handlerId, until: "idle", signal });
  }

  async summary(options: CallOptions = {}): Promise<RunSummary> {
    const signal = await this.#ready("summary", options, rules.call);
    return getSummary(this.#source.connection, { handlerId: this.handlerId, signal });
  }

  /** Checks the options and waits until the run is stored. Returns the signal of the call. */
  async #ready(call: string, options: CallOptions, known: Rules): Promise<AbortSignal | undefined> {
    checkOptions(call, options, known);
    const { signal: own } = this.#source;
    const signal = own === undefined ? options.signal : joinSignals(own, options.signal);
    await orAborted(this.accepted, signal);
    return signal;
  }
}
