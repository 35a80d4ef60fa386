/**
 * Converts refusals and network failures to errors.
 *
 * @module
 */
import { ClientError, type ClientErrorOptions } from "../client-error.js";
import { nowMs } from "../system.js";

/** Identifies the request in messages. */
export interface RequestFacts {
  readonly method: string;
  readonly url: string;
}

const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const MAX_TEXT = 200;

/** Converts a response that is no success. */
export async function errorOfAnswer(response: Response, request: RequestFacts): Promise<ClientError> {
  const { status } = response;
  const { detail: given, code, hint, ...details } = parseAnswer(await response.text());
  const detail = typeof given === "string" && given !== "" ? given : "no explanation";
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  return new ClientError({
    ...request,
    code: typeof code === "string" ? code : "REQUEST_REFUSED",
    message: `${request.method} ${request.url} was answered with ${status}: ${detail}`,
    detail,
    hint: typeof hint === "string" ? hint : hintFor(status),
    status,
    details,
    retryable: retryableStatuses.has(status),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

function parseAnswer(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return { ...parsed };
  } catch {
    // A proxy responded in HTML or plain text: its first words become the detail.
  }
  return { detail: text.slice(0, MAX_TEXT) };
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return "Pass credentials in `headers`; a function is called for every request.";
  if (status === 404) return "Check `baseUrl`, and the name or id.";
  if (retryableStatuses.has(status)) return "Try again later.";
  if (status < 500) return "Change the request as the message describes: the same request would fail again.";
  return "Read the server's log.";
}

/** Reads seconds or a date, as milliseconds; `null` for other values. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Converts an error of `fetch`, or of reading the body. */
export function networkError(cause: unknown, request: RequestFacts): ClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClientError({
    ...request,
    code: "NETWORK_FAILED",
    message: `${request.method} ${request.url} got no complete answer: ${reason}.`,
    hint: "Check that the server runs and that `baseUrl` leads to it; in a browser, that it allows this origin.",
    retryable: true,
    cause,
  });
}

/** A path without a host, in a process without a page, such as one that renders pages on a server. */
export function noHost(cause: unknown, request: RequestFacts): ClientError {
  return new ClientError({
    ...request,
    code: "OPTION_INVALID",
    message: `${request.method} ${request.url} cannot be sent: \`baseUrl\` is a path, and outside of a page it has no origin.`,
    hint: "Make the request in the browser, such as in an effect; from a server, pass a whole URL as `baseUrl`.",
    details: { option: "baseUrl" },
    cause,
  });
}

export function timeoutError(timeoutMs: number, request: RequestFacts): ClientError {
  return new ClientError({
    ...request,
    code: "REQUEST_TIMEOUT",
    message: `${request.method} ${request.url} was silent for ${timeoutMs} ms.`,
    hint: "Raise `timeoutMs` or `streamTimeoutMs` if the server is slow.",
    retryable: true,
  });
}

export function invalidAnswer(
  what: string,
  request: RequestFacts,
  more: Pick<ClientErrorOptions, "status" | "cause"> = {},
): ClientError {
  return new ClientError({
    ...request,
    ...more,
    code: "RESPONSE_INVALID",
    message: `${request.method} ${request.url} was answered with ${what}.`,
    hint: "Check that `baseUrl` leads to a Millrace server, and not to a page or a proxy.",
  });
}
