/** Requests that are answered later: each holds a connection, and what watches its run. */
import type { Context } from "hono";
import type { RunHandle } from "millrace/runtime";
import type { ServerEnv } from "../http/route.js";
import { callerOf } from "../quota/caller.js";
import { settled } from "../run-wait.js";
import type { Server } from "../server.types.js";

interface CallOf {
  readonly context: Context<ServerEnv>;
}

/** For as long as a request asks, and while there is somebody to be told. @throws {HttpError} `WAITS_EXCEEDED` */
export async function waitAsAsked(
  server: Server,
  { query, context }: CallOf & { readonly query: { readonly wait: number } },
  handle: RunHandle,
): Promise<void> {
  if (query.wait === 0) return;
  const waitMs = Math.min(query.wait, server.limits.runWaitMs);
  await whileWaiting(server, { context }, () => settled(handle, waitMs, context.req.raw.signal));
}

/** Counts `work` as one request that waits. @throws {HttpError} `WAITS_EXCEEDED`, before anything is done. */
export async function whileWaiting<Value>(
  { quotas, options }: Server,
  { context }: CallOf,
  work: () => Promise<Value>,
): Promise<Value> {
  const caller = callerOf(options, context);
  quotas.waits.assertFree(caller);
  const release = quotas.waits.take(caller);
  try {
    return await work();
  } finally {
    release();
  }
}
