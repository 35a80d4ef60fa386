/** Requests that hold a connection and a watcher: those that wait for a run, and streams. */
import type { Context } from "hono";
import type { RunHandle } from "millrace/runtime";
import type { ServerEnv } from "../guard/auth.js";
import { answerError } from "../http/answer-error.js";
import { type Caller, callerOf } from "../quota/caller.js";
import { settled } from "../runs/run-wait.js";
import type { KeptOpen } from "../stream/live-response.js";
import type { Server } from "./server.types.js";

interface CallOf {
  readonly context: Context<ServerEnv>;
}

/** Waits as long as the query says, or until the client disconnects. @throws {HttpError} `WAITS_EXCEEDED` */
export async function waitAsRequested(
  server: Server,
  { query, context }: CallOf & { readonly query: { readonly wait: number } },
  handle: RunHandle,
): Promise<void> {
  if (query.wait === 0) return;
  const waitMs = Math.min(query.wait, server.limits.runWaitMs);
  await whileWaiting(server, { context }, () => settled(handle, waitMs, context.req.raw.signal));
}

/** Counts `work` as a waiting request. @throws {HttpError} `WAITS_EXCEEDED` before `work` starts. */
export async function whileWaiting<Value>(
  { quotas, options }: Server,
  { context }: CallOf,
  work: (caller: Caller) => Promise<Value>,
): Promise<Value> {
  const caller = callerOf(options, context);
  quotas.waits.assertFree(caller);
  const release = quotas.waits.take(caller);
  try {
    return await work(caller);
  } finally {
    release();
  }
}

/** Finds room for one more stream, which counts from its first read to its end. @throws {HttpError} `STREAMS_EXCEEDED` */
export function keptOpen({ quotas, options, limits }: Server, { context }: CallOf): KeptOpen {
  const caller = callerOf(options, context);
  quotas.streams.assertFree(caller);
  return {
    heartbeatMs: limits.heartbeatMs,
    onOpen: () => quotas.streams.take(caller),
    onError: (error) => void answerError(error, { method: "GET", path: context.req.path }, options.log),
  };
}
