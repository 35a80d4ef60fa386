/**
 * Waits for a run.
 *
 * The server closes a stream when the run ends (or waits). The events are ignored; the handler record then has the
 * status. When the server refuses further streams to this client, the record is requested instead, with a wait on the
 * server.
 *
 * @module
 */

import { hasCode } from "../client-error.js";
import { pathTo } from "../http/transport.js";
import type { RunOutcome, RunSummary } from "../run.types.js";
import { envelopesOf } from "../stream/envelopes.js";
import { follow } from "../stream/follow.js";
import { sleep } from "../system.js";
import { isOutcome } from "../wire/handler-record.js";
import { type Connection, getSummary } from "./handler-calls.js";

export interface Settling {
  readonly handlerId: string;
  readonly until: "end" | "idle";
  /** The last known status. */
  readonly known?: RunSummary | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds between two reads of a run whose stream closes at once although the run continues. */
const pauseMs = 250;
/** Milliseconds between two reads of a run without a stream: the first pause, and the longest. */
const fullPauseMs = { first: 1_000, most: 10_000 };
const longestWaitMs = 20_000;

export async function settle(connection: Connection, settling: Settling): Promise<RunOutcome> {
  const { handlerId, until, signal } = settling;
  const isThere = (summary: RunSummary): summary is RunOutcome =>
    isOutcome(summary) && (until === "idle" || summary.status !== "waiting");
  let summary = settling.known ?? (await getSummary(connection, { handlerId, signal }));
  let pause = 0;
  while (!isThere(summary)) {
    await sleep(pause, signal);
    const isFull = !(await readToItsEnd(connection, settling));
    const waitMs = isFull ? Math.min(longestWaitMs, connection.transport.options.timeoutMs / 2) : 0;
    summary = await getSummary(connection, { handlerId, waitMs, signal });
    pause = isFull ? Math.min(fullPauseMs.most, Math.max(fullPauseMs.first, pause * 2)) : pauseMs;
  }
  return summary;
}

/** Returns `false` when the server refuses further streams for now. */
async function readToItsEnd({ transport }: Connection, { handlerId, until, signal }: Settling): Promise<boolean> {
  const finalCodes = ["STREAMS_EXCEEDED"];
  const path = pathTo("/events/{id}", { id: handlerId });
  const following = { transport, path, after: "now", finalCodes, signal, ...envelopesOf(until) } as const;
  try {
    for await (const _ of follow(following)) {
      // The error is for readers of the stream.
    }
    return true;
  } catch (error) {
    if (hasCode(error, ...finalCodes)) return false;
    throw error;
  }
}
