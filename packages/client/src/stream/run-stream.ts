import type { StreamedEvent, StreamOptions } from "../client.types.js";
import { joinSignals } from "../http/transport.js";
import type { SomeEvent } from "../inferred.types.js";
import { type Connection, eventsPath } from "../run/handler-calls.js";
import { orAborted } from "../system.js";
import { decodeEvent } from "../wire/event.js";
import { envelopesOf } from "./envelopes.js";
import { follow } from "./follow.js";

export interface StreamSource {
  readonly connection: Connection;
  /** Resolves to the id of the run when that is stored. */
  readonly stored: Promise<string>;
  readonly signal: AbortSignal | undefined;
}

export function createRunStream(source: StreamSource, options: StreamOptions): AsyncIterable<StreamedEvent> {
  return { [Symbol.asyncIterator]: () => iterate(source, { ...options, after: options.after ?? -1 }) };
}

/**
 * Wraps the generator, which handles `return()` only after its pending `next()`: here `return()` closes the connection,
 * so that `next()` ends.
 */
function iterate(
  source: StreamSource,
  options: StreamOptions & { readonly after: number },
): AsyncIterator<StreamedEvent> {
  const closing = new AbortController();
  let signal = closing.signal;
  for (const outer of [source.signal, options.signal]) signal = joinSignals(signal, outer);
  const items = read(source, { after: options.after, signal });
  return {
    next: () =>
      items.next().catch((error: unknown) => {
        if (closing.signal.aborted) return { done: true, value: undefined };
        throw error;
      }),
    return: async () => {
      closing.abort();
      await items.return();
      return { done: true, value: undefined };
    },
  };
}

async function* read(
  { connection, stored }: StreamSource,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamedEvent<SomeEvent>, void> {
  const { transport, classes } = connection;
  const path = eventsPath(await orAborted(stored, signal));
  const request = { method: "GET", url: `${transport.options.baseUrl}${path}` };
  for await (const envelope of follow({ transport, path, after, signal, ...envelopesOf(request) })) {
    yield {
      sequence: envelope.sequence,
      event: decodeEvent(envelope, { classes, request }),
      origin: envelope.origin ?? null,
      promptId: envelope.prompt_id ?? null,
    };
  }
}
