/**
 * Starts runs.
 *
 * The client creates the id of a run before the request, so that a request whose response is lost can be repeated: it
 * names the same run. No other client has a random id, so a conflict means that the first request has arrived. With a
 * key, the id is derived from the key, so that two calls with one key name one run.
 *
 * @module
 */
import type { ForkBody, StartBody } from "millrace/wire";
import type { KeyedOptions } from "../call.types.js";
import type { RunOptions } from "../client.types.js";
import { hasCode } from "../client-error.js";
import type { ForkOptions } from "../history.types.js";
import { type Call, pathTo } from "../http/transport.js";
import type { ClientRun, RunSummary } from "../run.types.js";
import { newId } from "../system.js";
import { encodeStart } from "../wire/event.js";
import { createClientRun } from "./client-run.js";
import { askForSummary, type Connection, getSummary } from "./handler-calls.js";

interface Start {
  readonly workflow: string;
  readonly input: object;
  readonly options: RunOptions;
}

/** Returns synchronously; errors appear when the run is awaited. */
export function startRun(connection: Connection, { workflow, input, options }: Start): ClientRun {
  const path = pathTo("/workflows/{name}/run-nowait", { name: workflow });
  const { labels, queue, queueKey, priority, dedupe, signal } = options;
  const { handlerId, key, isOurs } = namesOf(options, workflow);
  const post = async (): Promise<RunSummary> => {
    const start = encodeStart(input);
    const id = dedupe === undefined ? handlerId : options.handlerId;
    const body: StartBody = {
      start_event: start,
      handler_id: id,
      labels,
      queue,
      queue_key: queueKey,
      priority,
      dedupe,
    };
    const call: Call = { method: "POST", path, body, key, signal };
    return begin(connection, call, { handlerId, isOurs });
  };
  // With `dedupe`, the server decides which run it is.
  return createClientRun({ connection, handlerId: dedupe === undefined ? handlerId : "", started: post(), signal });
}

export function forkRun(connection: Connection, from: string, options: ForkOptions): ClientRun {
  const { at, state, event, item, override, signal } = options;
  const { handlerId, key, isOurs } = namesOf(options, from);
  const body: ForkBody = { at, handler_id: handlerId, state, event, item, override };
  const call: Call = { method: "POST", path: pathTo("/handlers/{id}/fork", { id: from }), body, key, signal };
  return createClientRun({ connection, handlerId, started: begin(connection, call, { handlerId, isOurs }), signal });
}

/** Continues an existing run. The server does so once per key, however often the request is repeated. */
export function continueRun(
  connection: Connection,
  handlerId: string,
  { how, key = newId(), signal }: KeyedOptions & { readonly how: "resume" | "retry" },
): ClientRun {
  const call: Call = { method: "POST", path: pathTo(`/handlers/{id}/${how}`, { id: handlerId }), key, signal };
  return createClientRun({ connection, handlerId, started: askForSummary(connection, call), signal });
}

export interface Names extends NewRun {
  readonly key: string;
}

/** @param of Scope of the key: the same key in another scope is another run. */
export function namesOf({ handlerId, key }: Pick<RunOptions, "handlerId" | "key">, of: string): Names {
  const made = key === undefined ? newId() : `${of}:${key}`;
  return { handlerId: handlerId ?? made, key: key ?? newId(), isOurs: handlerId === undefined && key === undefined };
}

export interface NewRun {
  readonly handlerId: string;
  /** `true` when the id is random. */
  readonly isOurs: boolean;
}

export async function begin(connection: Connection, call: Call, { handlerId, isOurs }: NewRun): Promise<RunSummary> {
  try {
    return await askForSummary(connection, call);
  } catch (error) {
    if (!isOurs || !hasCode(error, "RUN_ID_CONFLICT")) throw error;
    return getSummary(connection, { handlerId, signal: call.signal }); // the first request has arrived
  }
}
