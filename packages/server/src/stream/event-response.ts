/**
 * The stream of a run as a response. It ends with the run, or where the run waits (`until: "idle"`).
 *
 * @module
 */
import { type StreamedEvent, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { cleanJson } from "../http/clean-text.js";
import { type EnvelopeOptions, toStreamedEnvelope } from "../wire/envelope.js";
import { type KeptOpen, liveResponse } from "./live-response.js";

export interface EventResponseOptions extends KeptOpen {
  readonly format: "sse" | "ndjson";
  readonly after: number;
  readonly until: "end" | "idle";
  readonly envelope: EnvelopeOptions;
}

export function eventResponse(
  handle: RunHandle,
  { after, until, envelope, ...options }: EventResponseOptions,
): Response {
  return liveResponse<StreamedEvent>({
    ...options,
    open: (signal) => {
      const events = handle.streamEvents({ after })[Symbol.asyncIterator]();
      return until === "end" ? events : new UntilIdle({ handle, events, after, signal });
    },
    text: (item) => {
      const text = textOf(item, envelope);
      return options.format === "sse" ? `id: ${item.sequence}\ndata: ${text}\n\n` : `${text}\n`;
    },
    // A stream that ends without the run's last event makes the client reconnect, which is right here.
    isPassing: (error) => until === "end" && WorkflowError.is(error, "RUNTIME_STOPPED"),
  });
}

interface UntilIdleSetup {
  readonly handle: RunHandle;
  readonly events: AsyncIterator<StreamedEvent>;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** The events up to the last one that the run has shown when it waits. */
class UntilIdle implements AsyncIterator<StreamedEvent> {
  readonly #events: AsyncIterator<StreamedEvent>;
  /** The pending read of the next event. */
  #next: Promise<IteratorResult<StreamedEvent>> | null = null;
  /** Resolves when the run waits. */
  #waits: Promise<null> | null;
  /** Number of the last event to send; known once the run waits. */
  #last = Number.POSITIVE_INFINITY;
  #seen: number;

  constructor({ handle, events, after, signal }: UntilIdleSetup) {
    this.#events = events;
    this.#seen = after;
    this.#waits = this.#whenWaiting(handle, signal);
    this.#waits.catch(() => {}); // the next read reports the error
  }

  async #whenWaiting(handle: RunHandle, signal: AbortSignal): Promise<null> {
    const { status } = await handle.idle({ signal });
    if (status === "waiting") this.#last = (await handle.summary()).lastEvent;
    return null;
  }

  async next(): Promise<IteratorResult<StreamedEvent>> {
    while (this.#seen < this.#last) {
      this.#next ??= this.#events.next();
      const first = await Promise.race([this.#next, ...(this.#waits === null ? [] : [this.#waits])]);
      if (first === null) {
        this.#waits = null;
        continue;
      }
      this.#next = null;
      if (first.done !== true) this.#seen = first.value.sequence;
      return first;
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<StreamedEvent>> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }
}

/** Texts of events, with and without qualified names. All readers of a run get the same event objects. */
const texts: Readonly<Record<"named" | "bare", WeakMap<StreamedEvent, string>>> = {
  named: new WeakMap(),
  bare: new WeakMap(),
};

function textOf(item: StreamedEvent, options: EnvelopeOptions): string {
  const known = options.withQualifiedName === false ? texts.bare : texts.named;
  const text = known.get(item) ?? cleanJson(toStreamedEnvelope(item, options));
  known.set(item, text);
  return text;
}
