/**
 * The client of the server whose page this is.
 *
 * Pages show a failure at once and read again by themselves, so `client` makes one attempt. `streams` connects again for as long as
 * somebody listens, and sends the answer of a person again until the server is back: it counts once.
 *
 * @module
 */
import { type Client, ClientError, type ClientOptions, createClient, type Flows } from "@millrace/client";
import type { Receipt } from "millrace";
import { connection } from "./connection.js";
import { isSignedOut, token } from "./credentials.js";

/** The API is one level above the page. */
export const baseUrl: URL = import.meta.env.DEV ? new URL("/api/", location.origin) : new URL("..", document.baseURI);

/** A connection can die without a word: an answer that has not come by then never will. */
const ANSWER_MS = 60_000;

export const options: ClientOptions = {
  baseUrl,
  fetch: watchedFetch,
  headers: () => ({ authorization: token.get() === null ? undefined : `Bearer ${token.get()}` }),
  timeoutMs: ANSWER_MS,
  streamTimeoutMs: ANSWER_MS,
};

export const client: Client<Flows> = createClient({ ...options, retry: false });
export const streams: Client<Flows> = createClient({
  ...options,
  retry: { maxAttempts: Number.POSITIVE_INFINITY, delayMs: 300, maxDelayMs: 5_000 },
});

let answer: typeof fetch = (url, init) => fetch(url, { ...init, credentials: "same-origin" });

/** From now on, this answers instead of the server. */
export function answerWith(other: typeof fetch): void {
  answer = other;
}

/** Notes whether the server answers, and whether it wants credentials. */
async function watchedFetch(url: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  try {
    const response = await answer(url, init);
    connection.set("connected");
    if (response.status === 401) isSignedOut.set(true);
    return response;
  } catch (error) {
    // The client aborts with its own error what took too long; anything else was aborted by a page that has gone.
    const { signal } = init;
    if (!signal?.aborted || signal.reason instanceof ClientError) connection.set("reconnecting");
    throw error;
  }
}

/** @throws {ClientError} for a message that the run has refused. */
export function assertAccepted(receipt: Receipt): void {
  if (receipt.status === "accepted") return;
  const { code, hint, details } = receipt;
  const by = details?.answered.by;
  const who = by === null || by === undefined ? "" : ` ${by.user ?? "Somebody"} has answered it, through ${by.door}.`;
  throw new ClientError({ code, message: `The run has refused it.${who}`, hint });
}

/** The thrown value if it is an error of the client; otherwise an error that wraps it. */
export function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ClientError({ code: "UNEXPECTED", message, hint: "", cause: error });
}

/** Whether there was no answer at all. */
export function isUnreachable(error: ClientError): boolean {
  return error.code === "NETWORK_FAILED" || error.code === "REQUEST_TIMEOUT";
}
