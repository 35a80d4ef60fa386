/**
 * Waiting for a run.
 *
 * The server closes a stream where the run ends (or waits). What is shown until then is let go; where the run then stands says
 * its record. Whoever waits for more runs than the server gives streams asks for the others by their records, which the server
 * holds back until there is something to say.
 *
 * @module
 */
import type { RunOutcome, RunSummary } from "../client.types.js";
import { ClientError } from "../client-error.js";
import { follow } from "../stream/follow.js";
import { sleep } from "../system.js";
import { isOutcome } from "../wire/handler-record.js";
import { type Connection, eventsPath, getSummary } from "./handler-calls.js";

export interface Settling {
  readonly handlerId: string;
  readonly until: "end" | "idle";
  /** Where the run stood at last, where that is known. */
  readonly known?: RunSummary | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Between two looks at a run whose stream ends at once although it goes on. */
const pauseMs = 250;
/** Between two looks at a run that there is no stream for: the first pause, and the longest. */
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

/** False: the server gives no further stream now. */
async function readToItsEnd({ transport }: Connection, { handlerId, until, signal }: Settling): Promise<boolean> {
  const finalCodes = ["STREAMS_EXCEEDED"];
  const following = { transport, path: eventsPath(handlerId), after: "now", until, finalCodes, signal } as const;
  try {
    for await (const _ of follow(following)) {
      // Whoever wants to see it reads the stream.
    }
    return true;
  } catch (error) {
    if (error instanceof ClientError && finalCodes.includes(error.code)) return false;
    throw error;
  }
}
