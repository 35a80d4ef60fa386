import type { StreamedEvent, StreamOptions } from "../client.types.js";
import type { SomeEvent } from "../inferred.types.js";
import { closable } from "../stream/closable.js";
import { envelopesOf } from "../stream/envelopes.js";
import { follow } from "../stream/follow.js";
import { orAborted } from "../system.js";
import { decodeEvent } from "../wire/event.js";
import { type Connection, eventsPath } from "./handler-calls.js";

export interface StreamSource {
  readonly connection: Connection;
  /** Resolves to the id of the run when that is stored. */
  readonly stored: Promise<string>;
  readonly signal: AbortSignal | undefined;
}

export function createRunStream(
  source: StreamSource,
  { after = -1, signal }: StreamOptions,
): AsyncIterable<StreamedEvent> {
  return closable([source.signal, signal], (closing) => read(source, { after, signal: closing }));
}

async function* read(
  { connection, stored }: StreamSource,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamedEvent<SomeEvent>, void> {
  const { transport, classes } = connection;
  const path = eventsPath(await orAborted(stored, signal));
  const request = { method: "GET", url: `${transport.options.baseUrl}${path}` };
  for await (const envelope of follow({ transport, path, after, signal, ...envelopesOf() })) {
    yield {
      sequence: envelope.sequence,
      event: decodeEvent(envelope, { classes, request }),
      origin: envelope.origin ?? null,
      promptId: envelope.prompt_id ?? null,
    };
  }
}
