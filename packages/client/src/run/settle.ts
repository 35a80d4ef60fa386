/**
 * Waiting for a run.
 *
 * The server closes a stream where the run ends (or waits). What is shown until then is let go; where the run then stands says
 * its record.
 *
 * @module
 */
import type { RunOutcome, RunSummary } from "../client.types.js";
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

export async function settle(connection: Connection, settling: Settling): Promise<RunOutcome> {
  const { handlerId, until, signal } = settling;
  const isThere = (summary: RunSummary): summary is RunOutcome =>
    isOutcome(summary) && (until === "idle" || summary.status !== "waiting");
  let summary = settling.known ?? (await getSummary(connection, handlerId, signal));
  for (let rounds = 0; !isThere(summary); rounds++) {
    if (rounds > 0) await sleep(pauseMs, signal);
    const path = eventsPath(handlerId);
    for await (const _ of follow({ transport: connection.transport, path, after: "now", until, signal })) {
      // Whoever wants to see it reads the stream.
    }
    summary = await getSummary(connection, handlerId, signal);
  }
  return summary;
}
