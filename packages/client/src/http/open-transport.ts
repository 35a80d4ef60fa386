/** The transport of a client, from its options. */
import type { ClientOptions } from "../client.types.js";
import { resolveRetry } from "./backoff.js";
import { Transport } from "./transport.js";

export function openTransport(options: ClientOptions): Transport {
  return new Transport({
    baseUrl: String(options.baseUrl).replace(/\/+$/, ""),
    // Wrapped, because a `fetch` that is called as a method of another object may refuse to run.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    headers: options.headers ?? {},
    retry: resolveRetry(options.retry),
    timeoutMs: Math.min(options.timeoutMs ?? 30_000, MAX_TIMER_MS),
    streamTimeoutMs: Math.min(options.streamTimeoutMs ?? 60_000, MAX_TIMER_MS),
  });
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
